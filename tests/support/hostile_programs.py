"""Hostile programs: what each one tries, and how it may end.

The body of a program runs in `attempt(game, state)`. It returns something true if it got what it must not get; an
exception means that it was refused. `{ground}` is a folder with files to steal and to change, `{canary}` and `{grader}`
are process numbers. `PRELUDE` has a few helpers.
"""

# ruff: noqa: E501  a program a line

from __future__ import annotations

from typing import NamedTuple

#: Ends in which a program got nothing: an exception, no result, the end of its process.
CONTAINED = frozenset({"refused", "nothing", "ended"})
#: It used up its time, its memory, or its output.
STOPPED = CONTAINED | {"time", "memory", "flood"}
#: Its messages were refused.
CAUGHT = CONTAINED | {"garbage", "questions", "flood", "time", "answer"}

PRELUDE = '''
import os, sys, time

PREFIX = "zermelo-hostile-made"

def library():
    import ctypes
    return ctypes.CDLL(None, use_errno=True)

def call(name, *arguments):
    """Call a function of the C library; raise OSError if it fails."""
    import ctypes
    function = getattr(library(), name)
    function.restype = ctypes.c_long if name == "syscall" else ctypes.c_int
    result = function(*[ctypes.c_long(each) if isinstance(each, int) else each for each in arguments])
    if result == -1:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result

def shout(text):
    """Write to every descriptor that is open, the message channel included."""
    for number in range(3, 30):
        try:
            os.write(number, text if isinstance(text, bytes) else text.encode())
        except OSError:
            pass

def hang():
    while True:
        pass

def steal(path):
    with open(path, "rb") as file:
        return file.read(60)
'''


class Hostile(NamedTuple):
    """A hostile program."""

    name: str
    body: str
    #: How it may end.
    ends: frozenset[str] = CONTAINED
    #: The sandbox limit that keeps it out; None: it is kept out everywhere.
    wall: str | None = None
    #: Which programs can try it: "both", "exercise" or "agent".
    host: str = "both"


def _group(wall: str | None, ends: frozenset[str], host: str, programs: dict[str, str]) -> list[Hostile]:
    return [Hostile(name, body, ends, wall, host) for name, body in programs.items()]


SIGNALS = _group(
    "signals",
    CONTAINED,
    "both",
    {
        "kill the parent": "os.kill(os.getppid(), 9); return 'sent'",
        "kill the grader": "os.kill({grader}, 15); return 'sent'",
        "kill the canary": "os.kill({canary}, 15); return 'sent'",
        "kill everybody": "os.kill(-1, 15); return 'sent'",
        "kill the group": "os.killpg(0, 15); return 'sent'",
        "probe the parent": "os.kill(os.getppid(), 0); return 'there'",
        "tgkill": "call('tgkill', {canary}, {canary}, 15); return 'sent'",
        "sigqueue": "import ctypes; call('sigqueue', {canary}, 15, ctypes.c_void_p(0)); return 'sent'",
        "pidfd_open": "os.pidfd_open({canary}); return 'opened'",
        "pidfd of the parent": "os.pidfd_open(os.getppid()); return 'opened'",
        "fcntl F_SETOWN": "import fcntl; fcntl.fcntl(2, 8, {canary}); return 'owned'",
        "fcntl F_SETOWN_EX": (
            "import fcntl, struct; fcntl.fcntl(2, 15, struct.pack('ii', 1, {canary})); return 'owned'"
        ),
        "fcntl F_SETSIG": "import fcntl; fcntl.fcntl(2, 10, 9); return 'set'",
        "fcntl O_ASYNC": "import fcntl; fcntl.fcntl(2, fcntl.F_SETFL, 0o20000); return 'set'",
        "fcntl O_ASYNC on the channel": (
            "import fcntl\nfor fd in range(3, 10):\n    try: fcntl.fcntl(fd, fcntl.F_SETFL, 0o20000)\n"
            "    except OSError as error:\n        if error.errno != 9: raise\n"
            "    else: return 'set'"
        ),
        "fcntl F_NOTIFY": "import fcntl; fcntl.fcntl(os.open('/', os.O_RDONLY), 1026, 1); return 'set'",
        "fcntl F_SETLEASE": "import fcntl; fcntl.fcntl(os.open(__import__('os').__file__, 0), 1024, 0); return 'leased'",
        "ioctl FIOASYNC": "import fcntl, struct; fcntl.ioctl(2, 0x5452, struct.pack('i', 1)); return 'set'",
        "ioctl FIOSETOWN": "import fcntl, struct; fcntl.ioctl(2, 0x8901, struct.pack('i', {canary})); return 'set'",
        "ioctl TIOCSTI": "import fcntl; fcntl.ioctl(2, 0x5412, b'x'); return 'typed'",
        "timer_create": (
            "import ctypes; timer = ctypes.c_long(); call('timer_create', 0, None, ctypes.byref(timer)); return 'made'"
        ),
        "ptrace the parent": "call('ptrace', 16, os.getppid(), None, None); return 'traced'",
        "ptrace the canary": "call('ptrace', 0x4206, {canary}, None, None); return 'traced'",
        "PR_SET_PDEATHSIG off": "call('prctl', 1, 0, 0, 0, 0); return 'immortal'",
        "PR_SET_PTRACER": "call('prctl', 0x59616D61, -1, 0, 0, 0); return 'set'",
        "priority of the parent": "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19); return 'set'",
        "affinity of the parent": "os.sched_setaffinity(os.getppid(), {{0}}); return 'set'",
        "limits of the parent": (
            "import resource; resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1)); return 'set'"
        ),
        "scheduler": "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)); return 'set'",
    },
)

READS = _group(
    "reading",
    CONTAINED,
    "both",
    {
        f"read {path}": f"return steal({path!r})"
        for path in (
            "/etc/shadow",
            "/etc/passwd",
            "/etc/hosts",
            "/etc/machine-id",
            "/proc/1/cmdline",
            "/proc/1/environ",
            "/proc/self/environ",
            "/proc/self/maps",
            "/proc/self/mountinfo",
            "/proc/version",
            "/proc/net/tcp",
            "/sys/kernel/mm/transparent_hugepage/enabled",
            "{ground}/class/ann.py",
            "{ground}/class/secret.key",
            "{ground}/store.zermelo",
            "{ground}/store.zermelo-shm",
            "/proc/{grader}/cmdline",
            "/proc/{grader}/environ",
            "/proc/{grader}/mem",
            "/proc/{grader}/maps",
            "/proc/{grader}/root/etc/passwd",
            "/proc/{canary}/status",
            "{ground}/open/../class/ann.py",
            "/proc/self/root/etc/passwd",
            "/proc/self/cwd/../class/ann.py",
        )
    }
    | {
        "the grader's command line": "return steal(f'/proc/{{os.getppid()}}/cmdline')",
        "all command lines": (
            "found = [steal(f'/proc/{{each}}/cmdline') for each in os.listdir('/proc') if each.isdigit()]\n"
            "return any(b'314159265' in each for each in found)"
        ),
        "list /proc": "return [each for each in os.listdir('/proc') if each.isdigit()]",
        "list /tmp": "return os.listdir('/tmp')",
        "list home": "return os.listdir(os.path.expanduser('~'))",
        "list /root": "return os.listdir('/root')",
        "list the class": "return os.listdir('{ground}/class')",
        "scandir /": "return [each.name for each in os.scandir('/')]",
        "walk the file system": "return [files for _, _, files in os.walk('{ground}') if files]",
        "links of descriptors": "names = [os.readlink(f'/proc/self/fd/{{n}}') for n in (0, 1, 2)]\nreturn [each for each in names if each[:5] not in ('pipe:', '/dev/')]",
        "reopen its own pipe": "os.set_blocking(os.open('/proc/self/fd/2', os.O_RDONLY), False)",
        "O_PATH": "return os.open('{ground}/class/secret.key', 0o10000000) >= 0",
        "openat from a descriptor": (
            "import ctypes\nfd = call('open', ctypes.c_char_p(b'{ground}'), 0)\n"
            "return os.read(call('openat', fd, ctypes.c_char_p(b'class/ann.py'), 0), 9)"
        ),
        "io.FileIO": "import io; return io.FileIO('{ground}/class/ann.py').read(9)",
        "mmap a file": "import mmap; return mmap.mmap(os.open('/etc/passwd', 0), 0, prot=1)[:9]",
        "sendfile": "return os.sendfile(2, os.open('/etc/passwd', 0), 0, 9)",
        "fopen": "import ctypes; library().fopen.restype = ctypes.c_void_p\nreturn library().fopen(b'/etc/passwd', b'r')",
        "linecache": "import linecache; return linecache.getlines('{ground}/class/ann.py')",
        "import a classmate": "sys.path.insert(0, '{ground}/class'); import ann; return ann.SECRET",
        "runpy": "import runpy; return runpy.run_path('{ground}/class/ann.py')",
        "zipimport": "import zipimport; zipimport.zipimporter('{ground}/class/ann.py'); return 1",
        "sqlite": "import sqlite3; return sqlite3.connect('{ground}/store.zermelo').execute('select * from t').fetchall()",
        "pwd": "import pwd; return pwd.getpwall()",
        "name_to_handle_at": "call('open_by_handle_at', -100, None, 0); return 'opened'",
    },
)

WRITES = _group(
    "deleting",
    CONTAINED,
    "both",
    {
        "write a file": "open('{ground}/open/made', 'w').write('x'); return 'written'",
        "append to a file": "open('{ground}/open/file', 'a').write('x'); return 'written'",
        "truncate on opening": "os.open('{ground}/open/file', os.O_TRUNC); return 'truncated'",
        "truncate": "os.truncate('{ground}/open/file', 0); return 'truncated'",
        "create in the folder": "open('made', 'x').close(); return 'made'",
        "create in /tmp": "open(f'/tmp/{{PREFIX}}', 'w').close(); return 'made'",
        "create in /var/tmp": "open(f'/var/tmp/{{PREFIX}}', 'w').close(); return 'made'",
        "create in /dev/shm": "open(f'/dev/shm/{{PREFIX}}', 'w').close(); return 'made'",
        "create at home": "open(os.path.expanduser(f'~/{{PREFIX}}'), 'w').close(); return 'made'",
        "O_TMPFILE": "os.open('{ground}/open', os.O_TMPFILE | os.O_RDWR); return 'made'",
        "mkdir": "os.mkdir('{ground}/open/made'); return 'made'",
        "mkdir, deep": "for _ in range(2000): os.mkdir('d'); os.chdir('d')\nreturn 'made'",
        "rmdir": "os.rmdir('{ground}/open/folder'); return 'removed'",
        "unlink": "os.unlink('{ground}/open/file'); return 'removed'",
        "unlink the folder": "os.rmdir(os.getcwd()); return 'removed'",
        "rename": "os.rename('{ground}/open/file', '{ground}/open/made'); return 'renamed'",
        "link": "os.link('{ground}/open/file', '{ground}/open/made'); return 'linked'",
        "symlink": "os.symlink('/etc/passwd', '{ground}/open/made'); return 'linked'",
        "mkfifo": "os.mkfifo('{ground}/open/made'); return 'made'",
        "mknod": "os.mknod('{ground}/open/made'); return 'made'",
        "chmod": "os.chmod('{ground}/open/file', 0o777); return 'changed'",
        "chown": "os.chown('{ground}/open/file', os.getuid(), os.getgid()); return 'changed'",
        "utime": "os.utime('{ground}/open/file', (1, 1)); return 'changed'",
        "setxattr": "os.setxattr('{ground}/open/file', 'user.x', b'x'); return 'changed'",
        "tempfile": "import tempfile; tempfile.NamedTemporaryFile(delete=False); return 'made'",
        "sqlite, writing": "import sqlite3; sqlite3.connect('{ground}/open/made').execute('create table t(x)'); return 1",
        "dbm": "import dbm.dumb; dbm.dumb.open('{ground}/open/made', 'c')['a'] = 'b'; return 'made'",
        "mount": "import ctypes; call('mount', None, ctypes.c_char_p(b'/'), None, 1 << 14, None); return 'mounted'",
        "chroot": "os.chroot('/'); return 'changed'",
        "write to the store": "open('{ground}/store.zermelo', 'r+b').write(b'x'); return 'written'",
        "a socket file by socketpair": (
            "import socket; one, _ = socket.socketpair(); one.bind('{ground}/open/made'); return 'bound'"
        ),
        "fallocate": "os.posix_fallocate(2, 0, 1 << 20); return 'allocated'",
        "copy_file_range": "return os.copy_file_range(os.open('{ground}/open/file', 0), 2, 1)",
        "umask": "os.umask(0); return 'changed'",
    },
)

LOCKS = _group(
    "calls",
    CONTAINED,
    "both",
    {
        "shared lock on the -shm": (
            "import fcntl, struct\nfile = os.open('{ground}/store.zermelo-shm', 0)\n"
            "fcntl.fcntl(file, 6, struct.pack('hhqqi', 0, 0, 120, 8, 0)); return 'locked'"
        ),
        "lock of the open file": (
            "import fcntl, struct\nfile = os.open('{ground}/store.zermelo-shm', 0)\n"
            "fcntl.fcntl(file, 37, struct.pack('hhqqi', 0, 0, 0, 0, 0)); return 'locked'"
        ),
        "flock": "import fcntl; fcntl.flock(os.open('{ground}/open/file', 0), fcntl.LOCK_EX); return 'locked'",
        "inotify": "call('inotify_init1', 0); return 'watching'",
        "fanotify": "call('fanotify_init', 0, 0); return 'watching'",
        "userfaultfd": "call('syscall', 323, 0); return 'made'",
        "bpf": "call('syscall', 321, 0, None, 0); return 'made'",
        "perf_event_open": "call('syscall', 298, None, 0, -1, -1, 0); return 'made'",
        "keyctl": "call('syscall', 250, 0, -3, 1); return 'made'",
        "add_key": "call('syscall', 248, None, None, None, 0, -3); return 'made'",
        "seccomp": "call('syscall', 317, 0, 0, None); return 'set'",
        "personality": "call('personality', 0x40000); return 'set'",
        "unshare": "call('unshare', 0x10000000); return 'unshared'",
        "setns": "call('setns', 2, 0); return 'entered'",
        "io_uring": "call('syscall', 425, 1, None); return 'made'",
        "setuid 0": "os.setuid(0); os.setgid(0); return os.getuid() == 0 and steal('/etc/shadow')",
        "a system call of 32 bits": "call('syscall', 0x40000000 + 57); return 'called'",
        "reboot": "call('syscall', 169, 0xFEE1DEAD, 672274793, 0, None); return 'called'",
        "set the host name": "import socket; socket.sethostname('x'); return 'set'",
        "pipe2 of many pages": "import fcntl; fcntl.fcntl(os.pipe()[0], 1031, 1 << 20); return 'grown'",
    },
)

#: Calls by number (x86-64) that read, signal, map, watch or change the system by newer or rarer ways.
_RARE = {
    "process_vm_readv": "310, os.getppid(), None, 0, None, 0, 0",
    "process_vm_writev": "311, os.getppid(), None, 0, None, 0, 0",
    "pidfd_getfd": "438, 0, 0, 0",
    "pidfd_send_signal": "424, 0, 15, None, 0",
    "process_madvise": "440, 0, None, 0, 0, 0",
    "process_mrelease": "448, 0, 0",
    "kcmp": "312, os.getpid(), os.getpid(), 0, 0, 0",
    "openat2": "437, -100, b'/etc/passwd', None, 24",
    "name_to_handle_at, by number": "303, -100, b'/etc/passwd', None, None, 0",
    "io_uring_enter": "426, 0, 0, 0, 0, None",
    "fsopen": "430, b'proc', 0",
    "open_tree": "428, -100, b'/', 0",
    "move_mount": "429, -100, b'/', -100, b'/', 0",
    "mount_setattr": "442, -100, b'/', 0, None, 0",
    "statmount": "457, None, None, 0, 0",
    "clone3": "435, None, 88",
    "memory file, then execveat": "319, b'x', 0",
    "PR_SET_DUMPABLE": "157, 4, 1, 0, 0, 0",
    "PR_SET_MM": "157, 35, 1, 0, 0, 0",
    "arch_prctl": "158, 0x1002, 0",
    "modify_ldt": "154, 0, None, 0",
    "ioperm": "173, 0, 1, 1",
    "splice": "275, 0, None, 2, None, 9, 0",
    "tee": "276, 0, 2, 9, 0",
    "vmsplice": "278, 2, None, 0, 0",
    "futex_waitv": "449, None, 0, 0, None, 0",
    "eventfd": "290, 0, 0",
    "signalfd": "289, -1, None, 8, 0",
    "timerfd": "283, 0, 0",
    "epoll": "291, 0",
    "syslog": "103, 3, None, 0",
    "another ruleset of Landlock": "444, None, 0, 1",
    "x32 convention, read": "0x40000000, 0, None, 0",
    "x32 convention, openat": "0x40000000 + 257, -100, b'/etc/passwd', 0",
    "close_range": "436, 100, 200, 0",
    "getxattr": "191, b'/', b'user.x', None, 0",
    "chdir": "80, b'/'",
    "statfs": "137, b'/', None",
    "tkill": "200, os.getpid(), 0",
    "rt_sigqueueinfo": "129, {canary}, 15, None",
    "set the clock": "227, 0, None",
    "swapon": "167, b'x', 0",
    "init_module": "175, None, 0, b''",
    "acct": "163, None",
    "lookup_dcookie": "212, 0, None, 0",
    "sched_setattr": "314, 0, None, 0",
    "mbind": "237, None, 0, 0, None, 0, 0",
    "memory protection keys": "330, 0, 0",
}
#: Machine code of `int 0x80`, the 32-bit way into the kernel: call EAX with EBX and ECX.
_INT_80 = (
    "import ctypes, mmap\ncode = bytes([83, 184, {number}, 0, 0, 0, 187]) + ({argument}).to_bytes(4, 'little')\n"
    "code += bytes([49, 201, 49, 210, 205, 128, 91, 195])\npage = mmap.mmap(-1, 4096, prot=7); page.write(code)\n"
    "return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))() >= 0"
)
RARE = _group(
    "calls",
    CONTAINED,
    "both",
    {
        # The filter refuses with EPERM, and with EAGAIN what starts processes; another error comes from the call itself.
        name: (
            f"try: call('syscall', {arguments})\nexcept OSError as error: return error.errno not in (1, 11)\n"
            "return 'called'"
        )
        for name, arguments in _RARE.items()
    }
    | {
        "int 0x80, getpid": _INT_80.format(number=20, argument=0),
        "int 0x80, fork": _INT_80.format(number=2, argument=0),
        "int 0x80, kill": _INT_80.format(number=37, argument="{canary}"),
    },
)

NETWORK = _group(
    "network",
    CONTAINED,
    "both",
    {
        "TCP socket": "import socket; socket.socket().connect(('127.0.0.1', 22)); return 'connected'",
        "UDP socket": "import socket; return socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 53))",
        "Unix socket": "import socket; socket.socket(socket.AF_UNIX).bind(chr(0) + 'made'); return 'bound'",
        "socketpair": "import socket; socket.socketpair(); return 'paired'",
        "netlink": "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).bind((0, 0)); return 'bound'",
        "vsock": "import socket; socket.socket(socket.AF_VSOCK); return 'made'",
        "raw socket": "import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); return 'made'",
        "urllib": "import urllib.request; return urllib.request.urlopen('http://127.0.0.1:1/', timeout=1)",
        "name lookup": "import socket; return socket.getaddrinfo('localhost.localdomain.invalid', 80)",
    },
)

PROCESSES = _group(
    "processes",
    STOPPED,
    "both",
    {
        "fork": "return os.fork() >= 0",
        "fork bomb": "while True: os.fork()",
        "vfork": "return call('vfork') >= 0",
        "clone": "return call('syscall', 56, 17, None, None, None, 0) >= 0",
        "daemon": "if os.fork() == 0: os.setsid(); hang()\nreturn 'forked'",
        "subprocess": "import subprocess; return subprocess.run(['/bin/true']).returncode == 0",
        "system": "return os.system('true') == 0",
        "popen": "return os.popen('echo x').read()",
        "posix_spawn": "return os.posix_spawn('/bin/true', ['true'], {{}})",
        "a thread": "import threading; threading.Thread(target=print).start(); return 'started'",
        "many threads": "import threading\nwhile True: threading.Thread(target=hang, daemon=True).start()",
        "multiprocessing": "import multiprocessing; multiprocessing.Process(target=hang).start(); return 'started'",
        "process pool": (
            "from concurrent.futures import ProcessPoolExecutor as P\nwith P(1) as pool: return pool.submit(abs, -1).result()"
        ),
        "execve": "os.execv('/bin/sh', ['sh', '-c', 'echo BREACH >&2'])",
        "execveat": (
            "import ctypes\ncall('syscall', 322, -100, ctypes.c_char_p(b'/bin/true'), None, None, 0); return 'replaced'"
        ),
        "fexecve of a memory file": "os.execve(os.memfd_create('x'), ['x'], {{}})",
    },
)

MEMORY = _group(
    "memory",
    STOPPED,
    "both",
    {
        "System V shared memory": "return call('shmget', 0, 100 << 20, 0o1666) >= 0",
        "System V queue": "return call('msgget', 0, 0o1666) >= 0",
        "System V semaphores": "return call('semget', 0, 32000, 0o1666) >= 0",
        "POSIX queue": "import ctypes; return call('mq_open', ctypes.c_char_p(b'/x'), 0o102, 0o600, None) >= 0",
        "memory file": "file = os.memfd_create('x'); os.truncate(file, 1 << 30); return 'made'",
        "secret memory": "return call('syscall', 447, 0) >= 0",
        "shared mappings": "import mmap; kept = [mmap.mmap(-1, 1 << 26) for _ in range(64)]; return 'mapped'",
        "private mappings": "import mmap; kept = [mmap.mmap(-1, 1 << 26, flags=2) for _ in range(64)]; return 'mapped'",
        "locked memory": "call('mlockall', 3); return 'locked'",
        "huge pages": "import mmap; mmap.mmap(-1, 1 << 30, flags=0x40022); return 'mapped'",
        "shared_memory": "from multiprocessing.shared_memory import SharedMemory as S; S(create=True, size=9); return 1",
        "pipes full of data": (
            "kept = []\nfor _ in range(1000):\n    kept.append(os.pipe()); os.set_blocking(kept[-1][1], False)\n"
            "    os.write(kept[-1][1], bytes(1 << 16))\nreturn 'kept'"
        ),
        "descriptors": "kept = [os.open('/dev/null', 0) for _ in range(5000)]; return 'kept'",
        "a list": "kept = [0]\nwhile True: kept += kept",
        "a text": "kept = 'x'\nwhile True: kept += kept",
        "a huge number": "return len(str(1 << (1 << 33))) * 0",
        "a power tower": "9 ** 9 ** 9 ** 9",
        "a dictionary": "kept = {{}}\nwhile True: kept[len(kept)] = bytearray(1 << 16)",
        "a generator of bytes": "bytes(1 << 40)",
        "recursion": "def deep(n): return deep(n + 1) + 1\nsys.setrecursionlimit(1 << 30); deep(0)",
        "recursion in C": "kept = []\nfor _ in range(10**6): kept = [kept]\nrepr(kept)",
        "nested code": "sys.setrecursionlimit(10**9); eval('(' * 10**5 + ')' * 10**5)",
        "decompression": "import zlib; zlib.decompress(zlib.compress(bytes(1 << 26)) , bufsize=1 << 34)",
        "a class a turn": "kept = []\nwhile True: kept.append(type('x', (), {{'big': bytes(1 << 16)}}))",
    },
)

TIME = _group(
    None,
    STOPPED,
    "both",
    {
        "a loop": "while True: pass",
        "sleep": "time.sleep(1000)",
        "a regular expression": "import re; re.match('(a+)+$', 'a' * 60 + 'b')",
        "a long sum": "sum(range(10**12))",
        "wait for a signal": "import signal; signal.pause()",
        "ignored signals": "import signal\nfor n in range(1, 65):\n    try: signal.signal(n, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\nhang()",
        "a loop that catches all": "while True:\n    try: hang()\n    except BaseException: pass",
        "an alarm": "import signal; signal.setitimer(signal.ITIMER_REAL, 0.01); time.sleep(1); hang()",
        "read the channel": "while True:\n    for n in range(3, 10):\n        try: os.read(n, 9)\n        except OSError: pass",
        "a deadlock": "import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()",
        "a slow __del__": "class S:\n    def __del__(self): time.sleep(1000)\nS()",
        "factorial": "import math; math.factorial(10**8)",
    },
)

OUTPUT = _group(
    None,
    STOPPED,
    "both",
    {
        "flood of output": "while True: print('x' * 1000)",
        "flood of errors": "while True: sys.stderr.write('x' * 1000)",
        "flood of descriptor 1": "while True: os.write(1, bytes(1 << 16))",
        "flood of descriptor 2": "while True: os.write(2, bytes(1 << 16))",
        "one long line": "while True: print('x' * 1000, end='')",
        "flood, then an answer": "try:\n    for _ in range(10**5): os.write(2, bytes(1 << 10))\nexcept OSError: pass",
        "flood, then an exit": "os.write(2, bytes(1 << 21)); os._exit(0)",
        "control characters": "print(chr(27) + ']0;gone' + chr(7) + chr(0) * 100)",
        "no text": "os.write(2, bytes(range(256)) * 9)",
        "a warning": "import warnings; warnings.warn('x' * 10**6)",
    },
)

MESSAGES = _group(
    None,
    CAUGHT,
    "both",
    {
        f"message: {name}": f"shout({line!r} + chr(10)); hang()"
        for name, line in {
            "nothing": "",
            "no JSON": "?",
            "a number": "7",
            "null": "null",
            "an object": "{{}}",
            "an empty list": "[]",
            "deep": "[" * 3000,
            "deep objects": '{{"a":' * 500,
            "3,000 digits": "7" * 3000,
            "unknown": '["steal", 1]',
            "an unknown state": '["play", 999999, 0]',
            "no kind": "[[1]]",
            "limits": '["limits", ["reading"]]',
            "ready again": '["ready", null]',
            "an error of 3,000 digits": '["error", {{"line": ' + "7" * 3000 + "}}]",
            "a fault": '["fault", {{}}]',
            "NaN": '["answer", {{"value": NaN, "move": 0}}]',
            "a value of 3,000 digits": '["answer", {{"value": ' + "7" * 3000 + ', "move": 0}}]',
            "a move of 3,000 digits": '["move", 1, {{"move": ' + "7" * 3000 + "}}]",
            "a number for a later turn": '["move", 2, {{"move": 1}}]',
            "a lone surrogate": '["move", 1, {{"text": "\\ud800"}}]',
            "infinity": '["move", 1, {{"move": Infinity}}]',
            "a truth value": '["move", 1, {{"move": true}}]',
            "two kinds of answer": '["move", 1, {{"move": 1, "text": "x"}}]',
            "a question": '["moves", -1]',
            "a fraction": '["play", 0, 0.5]',
            "duplicate keys": '["answer", {{"value": 1, "value": [], "move": 0}}]',
        }.items()
    }
    | {
        "message: a long line": "shout('x' * 70000); hang()",
        "message: bytes": "shout(bytes([255, 254, 0, 10])); hang()",
        "message: half a line": "shout('[1'); os._exit(0)",
        "message: a flood": "while True: shout('[]' + chr(10))",
        "close the channel": "os.closerange(3, 100); hang()",
        "close all descriptors": "os.closerange(0, 100)",
        "exchange the descriptors": "os.dup2(2, 3); os.dup2(2, 4); os.dup2(2, 5)",
    },
)

TRICKS = _group(
    None,
    CAUGHT | {"memory"},
    "both",
    {
        "frames of the caller": (
            "frame = sys._getframe()\nwhile frame:\n    if 'correct' in frame.f_locals or 'solution' in frame.f_locals: "
            "return 'found'\n    frame = frame.f_back"
        ),
        "objects of gc": (
            "import gc\nreturn [each for each in gc.get_objects() if type(each).__name__ in ('Tree', 'CheckCase', 'Trace')]"
        ),
        "modules of the grader": "return [name for name in sys.modules if 'teaching' in name or 'arena' in name]",
        "secret in the environment": "return os.environ.get('ZERMELO_HOSTILE_SECRET')",
        "environment of the C library": (
            "import ctypes; library().getenv.restype = ctypes.c_char_p; return library().getenv(b'ZERMELO_HOSTILE_SECRET')"
        ),
        "arguments": "return any('314159265' in each for each in sys.argv + sys.orig_argv)",
        "exit code 0": "os._exit(0)",
        "exit code 1": "os._exit(1)",
        "exit code 255": "os._exit(255)",
        "SystemExit of None": "sys.exit()",
        "SystemExit of a list": "sys.exit([1] * 1000)",
        "abort": "os.abort()",
        "segmentation fault": "import ctypes; ctypes.string_at(0)",
        "bus error": "import signal; signal.raise_signal(signal.SIGBUS)",
        "stop itself": "os.kill(os.getpid(), 19)",
        "illegal instruction": (
            "import ctypes, mmap; page = mmap.mmap(-1, 4096, prot=7); page.write(bytes([15, 11]))\n"
            "ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()"
        ),
        "KeyboardInterrupt": "raise KeyboardInterrupt",
        "GeneratorExit": "raise GeneratorExit",
        "an exception without a text": "raise type('E', (Exception,), {{'__str__': lambda self: 1 / 0}})",
        "an exception with a long name": "raise type('E' * 10**6, (Exception,), {{}})",
        "an exception with escapes": "raise ValueError(chr(27) + '[2J' + chr(10) * 5 + chr(0xd800))",
        "an exception group": "raise BaseExceptionGroup('x', [ValueError('y')] * 10000)",
        "a chain of exceptions": "error = None\nfor _ in range(10**5):\n    new = ValueError(); new.__cause__ = error; "
        "error = new\nraise error",
        "a SyntaxError with a hostile line": "error = SyntaxError('x'); error.lineno = 'a' * 10**5; raise error",
        "atexit": "import atexit; atexit.register(hang); os.write(2, b'registered')",
        "an import hook": "sys.meta_path.insert(0, type('H', (), {{'find_spec': lambda *_: hang()}})); import colorsys",
        "replaced builtins": "import builtins; builtins.len = builtins.isinstance = lambda *_: 1 / 0",
        "replaced json": "import json; json.dumps = lambda *_: '[]'",
        "replaced os.write": "os.write = lambda *_: 10**9",
        "replaced os._exit": "os._exit = lambda code: hang()",
        "replaced streams": "sys.stdout = sys.stderr = type('S', (), {{'flush': lambda self: hang(), 'write': len}})()",
        "a trace function": "sys.settrace(lambda *_: hang()); (lambda: 0)()",
        "a profile function": "sys.setprofile(lambda *_: 1 / 0)",
        "an audit hook": "sys.addaudithook(lambda *_: 1 / 0); open('x')",
        "a pickle": "import pickle; return pickle.loads(b\"cposix\\nsystem\\n(S'true'\\ntR.\") == 0",
        "a code object": "eval(type((lambda: 0).__code__)(0, 0, 0, 0, 0, 0, bytes(range(250)), (), (), (), '', '', '', 1, b'', b''))",
        "the channel object": (
            "import __main__; channel = getattr(__main__, 'channel', None)\n"
            "if channel: channel._sink = 2; channel.send('answer', {{}})"
        ),
        "another recursion limit": "sys.setrecursionlimit(1); hang()",
        "no more switches": "sys.setswitchinterval(10**6); hang()",
        "a changed folder": "os.chdir('/'); return os.path.exists('made')",
        "a faulthandler": "import faulthandler; faulthandler.dump_traceback_later(0.01); time.sleep(0.1); hang()",
    },
)

ANSWERS = _group(None, CAUGHT, "both", {
    f"answer: {expression[:40]}": f"global ANSWER; ANSWER = {expression}"
    for expression in (
        "None", "True", "1.0", "float('nan')", "float('inf')", "10**400", "-(10**5000)", "'x' * 10**6", "b'x'", "[]",
        "(1, 2, 3)", "object()", "type", "lambda: 0", "1j", "(1, 10**30)", "('a', 'b')", "({{}}, [])",
        "type('I', (int,), {{'__index__': lambda self: 1 << 70, '__float__': lambda self: 1 / 0}})(5)",
        "type('S', (str,), {{'__len__': lambda self: 1, '__str__': lambda self: 'x'}})('y' * 100000)",
        "type('R', (), {{'__repr__': lambda self: hang()}})()",
        "type('T', (tuple,), {{'__iter__': lambda self: hang(), '__len__': lambda self: 2}})((1, 2))",
    )
})  # fmt: skip

ALL = [
    *SIGNALS, *READS, *WRITES, *LOCKS, *RARE, *NETWORK, *PROCESSES, *MEMORY, *TIME, *OUTPUT, *MESSAGES, *TRICKS, *ANSWERS,
]  # fmt: skip


def source(program: Hostile, host: str, places: dict[str, str]) -> str:
    """The file of a program for a host, with the places filled in."""
    body = "\n".join("    " + line for line in program.body.format(**places).split("\n"))
    head = "def choose(state):\n    game = None" if host == "agent" else "def alphabeta(game, state, depth):"
    answer = "next(state.moves())" if host == "agent" else "0"
    return (
        f"{PRELUDE}\nANSWER = None\ndef attempt(game, state):\n{body}\n{head}\n"
        "    try:\n        got = attempt(game, state)\n"
        "    except Exception as error:\n"
        "        print('OUTCOME refused', type(error).__name__[:40], flush=True)\n"
        "    else:\n        print('OUTCOME', f'BREACH {got!r:.60}' if got else 'nothing', flush=True)\n"
        f"    return {answer} if ANSWER is None else ANSWER\n"
    )
