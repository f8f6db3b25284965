"""A program that speaks UCI or GTP until it is asked for a move, and then misbehaves: `hostile.py PROTOCOL WAY [MOVE]`.

Whatever arguments follow are for who looks for its processes. It is asked for a move and, by WAY,

    illegal          answers MOVE (if none is given: e1e5 in UCI, Z99 in GTP)
    well             answers MOVE, as a program that plays by the rules
    garbage          answers with something that is none of its protocol
    nul  bytes       with zero bytes, with bytes that are no UTF-8
    no-newline       with a move, but never ends the line
    crash            raises an exception
    hang             answers nothing
    late             answers MOVE after 3 seconds
    flood            writes lines without end
    long-line        writes one line without end
    errors           floods its error output
    memory           takes memory without end; `children` likewise, in processes that it starts
    processor        works, and so do two processes that it starts
    ignored-stop     goes on after `stop`, and does not end when told, nor by SIGTERM
    closes           closes its output and lives on
    orphans          leaves processes in sessions of their own that ignore SIGTERM, and ends
    deaf             reads nothing any more; answers nothing

or at its start:

    no-start         ends with a message and exit code 3
    silent           says nothing at all
    deaf-start       never reads a line
"""

from __future__ import annotations

import os
import signal
import sys
import time

LEGAL = {"uci": "g1f3", "gtp": "D3"}
ILLEGAL = {"uci": "e1e5", "gtp": "Z99"}


def main() -> None:
    protocol, way, *rest = sys.argv[1:]
    given = rest[0] if rest and not rest[0].startswith("mark") else ""
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
                say("id name Hostile 1.0\nid author nobody\noption name Hash type spin default 16 min 1 max 64\nuciok")
            elif word == "isready":
                say("readyok")
            elif word == "go":
                say("info depth 1 score cp 13 nodes 20 pv g1f3")
                misbehave("bestmove {}\n", way, given or (ILLEGAL if way == "illegal" else LEGAL)["uci"])
            elif word == "quit" and way != "ignored-stop":
                return
        else:
            if word == "genmove":
                misbehave("= {}\n\n", way, given or (ILLEGAL if way == "illegal" else LEGAL)["gtp"])
            elif word == "quit" and way != "ignored-stop":
                say("= \n")
                return
            else:
                answers = {"name": "Hostile", "version": "1.0", "protocol_version": "2", "known_command": "true"}
                answers["list_commands"] = "name version list_commands boardsize clear_board play genmove quit".replace(
                    " ", "\n"
                )
                say(f"= {answers.get(word, '')}\n")


def misbehave(answer: str, way: str, move: str) -> None:
    good = answer.format(move)
    if way in ("illegal", "well"):
        write(good)
    elif way == "garbage":
        write("my king likes it here\nbestmove\n?\n\n= \n\n")
    elif way == "nul":
        write(answer.format("\0\0\0"))
    elif way == "bytes":
        os.write(1, answer.format("\xff").encode("latin-1"))
    elif way == "no-newline":
        write(good.rstrip("\n"))
        sleep()
    elif way == "crash":
        raise ZeroDivisionError("move by zero")
    elif way == "late":
        time.sleep(3)
        write(good)
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
    """A process whose parent has ended, in a session of its own, that ignores SIGTERM and SIGHUP."""
    assert callable(does)
    if os.fork() == 0:
        os.setsid()
        for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(each, signal.SIG_IGN)
        if os.fork() == 0:
            does()
        os._exit(0)


def grow() -> None:
    kept = []
    while True:
        kept.append(b"x" * (1 << 20))
        time.sleep(0.001)


def work() -> None:
    while True:
        pass


def sleep() -> None:
    while True:
        time.sleep(1000)


def say(text: str) -> None:
    write(text + "\n")


def write(text: str) -> None:
    os.write(1, text.encode())


if __name__ == "__main__":
    main()
