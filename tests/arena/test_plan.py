"""Plans: checks, TOML files, JSON round trips."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zermelo.arena.matches import match
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
        ("x = " + "[" * 100_000, "line 1: more than 8 nested brackets"),
        ("\n" + "a." * 125_000 + "a = 1", "line 2: a key of more than 8 parts"),
        ("[" + "a . " * 60_000 + "a]", "line 1: a key of more than 8 parts"),
        ("x = {" + """'.' . "\\".". """ * 20_000 + "a = 1}", "line 1: a key of more than 8 parts"),
        ("x = 1" + "0" * 5_000, "not valid TOML|unknown key"),
        *(
            (f"{key} = {value}", f"'{key}': integer out of range; expected -2\\^63 to 2\\^63 - 1")
            for value in ("0x" + "f" * 6_000, "0b1" + "0" * 63, "-9223372036854775809", "1" + "0" * 4_000)
            for key in ("games", "seed", "title", "nosuchkey")
        ),
        ("players = [0x" + "f" * 6_000 + "]", "'players': integer out of range"),
        ("players = [{name = 0x" + "f" * 6_000 + "}]", "'players': integer out of range"),
        ("#" * 1_000_001, "at most 1,000,000 bytes"),
        (b"game = '\xff'", "not UTF-8 text \\(line 1, byte 9\\)"),
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


# ---- what a plan runs -----------------------------------------------------------------------------------------------

#: A game file that leaves a trace when it is executed.
TRACE = "from pathlib import Path\nPath(__file__).with_name('executed').touch()\n"


@pytest.mark.parametrize(
    "line",
    [
        'players = ["random", "python:none.py"]',
        'players = ["random", "python:agent.py:two words"]',
        'players = ["random", "uci:no-such-engine"]',
        'players = ["random", "gtp:no-such-engine"]',
        'players = ["random", "engine:deep=3"]',
        'players = ["random", "engine:depth=0"]',
        'players = ["random", "heap"]',
        'players = ["random", "minimax:heap:0"]',
        'players = ["random", {player = "random", control = "depth=none"}]',
        'control = "seconds=none"',
        'adjudication = "exactly"',
        'sprt = "elo0"',
        'openings = "file:none.txt"',
        'openings = "file:openings.txt,order=none"',
        'openings = "book:openings.txt"',
        'openings = "plies=none"',
        "rounds = -1",
        "unknown = 1",
    ],
)
def test_a_game_file_is_not_executed_by_an_invalid_plan(tmp_path: Path, line: str) -> None:
    nim = (Path(__file__).parents[1] / "support" / "nim.py").read_text()
    (tmp_path / "nim.py").write_text(nim.replace("from __future__ import annotations\n", "") + TRACE)
    (tmp_path / "agent.py").write_text("def choose(state): return next(state.moves())\n")
    (tmp_path / "openings.txt").write_text("1 2\n3\n")
    players = "" if line.startswith("players") else 'players = ["random", "python:agent.py"]\n'
    file = tmp_path / "club.toml"
    valid = 'game = "nim.py:Nim"\nformat = "match"\n' + players
    file.write_text(valid + line + "\n")
    announced: list[list[str]] = []
    with pytest.raises(ZermeloError, match="^" + re.escape(f"{file}: ")):
        Plan.from_file(file, announce=announced.append)
    assert announced == []
    assert not (tmp_path / "executed").exists()


def test_a_game_file_is_not_executed_by_an_invalid_match(tmp_path: Path) -> None:
    nim = (Path(__file__).parents[1] / "support" / "nim.py").read_text()
    (tmp_path / "nim.py").write_text(nim.replace("from __future__ import annotations\n", "") + TRACE)
    with pytest.raises(ZermeloError, match=r"none\.py: No such file"):
        match(f"{tmp_path / 'nim.py'}:Nim", "random", f"python:{tmp_path / 'none.py'}")
    assert not (tmp_path / "executed").exists()


def test_default_openings_are_replaced_by_their_value() -> None:
    players = parse_entrants(["random", "random"])
    assert Plan("tictactoe", players, openings="default").openings == "plies=4"
    assert Plan("backgammon", players, openings="default").openings == ""


def test_what_a_plan_runs_is_announced_before_it_is_loaded(tmp_path: Path) -> None:
    nim = (Path(__file__).parents[1] / "support" / "nim.py").read_text()
    (tmp_path / "nim.py").write_text(nim.replace("from __future__ import annotations\n", "") + TRACE)
    (tmp_path / "agent.py").write_text("def choose(state): return next(state.moves())\n")
    file = tmp_path / "club.toml"
    file.write_text('game = "nim.py:Nim"\nplayers = ["random", "python:agent.py", "b=python:agent.py"]\n')

    def announce(parts: list[str]) -> None:
        assert parts == [f"{tmp_path / 'nim.py'}:Nim", f"python:{tmp_path / 'agent.py'}"]
        assert not (tmp_path / "executed").exists()
        (tmp_path / "announced").touch()

    Plan.from_file(file, announce=announce)
    assert (tmp_path / "announced").exists()
    assert (tmp_path / "executed").exists()
    file.write_text('game = "tictactoe"\nplayers = ["random", "lines:2"]\n')
    Plan.from_file(file, announce=lambda parts: pytest.fail("this plan runs nothing"))


def test_changes_replace_values_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "club").mkdir()
    (tmp_path / "o.txt").write_text("b2\n")
    file = tmp_path / "club" / "club.toml"
    file.write_text('game = "tictactoe"\nopenings = "file:none.txt"\nplayers = ["random", "lines:2"]\n')
    plan = Plan.from_file(file, changes={"openings": "file:o.txt", "games": 4})
    assert (plan.openings, plan.games) == (f"file:{tmp_path / 'o.txt'}", 4)


def test_names_of_many_players_take_linear_time() -> None:
    """The numbers of equal specs do not start again at 2 for each player: 16,000 took 12 s."""
    names = [entrant.name for entrant in parse_entrants(["random"] * 3 + ["random 2=random"] + ["random"] * 100_000)]
    assert names[:6] == ["random", "random 3", "random 4", "random 2", "random 5", "random 6"]
    assert len(set(names)) == len(names)
