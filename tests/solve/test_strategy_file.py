"""Strategy files: round trip, resuming, damaged files, files of other games; players that follow them."""

from __future__ import annotations

import hashlib
import json
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from zermelo.arena.players.clock import Clock, TimeControl
from zermelo.arena.players.player import GameSetup, Turn
from zermelo.arena.players.policies import PolicyPlayer
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.errors import FileError, LimitError
from zermelo.games.kuhn import Kuhn
from zermelo.games.leduc import Leduc
from zermelo.solve import strategy_file
from zermelo.solve.approximation import Approximation
from zermelo.solve.equilibrium import solve
from zermelo.solve.strategy_file import read_strategy, resume, write_strategy

pytestmark = pytest.mark.quick


def approximated(state: State, iterations: int, algorithm: str = "cfr+") -> Approximation:
    approximation = Approximation(state, algorithm, seed=5 if algorithm == "mccfr" else 0)
    list(approximation.run(iterations))
    return approximation


@pytest.fixture
def kuhn(tmp_path: Path) -> Path:
    """A strategy file of Kuhn poker."""
    path = tmp_path / "kuhn.strategy"
    write_strategy(path, strategy_file.strategy_file(Kuhn(), solve(Kuhn())))
    return path


def test_exact_strategies_are_read_as_they_were_written(kuhn: Path) -> None:
    file, exact = read_strategy(kuhn, Kuhn), solve(Kuhn())
    assert (file.game, file.position, file.algorithm, file.exploitability) == ("Kuhn", "start", "exact", 0)
    assert file.value == pytest.approx(-1 / 18)
    for player in (MAX, MIN):
        for information, chosen in exact.strategies[player].items():
            assert file.strategies[player][information] == pytest.approx({n: float(p) for n, p in chosen.items()})


@pytest.mark.parametrize("algorithm", ["cfr+", pytest.param("mccfr", marks=pytest.mark.long)])
def test_resumed_runs_end_as_uninterrupted_ones(tmp_path: Path, algorithm: str) -> None:
    root = Kuhn.parse("QK check")
    first = approximated(root, 20, algorithm)
    path = tmp_path / "part.strategy"
    write_strategy(path, strategy_file.strategy_file(root, first.equilibrium(), first))
    state, second = resume(path, Kuhn)
    assert (state, second.iterations, second.algorithm, second.seed) == (root, 20, algorithm, first.seed)
    assert second.equilibrium() == first.equilibrium()
    list(second.run(45))
    assert second.equilibrium() == approximated(root, 45, algorithm).equilibrium()


def changed(path: Path, **changes: Any) -> None:
    """Write a file again with other content and a right checksum."""
    data = asdict(read_strategy(path, Kuhn)) | changes
    payload = zlib.compress(json.dumps(data).encode())
    path.write_bytes(b"ZERMELO STRATEGY 1 " + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)


def test_damaged_files_are_refused(kuhn: Path) -> None:
    content = kuhn.read_bytes()
    random = Random(2)
    for _ in range(50):
        place = int(random.random() * len(content))
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(random.random() * 8)
        cut = content[:place]
        for wrong in (bytes(damaged), cut):
            kuhn.write_bytes(wrong)
            with pytest.raises(FileError) as error:
                read_strategy(kuhn, Kuhn)
            assert str(error.value).count("\n") == 0
            assert len(str(error.value)) < 300


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (
            lambda path: path.write_bytes(b""),
            "not a strategy file; write one with `zermelo equilibrium GAME",
        ),
        (lambda path: path.write_bytes(b"ZERMELO STRATEGY 9 0\n"), "of version 9; this version of Zermelo reads 1"),
        (lambda path: path.write_bytes(path.read_bytes()[:-1]), r"damaged strategy file \(checksum\)"),
        (lambda path: changed(path, more=1), r"damaged strategy file \(content\)"),
        (lambda path: changed(path, game="Leduc"), "strategies of Leduc, not of Kuhn"),
        (lambda path: changed(path, fingerprint="0"), "strategies of other rules of Kuhn, which has changed since"),
        (lambda path: path.unlink(), "file not found|no such file|No such file"),
    ],
)
def test_errors_of_files(kuhn: Path, write: Callable[[Path], object], message: str) -> None:
    write(kuhn)
    with pytest.raises(FileError, match=message):
        read_strategy(kuhn, Kuhn)


def test_errors_of_resuming(kuhn: Path) -> None:
    with pytest.raises(FileError, match="exact strategies; there is nothing to resume"):
        resume(kuhn, Kuhn)
    changed(kuhn, algorithm="cfr+", max=[])
    with pytest.raises(FileError, match="strategies of other rules of Kuhn"):
        resume(kuhn, Kuhn)
    changed(kuhn, algorithm="cfr+", position="JJ")
    with pytest.raises(FileError, match=r"kuhn\.strategy: Kuhn position: 'JJ' is not a deal"):
        resume(kuhn, Kuhn)


# ---- content with a right checksum ---------------------------------------------------------------------------------


@pytest.fixture
def resumable(tmp_path: Path) -> Path:
    """A strategy file of Kuhn poker that can be resumed."""
    path = tmp_path / "kuhn.strategy"
    found = approximated(Kuhn(), 5)
    write_strategy(path, strategy_file.strategy_file(Kuhn(), found.equilibrium(), found))
    return path


def content_of(path: Path) -> Any:
    return json.loads(zlib.decompress(path.read_bytes().partition(b"\n")[2]))


def sealed(path: Path, text: bytes) -> None:
    """Write a file of this JSON with a right checksum."""
    payload = zlib.compress(text, 9)
    path.write_bytes(b"ZERMELO STRATEGY 1 " + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        (0, 5, "information must be one line"),
        (0, "K\x1b[2J", "information must be one line"),
        (0, "Q", "a second one of 'Q'; expected each once"),
        (1, [], "expected at least one move"),
        (1, ["bet", "bet"], "expected at least one move, and each once"),
        (1, ["bet", 1], "the name of a move must be one line"),
        (2, None, r"expected \[information, moves, weights, regrets\]"),
        (2, [1.0], r"expected 2 weights, one for each move \(got 1\)"),
        (2, [float("nan")] * 2, "expected finite numbers, got NaN"),
        (2, [1e308] * 2, r"weights must be numbers from 0 to 1e\+100"),
        (2, [-5, 3], r"weights must be numbers from 0 to 1e\+100"),
        (2, [True, 3], "weights must be numbers"),
        (2, [10**400, 3], "weights must be numbers"),
        (3, [-1.0, 0.0], r"regrets must be numbers from 0 to 1e\+100"),
    ],
)
def test_hostile_rows_are_refused(resumable: Path, column: int, value: Any, message: str) -> None:
    content = content_of(resumable)
    place = next(number for number, row in enumerate(content["max"]) if row[0] == "K")
    content["max"][place][column] = value
    if value == "Q":  # the second of two rows is refused
        content["max"].sort(key=lambda row: len(row[0]))
    sealed(resumable, json.dumps(content).encode())
    for read in (read_strategy, resume):
        with pytest.raises(FileError, match=r"kuhn\.strategy: damaged strategy file \(content\): .*" + message):
            read(resumable, Kuhn)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"iterations": -1}, "iterations must be an integer from 0 to 1000000000"),
        ({"iterations": 1.5}, "iterations must be an integer"),
        ({"seed": 1 << 62}, "seed must be an integer from 0 to"),
        ({"algorithm": []}, r"algorithm must be one of exact, cfr\+, mccfr"),
        ({"value": None}, "value must be a finite number"),
        ({"position": 3}, "position must be one line"),
        ({"min": {}}, "min must be a list"),
    ],
)
def test_hostile_values_are_refused(resumable: Path, changes: dict[str, Any], message: str) -> None:
    sealed(resumable, json.dumps(content_of(resumable) | changes).encode())
    with pytest.raises(FileError, match=message):
        read_strategy(resumable, Kuhn)


@pytest.mark.parametrize("text", [b"", b"[" * 200_000, b'{"max":' * 5000, b"[]", b"null", b"\xff", b"9" * 5000])
def test_other_json_is_refused(resumable: Path, text: bytes) -> None:
    sealed(resumable, text)
    with pytest.raises(FileError, match=r"damaged strategy file \(content\): expected"):
        read_strategy(resumable, Kuhn)


def test_a_small_file_does_not_fill_the_memory(resumable: Path) -> None:
    sealed(resumable, b"[" + b"[]," * 300_000 + b"[]]")
    with pytest.raises(FileError, match="expected lists of names and numbers, got mostly empty lists"):
        read_strategy(resumable, Kuhn)
    sealed(resumable, json.dumps(content_of(resumable)).encode() + b" " * 60_000_000)
    size = resumable.stat().st_size
    tracemalloc.start()
    with pytest.raises(FileError, match=r"expected at most [\d,]+ bytes of JSON in [\d,]+ bytes"):
        read_strategy(resumable, Kuhn)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200 * size


def test_what_compresses_too_well_is_stored(kuhn: Path) -> None:
    """Each file that is written can be read."""
    file = replace(read_strategy(kuhn, Kuhn), max=[[f"{n:06}", [*"abcdefgh"], [0.0] * 8] for n in range(40_000)])
    for row in file.max:
        row[0] += "x" * 300
    write_strategy(kuhn, file)
    assert read_strategy(kuhn, Kuhn) == file


def mutated(value: Any, random: Random) -> Any:
    """A JSON value with one part replaced, repeated, moved or removed."""
    if isinstance(value, dict | list) and value and random.random() < 0.85:
        places = [*value] if isinstance(value, dict) else [*range(len(value))]
        place = places[int(random.random() * len(places))]
        drawn = random.random()
        if drawn < 0.1:
            del value[place]
        elif drawn < 0.2 and isinstance(value, list):
            value.append(value[place])
        else:
            value[place] = mutated(value[place], random)
        return value
    others = [
        None, True, 0, -1, 0.5, 1e308, float("nan"), float("-inf"), 1 << 70, "", "K", "bet", "\x00", "\ud800", [], {},
        [[]], [1, 2], ["bet", "pass"], "exact", "mccfr",
    ]  # fmt: skip
    return others[int(random.random() * len(others))]


def test_mutated_content_gives_only_the_documented_error(resumable: Path) -> None:
    original = resumable.read_bytes()
    random = Random(7)
    read = 0
    for _ in range(300):
        resumable.write_bytes(original)
        sealed(resumable, json.dumps(mutated(content_of(resumable), random)).encode())
        for use in (lambda: PolicyPlayer(Kuhn, str(resumable)), lambda: resume(resumable, Kuhn)[1].equilibrium()):
            try:
                use()
                read += 1
            except FileError as error:
                message = str(error)
                assert message.isprintable()
                assert len(message) < 500
    assert read < 300


def test_player_with_moves_of_another_game(resumable: Path) -> None:
    content = content_of(resumable)
    for row in content["max"]:
        row[1] = ["raise", "pass"]
    sealed(resumable, json.dumps(content).encode())
    player = PolicyPlayer(Kuhn, str(resumable))
    player.new_game(GameSetup(Kuhn(), MAX, 1))
    with pytest.raises(LimitError, match=r"has probabilities of other moves for 'Q' of first: expected check bet"):
        player.choose(Turn(Kuhn.parse("QJ"), (), (), Clock.of(TimeControl())))


# ---- players -----------------------------------------------------------------------------------------------------


def mean_result(cls: type[State], players: dict[int, Any], games: int, seed: int) -> float:
    """The mean utility of MAX."""
    random = Random(seed)
    total = 0
    clock = Clock.of(TimeControl())
    for number in range(games):
        state = cls.start()
        for side, player in players.items():
            player.new_game(GameSetup(state, side, 2 * (seed * games + number) + (side > 0)))
        while not state.is_over():
            mover = state.to_move()
            if mover == CHANCE:
                moves, weights = zip(*state.outcomes(), strict=True)
                state = state.play(random.choices(moves, weights)[0])
            else:
                state = state.play(players[mover].choose(Turn(state, (), (), clock)).move)
        total += state.utility()
    return total / games


@pytest.mark.long
def test_mean_results_agree_with_the_value(kuhn: Path) -> None:
    """With 8,000 games the standard error is 0.015; random moves lose."""
    from zermelo.arena.players.specs import RandomPlayer

    policy, other = PolicyPlayer(Kuhn, str(kuhn)), PolicyPlayer(Kuhn, str(kuhn))
    assert mean_result(Kuhn, {MAX: policy, MIN: other}, 8000, 1) == pytest.approx(-1 / 18, abs=0.045)
    assert mean_result(Kuhn, {MAX: policy, MIN: RandomPlayer()}, 4000, 2) > 0
    assert mean_result(Kuhn, {MAX: RandomPlayer(), MIN: policy}, 4000, 3) < -0.1


@pytest.mark.long
def test_leduc_policies_agree_with_the_value(tmp_path: Path) -> None:
    """With 8,000 games the standard error is about 0.04."""
    found = approximated(Leduc(), 500)
    path = tmp_path / "leduc.strategy"
    write_strategy(path, strategy_file.strategy_file(Leduc(), found.equilibrium(), found))
    first, second = PolicyPlayer(Leduc, str(path)), PolicyPlayer(Leduc, str(path))
    assert mean_result(Leduc, {MAX: first, MIN: second}, 8000, 1) == pytest.approx(-0.0856, abs=0.12)


def test_same_seed_same_moves(kuhn: Path) -> None:
    player = PolicyPlayer(Kuhn, str(kuhn))
    turn = Turn(Kuhn.parse("QJ check bet"), (), (), Clock.of(TimeControl()))
    played = []
    for seed in [*range(40), *range(40)]:
        player.new_game(GameSetup(Kuhn(), MAX, seed))
        played.append(player.choose(turn).move)
    assert played[:40] == played[40:]
    assert set(played) == {0, 1}


def test_player_without_the_information_set(tmp_path: Path) -> None:
    root = Kuhn.parse("QK check")
    path = tmp_path / "part.strategy"
    write_strategy(path, strategy_file.strategy_file(root, solve(root)))
    player = PolicyPlayer(Kuhn, str(path))
    player.new_game(GameSetup(Kuhn(), MAX, 1))
    with pytest.raises(LimitError, match=r"part\.strategy has no probabilities for 'Q' of first: it was solved from"):
        player.choose(Turn(Kuhn.parse("QJ"), (), (), Clock.of(TimeControl())))
