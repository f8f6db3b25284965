"""A UCI, xboard or GTP engine that misbehaves when it is asked for a move: `hostile.py PROTOCOL WAY [MOVE]`.

Further arguments only mark its processes. On a request for a move it does, by WAY:

    illegal          replies MOVE (default: e1e5 in UCI and xboard, Z99 in GTP)
    well             replies MOVE, like a correct engine
    garbage          replies with lines that are not part of the protocol
    nul  bytes       replies with zero bytes, or with invalid UTF-8
    no-newline       replies with a move but does not end the line
    crash            raises an exception
    hang             does not reply
    late             replies MOVE after 3 seconds
    flood            writes endless lines
    long-line        writes one endless line
    errors           floods standard error
    memory           allocates memory without end; `children` does so in child processes
    processor        uses the CPU, together with two child processes
    ignored-stop     ignores `stop`, `quit` and SIGTERM
    closes           closes its output but keeps running
    orphans          leaves processes that ignore SIGTERM, in sessions of their own, and exits
    deaf             stops reading and does not reply

At its start:

    no-start         exits with a message and code 3
    silent           never writes a line
    deaf-start       never reads a line
"""

from __future__ import annotations

import os
import signal
import sys
import time

LEGAL = {"uci": "g1f3", "xboard": "g1f3", "gtp": "D3"}
ILLEGAL = {"uci": "e1e5", "xboard": "e1e5", "gtp": "Z99"}


def main() -> None:
    protocol, way, *rest = sys.argv[1:]
    move_argument = rest[0] if rest and not rest[0].startswith("mark") else ""
    if way == "no-start":
        print("cannot find my weights file", file=sys.stderr)
        sys.exit(3)
    if way in ("silent", "deaf-start"):
        for _ in sys.stdin if way == "silent" else ():
            pass
        sleep()
    if way == "ignored-stop":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        word, *_ = line.split() or [""]
        if protocol == "uci":
            if word == "uci":
                write_line(
                    "id name Hostile 1.0\nid author nobody\noption name Hash type spin default 16 min 1 max 64\nuciok"
                )
            elif word == "isready":
                write_line("readyok")
            elif word == "go":
                write_line("info depth 1 score cp 13 nodes 20 pv g1f3")
                misbehave("bestmove {}\n", way, move_argument or (ILLEGAL if way == "illegal" else LEGAL)["uci"])
            elif word == "quit" and way != "ignored-stop":
                return
        elif protocol == "xboard":
            if word == "protover":
                write_line('feature myname="Hostile 1.0" usermove=1 setboard=1 ping=1 done=1')
            elif word == "ping":
                write_line("pong" + line.strip().removeprefix("ping"))
            elif word == "go":
                write_line("1 13 2 20 Nf3")
                misbehave("move {}\n", way, move_argument or (ILLEGAL if way == "illegal" else LEGAL)["xboard"])
            elif word == "quit":
                return
        else:
            if word == "genmove":
                misbehave("= {}\n\n", way, move_argument or (ILLEGAL if way == "illegal" else LEGAL)["gtp"])
            elif word == "quit" and way != "ignored-stop":
                write_line("= \n")
                return
            else:
                answers = {"name": "Hostile", "version": "1.0", "protocol_version": "2", "known_command": "true"}
                answers["list_commands"] = "name version list_commands boardsize clear_board play genmove quit".replace(
                    " ", "\n"
                )
                write_line(f"= {answers.get(word, '')}\n")


def misbehave(answer: str, way: str, move: str) -> None:
    correct = answer.format(move)
    if way in ("illegal", "well"):
        write(correct)
    elif way == "garbage":
        write("my king likes it here\nbestmove\nmove\n?\n\n= \n\n")
    elif way == "nul":
        write(answer.format("\0\0\0"))
    elif way == "bytes":
        os.write(1, answer.format("\xff").encode("latin-1"))
    elif way == "no-newline":
        write(correct.rstrip("\n"))
        sleep()
    elif way == "crash":
        raise ZeroDivisionError("move by zero")
    elif way == "late":
        time.sleep(3)
        write(correct)
    elif way == "flood":
        while True:
            write("info string what a day\n" * 1000)
    elif way == "long-line":
        while True:
            write("x" * 10_000)
    elif way == "errors":
        while True:
            os.write(2, b"what a day\n" * 1000)
    elif way == "memory":
        grow()
    elif way == "children":
        child(grow), child(grow)
        sleep()
    elif way == "processor":
        child(work), child(work)
        work()
    elif way == "closes":
        os.close(1)
        sleep()
    elif way == "orphans":
        for _ in range(3):
            child(sleep)
        os._exit(0)
    else:  # hang, deaf, ignored-stop
        while way == "ignored-stop" and sys.stdin.readline():
            write("info string not yet\n")
        sleep()


def child(does: object) -> None:
    """Start an orphaned process in a session of its own that ignores SIGTERM, SIGHUP and SIGINT."""
    assert callable(does)
    if os.fork() == 0:
        os.setsid()
        for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(each, signal.SIG_IGN)
        if os.fork() == 0:
            does()
        os._exit(0)


def grow() -> None:
    blocks = []
    while True:
        blocks.append(b"x" * (1 << 20))
        time.sleep(0.001)


def work() -> None:
    while True:
        pass


def sleep() -> None:
    while True:
        time.sleep(1000)


def write_line(text: str) -> None:
    write(text + "\n")


def write(text: str) -> None:
    os.write(1, text.encode())


if __name__ == "__main__":
    main()
