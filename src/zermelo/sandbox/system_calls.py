"""Seccomp filter of the sandbox: the system calls that Python, NumPy and compiled code need to compute, and no others.

`TABLE` names each call that is allowed, its numbers and the arguments it may have. Every other call fails with EPERM,
also those of other machines' conventions (32-bit, x32) and those that future kernels add. `bpf(machine)` is the filter
as instructions of the classic Berkeley packet filter, which the kernel runs at each call.
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False  # as in `typing`, which takes longer to load than everything else here
if TYPE_CHECKING:
    from typing import TypeAlias

    #: (argument, test, values): "in", the lower half is one of the values; "without", it has none of the value's bits;
    #: "zero", both halves are 0. The kernel itself reads only the lower half of an argument of type `int`.
    Condition: TypeAlias = tuple[int, str, tuple[int, ...]]
    #: A call is allowed if all conditions of any alternative hold; without alternatives, always.
    Rule: TypeAlias = tuple[tuple[Condition, ...], ...]

# Flags of `open` that change nothing: O_NOCTTY, O_NONBLOCK, O_CLOEXEC, and O_DIRECTORY, O_NOFOLLOW, O_LARGEFILE with
# their values on both machines. Not O_PATH, which Landlock does not check.
_OPEN_FLAGS = 0o400 | 0o4000 | 0o2000000 | 0o40000 | 0o100000 | 0o200000 | 0o400000


def _read_only(flags: int) -> Rule:
    """Rule of a call that opens files; `flags` is the index of its flags."""
    return (((flags, "without", (0xFFFFFFFF & ~_OPEN_FLAGS,)),),)


_ANY: Rule = ()
_FCNTL: Rule = (
    ((1, "in", (0, 1, 2, 3, 1030)),),  # F_DUPFD F_GETFD F_SETFD F_GETFL F_DUPFD_CLOEXEC
    ((1, "in", (4,)), (2, "without", (0o20000,))),  # F_SETFL without O_ASYNC, which sends signals
)
_IOCTL: Rule = (((1, "in", (0x5401, 0x5413, 0x5450, 0x5451)),),)  # TCGETS TIOCGWINSZ FIONCLEX FIOCLEX
_PRCTL: Rule = (((0, "in", (15, 16)),),)  # PR_SET_NAME PR_GET_NAME
_MMAP: Rule = (((3, "without", (0x40000 | 0x2000,)),),)  # MAP_HUGETLB MAP_LOCKED: memory that no limit counts
# MADV_NORMAL to MADV_DONTNEED, MADV_FREE, MADV_HUGEPAGE, MADV_NOHUGEPAGE
_MADVISE: Rule = (((2, "in", (0, 1, 2, 3, 4, 8, 14, 15)),),)
# FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET, with FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME
_FUTEX: Rule = (((1, "in", (0, 1, 9, 10, 128, 129, 137, 138, 265, 393)),),)
_OWN: Rule = (((0, "in", (0,)),),)  # process 0 is the caller
_GET_LIMIT: Rule = (((0, "in", (0,)), (2, "zero", ())),)  # prlimit64 of the caller without new values

#: Allowed calls: name, numbers on x86-64 and ARM64 (None: no such call), rule. Frequent calls come first.
# fmt: off
TABLE: tuple[tuple[str, int | None, int | None, Rule], ...] = (
    ("read", 0, 63, _ANY), ("write", 1, 64, _ANY), ("futex", 202, 98, _FUTEX),
    ("munmap", 11, 215, _ANY), ("mmap", 9, 222, _MMAP), ("brk", 12, 214, _ANY),
    # Read files.
    ("open", 2, None, _read_only(1)), ("openat", 257, 56, _read_only(2)), ("close", 3, 57, _ANY),
    ("pread64", 17, 67, _ANY), ("lseek", 8, 62, _ANY), ("getdents64", 217, 61, _ANY), ("getcwd", 79, 17, _ANY),
    ("stat", 4, None, _ANY), ("fstat", 5, 80, _ANY), ("lstat", 6, None, _ANY), ("newfstatat", 262, 79, _ANY),
    ("statx", 332, 291, _ANY), ("access", 21, None, _ANY), ("faccessat", 269, 48, _ANY),
    ("faccessat2", 439, 439, _ANY), ("readlink", 89, None, _ANY), ("readlinkat", 267, 78, _ANY),
    # Use open files: standard streams and the message channel.
    ("readv", 19, 65, _ANY), ("writev", 20, 66, _ANY), ("fcntl", 72, 25, _FCNTL), ("ioctl", 16, 29, _IOCTL),
    ("dup", 32, 23, _ANY), ("dup2", 33, None, _ANY), ("dup3", 292, 24, _ANY),
    # Memory.
    ("mprotect", 10, 226, _ANY), ("mremap", 25, 216, _ANY), ("madvise", 28, 233, _MADVISE),
    # Time, also of the process; timers that send a signal to the process itself.
    ("clock_gettime", 228, 113, _ANY), ("clock_getres", 229, 114, _ANY), ("gettimeofday", 96, 169, _ANY),
    ("time", 201, None, _ANY), ("times", 100, 153, _ANY), ("getrusage", 98, 165, _ANY),
    ("clock_nanosleep", 230, 115, _ANY), ("nanosleep", 35, 101, _ANY), ("restart_syscall", 219, 128, _ANY),
    ("alarm", 37, None, _ANY), ("setitimer", 38, 103, _ANY), ("getitimer", 36, 102, _ANY),
    # Handle signals.
    ("rt_sigaction", 13, 134, _ANY), ("rt_sigprocmask", 14, 135, _ANY), ("rt_sigreturn", 15, 139, _ANY),
    ("sigaltstack", 131, 132, _ANY),
    # Ask who and where the process is.
    ("getpid", 39, 172, _ANY), ("gettid", 186, 178, _ANY), ("getppid", 110, 173, _ANY),
    ("getuid", 102, 174, _ANY), ("geteuid", 107, 175, _ANY), ("getgid", 104, 176, _ANY), ("getegid", 108, 177, _ANY),
    ("uname", 63, 160, _ANY), ("sysinfo", 99, 179, _ANY), ("getcpu", 309, 168, _ANY),
    ("getrlimit", 97, 163, _ANY), ("prlimit64", 302, 261, _GET_LIMIT), ("prctl", 157, 167, _PRCTL),
    ("sched_getaffinity", 204, 123, _OWN), ("sched_yield", 24, 124, _ANY), ("getrandom", 318, 278, _ANY),
    # End.
    ("exit", 60, 93, _ANY), ("exit_group", 231, 94, _ANY),
)
# fmt: on

_EPERM, _EAGAIN, _EROFS = 1, 11, 30
#: Error numbers other than EPERM, where Python has a message for them: "Resource temporarily unavailable" for the calls
#: that start processes and threads (clone, fork, vfork, clone3, and pipe, pipe2, with which `subprocess` begins),
#: "Read-only file system" for opening to write.
_STARTING = {"x86_64": (56, 57, 58, 435, 22, 293), "aarch64": (220, 435, 59)}
_OPENING = ("open", "openat")

#: Number of each machine in `struct seccomp_data`.
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
#: System calls of the x32 convention start here.
X32_CALLS = 0x40000000

# From <linux/filter.h> and <linux/seccomp.h>.
_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, ERROR = 0x7FFF0000, 0x00050000
#: Offsets in `struct seccomp_data`: system call number, architecture, first argument.
_NUMBER_OFFSET, _ARCHITECTURE_OFFSET, _ARGUMENTS_OFFSET = 0, 4, 16

#: An instruction: operation, jump if true, jump if false, constant. Jumps count instructions to skip.
Instruction = tuple[int, int, int, int]


def bpf(machine: str) -> list[Instruction]:
    """Return the filter of a machine.

    Parameters
    ----------
    machine : {"x86_64", "aarch64"}
        Name of the machine as `uname` gives it.

    Raises
    ------
    KeyError
        The machine has no column in `TABLE`.
    """
    refused = (_RETURN, 0, 0, ERROR | _EPERM)
    instructions = [
        (_LOAD, 0, 0, _ARCHITECTURE_OFFSET),
        (_JUMP_EQUAL, 1, 0, ARCHITECTURES[machine]),
        refused,
        (_LOAD, 0, 0, _NUMBER_OFFSET),
        (_JUMP_GREATER_EQUAL, 0, 1, X32_CALLS),
        refused,
    ]
    for name, x86_64, aarch64, rule in TABLE:
        number = x86_64 if machine == "x86_64" else aarch64
        if number is not None:
            block = _block(rule, _EROFS if name in _OPENING else _EPERM)
            instructions += [(_JUMP_EQUAL, 0, len(block), number), *block]
    for number in _STARTING[machine]:
        instructions += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, ERROR | _EAGAIN)]
    return [*instructions, refused]


def packed(instructions: list[Instruction]) -> bytes:
    """Return the instructions as an array of `struct sock_filter`."""
    return b"".join(struct.pack("HBBI", *instruction) for instruction in instructions)


def _block(rule: Rule, error: int) -> list[Instruction]:
    """Return the instructions that check the arguments of a call and return."""
    block: list[Instruction] = [(_RETURN, 0, 0, ERROR | error)] if rule else []
    for conditions in reversed(rule or ((),)):
        alternative: list[Instruction] = [(_RETURN, 0, 0, ALLOW)]
        for condition in reversed(conditions):
            alternative = _test(condition, len(alternative)) + alternative
        block = alternative + block
    return block


def _test(condition: Condition, rest: int) -> list[Instruction]:
    """Return instructions that go on if the condition holds, and else skip `rest` instructions after their own."""
    argument, test, values = condition
    offset = _ARGUMENTS_OFFSET + 8 * argument
    load = (_LOAD, 0, 0, offset)
    if test == "without":
        return [load, (_JUMP_ANY_BIT, rest, 0, values[0])]
    if test == "zero":
        return [load, (_JUMP_EQUAL, 0, rest + 2, 0), (_LOAD, 0, 0, offset + 4), (_JUMP_EQUAL, 0, rest, 0)]
    *others, last = values
    jumps = [(_JUMP_EQUAL, len(others) - place, 0, value) for place, value in enumerate(others)]
    return [load, *jumps, (_JUMP_EQUAL, 0, rest, last)]
