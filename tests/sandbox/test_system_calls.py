"""The system call filter lets through the calls of its table and no others, on both machines."""

from __future__ import annotations

import pytest

from zermelo.sandbox.system_calls import ALLOW, ARCHITECTURES, ERROR, TABLE, X32_CALLS, bpf

MACHINES = sorted(ARCHITECTURES)
PROGRAMS = {machine: bpf(machine) for machine in MACHINES}
RULES = {row[0]: row[3] for row in TABLE}
EPERM, EAGAIN, EROFS = 1, 11, 30
F_SETFL, F_SETOWN, F_SETLK, F_SETSIG = 4, 8, 6, 10
O_ASYNC = 0o20000
ALL_BITS = (1 << 64) - 1


def run(machine: str, number: int, arguments: tuple[int, ...] = (), architecture: int | None = None) -> int:
    """Interpret the filter for a call as the kernel does; return the filter's decision."""
    words = {0: number, 4: ARCHITECTURES[machine] if architecture is None else architecture}
    for place in range(6):
        value = arguments[place] if place < len(arguments) else 0
        words[16 + 8 * place], words[20 + 8 * place] = value & 0xFFFFFFFF, value >> 32
    program = PROGRAMS[machine]
    accumulator = counter = 0
    while True:
        operation, if_true, if_false, constant = program[counter]
        counter += 1
        if operation == 0x20:
            accumulator = words[constant]
        elif operation == 0x06:
            return constant
        else:
            equal, greater = operation == 0x15, operation == 0x35
            assert equal or greater or operation == 0x45
            test = accumulator == constant if equal else accumulator >= constant if greater else accumulator & constant
            counter += if_true if test else if_false


def numbers(machine: str) -> dict[str, int]:
    column = 1 if machine == "x86_64" else 2
    return {row[0]: row[column] for row in TABLE if row[column] is not None}  # type: ignore[misc]


def allowed(machine: str, name: str, *arguments: int) -> bool:
    return run(machine, numbers(machine)[name], arguments) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_only_the_calls_of_the_table_are_allowed(machine: str) -> None:
    """With all arguments 0, and with all bits of the arguments set."""
    unconditional = {number for name, number in numbers(machine).items() if not RULES[name]}
    conditional = set(numbers(machine).values()) - unconditional
    for number in range(1025):
        answers = {run(machine, number, (bits,) * 6) for bits in (0, ALL_BITS)}
        if number in unconditional:
            assert answers == {ALLOW}
        elif number not in conditional:
            assert answers <= {ERROR | EPERM, ERROR | EAGAIN}, number
        else:
            assert run(machine, number, (ALL_BITS,) * 6) != ALLOW, number
        assert run(machine, number | X32_CALLS) == ERROR | EPERM
        assert run(machine, number | 1 << 31) == ERROR | EPERM
        for other in (0, 0x40000003, *(set(ARCHITECTURES.values()) - {ARCHITECTURES[machine]})):
            assert run(machine, number, architecture=other) == ERROR | EPERM


def test_no_number_occurs_twice() -> None:
    for machine in MACHINES:
        assert len(set(numbers(machine).values())) == len(numbers(machine))
    assert len({row[0] for row in TABLE}) == len(TABLE)


@pytest.mark.parametrize("machine", MACHINES)
def test_files_are_opened_to_read(machine: str) -> None:
    harmful = {0o1, 0o2, 0o3, 0o100, 0o1000, 0o2000, O_ASYNC, 0o10000000, 0o20000000}
    for name, place in (("open", 1), ("openat", 2)):
        if name not in numbers(machine):
            continue
        for flags in harmful | {flag | 0o2000000 for flag in harmful}:
            arguments = (0,) * place + (flags,)
            assert run(machine, numbers(machine)[name], arguments) == ERROR | EROFS
        for flags in (0, 0o2000000, 0o2204000):
            assert allowed(machine, name, *(0,) * place, flags)


@pytest.mark.parametrize("machine", MACHINES)
def test_arguments_of_other_calls(machine: str) -> None:
    commands = {command for command in range(2048) if allowed(machine, "fcntl", 3, command)}
    assert commands == {0, 1, 2, 3, F_SETFL, 1030}
    assert not commands & {F_SETOWN, F_SETLK, F_SETSIG}
    assert not allowed(machine, "fcntl", 3, F_SETFL, O_ASYNC)
    assert not allowed(machine, "fcntl", 3, F_SETFL, O_ASYNC | 0o4000)
    assert allowed(machine, "fcntl", 3, F_SETFL, 0o4000)
    assert {option for option in range(128) if allowed(machine, "prctl", option)} == {15, 16}
    assert {request & 0xFF for request in range(0x5400, 0x5500) if allowed(machine, "ioctl", 0, request)} == {
        0x01,
        0x13,
        0x50,
        0x51,
    }
    assert allowed(machine, "prlimit64", 0, 7, 0, 1)
    for arguments in ((0, 7, 1, 0), (0, 7, 1 << 32, 0), (1, 7, 0, 0)):
        assert not allowed(machine, "prlimit64", *arguments)
    assert allowed(machine, "mmap", 0, 4096, 3, 0x22)
    assert not allowed(machine, "mmap", 0, 4096, 3, 0x40022)
