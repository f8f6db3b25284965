"""Run a command with some system calls refused, as a container's profile does: `refused_calls.py ERRNO N,N COMMAND`.

The numbers are those of x86-64.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys


def main() -> None:
    errno, numbers, command = int(sys.argv[1]), list(map(int, sys.argv[2].split(","))), sys.argv[3:]
    load_number, jump_equal, give = 0x20, 0x15, 0x06
    instructions = [(load_number, 0, 0, 0)]
    for number in numbers:
        instructions += [(jump_equal, 0, 1, number), (give, 0, 0, 0x00050000 | errno)]
    instructions.append((give, 0, 0, 0x7FFF0000))
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in instructions))
    head = struct.pack("HxxxxxxQ", len(instructions), ctypes.addressof(program))
    library = ctypes.CDLL(None)
    library.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    if library.prctl(22, ctypes.c_ulong(2), head, 0, 0) != 0:  # PR_SET_SECCOMP
        sys.exit("seccomp is not allowed here")
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
