"""Plans: checks, TOML files, JSON round trips."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zermelo.arena.plans.entrants import Entrant, choose_seed, parse_entrants
from zermelo.arena.plans.plan import Plan
from zermelo.errors import UnknownGame, ZermeloError

TWO = parse_entrants(["random", "engine:depth=1"])


def plan(**changed: Any) -> Plan:
    return Plan(**{"game": "tictactoe", "entrants": TWO, **changed})


# ---- players --------------------------------------------------------------------------------------------------------


def test_the_seed_is_random_with_external_players(tmp_path: Path) -> None:
    """The seed determines dice and openings; with built-in players only it is 0."""
    ours, outside = parse_entrants(["random", "lines:2"]), parse_entrants(["random", "python:agent.py"])
    assert choose_seed(None, ours) == 0
    assert choose_seed(7, outside) == 7
    assert len({choose_seed(None, outside) for _ in range(20)} | {0}) == 21
    (tmp_path / "agent.py").write_text("")
    for line, is_drawn in {"": True, "seed = 5": False}.items():
        file = tmp_path / "club.toml"
        file.write_text(f'game = "tictactoe"\nplayers = ["random", "python:agent.py"]\n{line}\n')
        seeds = {Plan.from_file(file).seed for _ in range(3)}
        assert (len(seeds) == 3) == is_drawn
        assert is_drawn or seeds == {5}


def test_players_are_parsed_with_and_without_names() -> None:
    texts = ["random", "Strong=engine:depth=6", "engine:depth=6,nodes=5", " b = random ", "random", "random 2=random"]
    texts += ["uci:UCI_Elo=1350,Hash=1:stockfish"]
    assert [(each.name, each.player) for each in parse_entrants(texts)] == [
        ("random", "random"),
        ("Strong", "engine:depth=6"),
        ("engine:depth=6,nodes=5", "engine:depth=6,nodes=5"),
        ("b", "random"),
        ("random 3", "random"),
        ("random 2", "random"),
        ("uci:UCI_Elo=1350,Hash=1:stockfish", "uci:UCI_Elo=1350,Hash=1:stockfish"),
    ]


@given(st.lists(st.text(max_size=100), max_size=12))
def test_default_names_are_unique(texts: list[str]) -> None:
    unnamed = [text.replace("=", "") for text in texts]
    names = [entrant.name for entrant in parse_entrants([text for text in unnamed if text.strip()])]
    assert len(set(names)) == len(names)
    assert all(len(name) <= 80 for name in names)


# ---- invalid plans --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"game": "otello"}, "unknown game 'otello'; did you mean othello"),
        ({"game": "kuhn"}, "has hidden information"),
        ({"format": "robin"}, "unknown format 'robin'; did you mean round-robin"),
        ({"format": ""}, "unknown format ''; expected one of match"),
        ({"entrants": TWO[:1]}, r"at least two players \(got 1\)"),
        ({"entrants": ()}, r"at least two players \(got 0\)"),
        ({"entrants": parse_entrants(["random"] * 3), "format": "match"}, r"exactly two players \(got 3\)"),
        ({"entrants": parse_entrants(["random"] * 1001)}, r"at most 1,000 players \(got 1,001\)"),
        ({"entrants": (Entrant("a", "random"), Entrant("a", "random"))}, "two players are named 'a'"),
        ({"entrants": (Entrant("", "random"), TWO[1])}, "player name ''"),
        ({"entrants": (Entrant("a\nb", "random"), TWO[1])}, "printable"),
        ({"entrants": (Entrant("x" * 81, "random"), TWO[1])}, "1 to 80"),
        ({"entrants": (Entrant("a", "randon"), TWO[1])}, r"player a: unknown player 'randon'; did you mean random"),
        ({"entrants": (Entrant("a", "random", "depth=0"), TWO[1])}, "player a: depth must be at least 1"),
        ({"games": 0}, r"games must be between 1 and 1,000,000 \(got 0\)"),
        ({"games": 5}, r"games must be even or 1 \(got 5\): each opening is played twice.*4 or 6"),
        ({"games": 10**9}, "between 1 and 1,000,000"),
        ({"entrants": parse_entrants(["random"] * 500), "games": 1000}, "at most 10,000,000"),
        ({"rounds": 3}, "only format 'swiss'"),
        ({"rounds": -1, "format": "swiss"}, "rounds must be between"),
        ({"max_plies": 0}, "max_plies must be between"),
        ({"seed": -1}, "seed must be between"),
        ({"game": "a\0.py"}, "one line of at most"),
        ({"title": "x" * 5001}, "one line of at most 5,000"),
        ({"control": "depth"}, "time control 'depth': expected depth=N"),
        ({"openings": "plies"}, "plies=N"),
        ({"openings": "plies=99"}, "ends before 99 plies"),
        ({"adjudication": "agreed"}, "score= is missing"),
        ({"adjudication": "exact", "game": "backgammon"}, "does not apply to Backgammon"),
        ({"sprt": "elo0=0"}, "needs format 'match'.*got 'round-robin'"),
        ({"sprt": "elo=0", "format": "match"}, "SPRT 'elo=0'"),
        ({"sprt": "elo0=0", "format": "match", "games": 1}, "game pairs"),
    ],
)
def test_invalid_plans_are_refused_in_one_line(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ZermeloError, match=message) as caught:
        plan(**changed)
    assert "\n" not in str(caught.value)


def test_errors_keep_their_class() -> None:
    with pytest.raises(UnknownGame):
        plan(entrants=(Entrant("a", "randon"), TWO[1]))


# ---- JSON -----------------------------------------------------------------------------------------------------------


def test_a_plan_survives_a_json_round_trip() -> None:
    made = plan(
        entrants=(Entrant("a", "random", "nodes=5"), TWO[1]),
        format="match",
        games=20,
        openings="plies=2",
        control="depth=4",
        adjudication="exact",
        seed=7,
        max_plies=50,
        sprt="elo0=0",
        title="A match",
    )
    assert Plan.from_dict(json.loads(json.dumps(made.as_dict()))) == made


def test_a_stored_plan_is_read_without_its_game(tmp_path: Path) -> None:
    """Standings of a store must work on any machine."""
    message = plan().as_dict() | {"game": str(tmp_path / "gone.py:Gone")}
    assert Plan.from_dict(message).game.endswith("gone.py:Gone")


@pytest.mark.parametrize("message", [{}, {"game": "othello"}, {"game": "othello", "entrants": 3}, {"entrants": [{}]}])
def test_invalid_json_is_not_a_plan(message: dict[str, Any]) -> None:
    with pytest.raises(ZermeloError, match="not a tournament plan"):
        Plan.from_dict(message)


# ---- TOML -----------------------------------------------------------------------------------------------------------

WHOLE = """
title = "Club"
game = "othello"
format = "swiss"
games = 4
rounds = 2
openings = "plies=4"
control = "nodes=100"
adjudication = "exact:nodes=500"
seed = 9
max_plies = 100
players = ["random", "Named = diff:1", {name = "Strong", player = "engine:depth=2", control = "depth=2"}, "random"]
"""


def test_a_file_with_every_key(tmp_path: Path) -> None:
    (tmp_path / "club.toml").write_text(WHOLE)
    assert Plan.from_file(tmp_path / "club.toml") == Plan(
        game="othello",
        entrants=(
            Entrant("random", "random"),
            Entrant("Named", "diff:1"),
            Entrant("Strong", "engine:depth=2", "depth=2"),
            Entrant("random 2", "random"),
        ),
        format="swiss",
        games=4,
        rounds=2,
        openings="plies=4",
        control="nodes=100",
        adjudication="exact:nodes=500",
        seed=9,
        max_plies=100,
        title="Club",
    )


def test_player_tables_and_relative_paths(tmp_path: Path) -> None:
    folder = tmp_path / "club"
    folder.mkdir()
    shutil.copy(Path(__file__).parents[1] / "support" / "nim.py", folder)
    (folder / "agent.py").write_text("def choose(state): return next(state.moves())\n")
    (folder / "openings.txt").write_text("1 2\n3\n")
    (folder / "club.toml").write_text(
        'game = "nim.py:Nim"\nopenings = "file:openings.txt"\nformat = "match"\n'
        '[[players]]\nplayer = "python:agent.py:choose"\n[[players]]\nplayer = "random"\nname = "dice"\n'
    )
    made = Plan.from_file(folder / "club.toml")
    assert made.game == f"{folder / 'nim.py'}:Nim"
    assert made.entrants == (
        Entrant("python:agent.py:choose", f"python:{folder / 'agent.py'}:choose"),
        Entrant("dice", "random"),
    )
    assert made.openings == f"file:{folder / 'openings.txt'}"
    assert made.opening_lines == ("|1 2",)  # as many as it needs


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('game = "othello"\nplayers = ["random", ?]\n', "not valid TOML: .*line 2"),
        ('game = "othello"\n', "missing key: players"),
        ('players = ["random", "random"]\n', "missing key: game"),
        ('gane = "othello"\n', "unknown key 'gane'; did you mean game"),
        ('book = ["|1"]\n', "unknown key 'book'"),
        ('game = 3\nplayers = ["random", "random"]\n', "game must be a string \\(got 3\\)"),
        ('game = "othello"\nplayers = "random"\n', "must be a list of players"),
        ('game = "othello"\ngames = true\nplayers = ["random"]', "games must be an integer \\(got true\\)"),
        ('game = "othello"\ngames = "3"\nplayers = ["random"]', "games must be an integer \\(got '3'\\)"),
        ('game = "othello"\nplayers = ["random", 3]\n', "player 2 is 3;"),
        ('game = "othello"\nplayers = ["random", {name = "a"}]\n', "player 2: missing key: player"),
        (
            'game = "othello"\nplayers = ["random", {plyer = "a"}]\n',
            "player 2: unknown key 'plyer'; did you mean player",
        ),
        ('game = "othello"\nplayers = ["random", {player = 3}]\n', "player 2: player must be a string \\(got 3\\)"),
        ('game = "othello"\nplayers = ["random", "dif:3"]\n', "unknown player 'dif:3'; did you mean diff"),
        ('game = "othello"\nplayers = ["random"]\n', r"at least two players \(got 1\)"),
        ("x = " + "[" * 100_000, "brackets nested too deep"),
        ("x = 1" + "0" * 5_000, "not valid TOML|unknown key"),
        ("#" * 1_000_001, "at most 1,000,000 bytes"),
        (b"game = '\xff'", "not UTF-8 at byte 8"),
    ],
)
def test_errors_in_a_file_begin_with_its_name(tmp_path: Path, content: str | bytes, message: str) -> None:
    file = tmp_path / "club.toml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ZermeloError, match=message) as caught:
        Plan.from_file(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert "\n" not in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ZermeloError, match=r"none\.toml: No such file"):
        Plan.from_file(tmp_path / "none.toml")
