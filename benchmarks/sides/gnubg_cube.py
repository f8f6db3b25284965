"""Cube decisions by GNU Backgammon: a script for `gnubg -p`, which writes a JSON line for each position and score."""

import json
import os
from importlib import import_module

gnubg = import_module("gnubg")
for command in (
    "set automatic game off", "set automatic roll off", "set player 0 human", "set player 1 human", "set threads 1",
):  # fmt: skip
    gnubg.command(command)
asked = json.loads(os.environ["ZERMELO_ASKED"])
with open(os.environ["ZERMELO_ANSWERS"], "w") as answers:
    for length, scores in asked["stakes"]:
        gnubg.command(f"new match {length}" if length else "new session")
        if length:
            gnubg.command("set score {} {}".format(*scores))
        gnubg.command("set jacoby off")
        cube = {**gnubg.cubeinfo(), "move": 0}  # a new game begins with either player
        context = {"plies": asked["plies"], "deterministic": 1, "noise": 0.0, "prune": 1}
        for text in asked["positions"]:
            board = gnubg.positionfromid(text)
            chances = gnubg.evaluate(board, cube, {**context, "cubeful": 0})[:5]
            decision = gnubg.cfevaluate(board, cube, {**context, "cubeful": 1})
            answer = {
                "length": length, "score": scores, "position": text,
                "chances": list(map(float, chances)), "values": list(map(float, decision[1:4])), "text": decision[5],
            }  # fmt: skip
            answers.write(json.dumps(answer) + "\n")
