"""Labelled positions: self-play and position files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from zermelo import FileError, FormatError, GameError, LimitError, PositionError, ZermeloError, learn, load
from zermelo.core.array_file import Provenance
from zermelo.core.weight_file import file_digest, save_weights
from zermelo.learn.features import stages_of
from zermelo.learn.position_file import POSITIONS, from_bytes, joined, to_bytes
from zermelo.learn.self_play import SelfPlay, _player, play_games
from zermelo.search.position_search import PositionSearch
from zermelo.search.solving import Solver

TICTACTOE, OTHELLO = load("tictactoe"), load("othello")


def small(tmp_path: Path, **options: Any) -> learn.Positions:
    """Positions of a few games of tic-tac-toe."""
    path = tmp_path / "small.positions"
    learn.generate_positions("tictactoe", path, overwrite=True, **{"games": 12, "random_plies": (0, 4), **options})
    return learn.load_positions(path, TICTACTOE)


@pytest.mark.long
def test_positions_are_labelled_and_read_again(tmp_path: Path) -> None:
    found = small(tmp_path, depths=(1, 9), seed=5, mix=0.2)
    assert len(found) > 30
    assert found.evaluation == "lines"
    options = "--games 12 --depth 1,9 --random-plies 0-4 --mix 0.2 --seed 5"
    assert found.made.command == f"zermelo learn tictactoe positions {options}"
    assert set(found.game.tolist()) == set(range(12))
    with Solver() as solver:
        for index in range(len(found)):
            state = found.state(index, TICTACTOE)
            assert not state.is_over()
            assert state.play(int(found.best[index])) is not None
            if found.exact[index]:
                assert found.score[index] == solver.value(state)
    assert set(found.depth.tolist()) == {1, 9}
    whole = found.depth == 9
    assert found.exact[whole].all()
    later = joined([found, found])
    assert later.game[len(found) :].min() == 12
    assert joined([found]).digest() == found.digest() != later.digest()
    assert len(found.chosen(found.game < 3)) == int((found.game < 3).sum())


def test_endings_are_solved_backwards(tmp_path: Path) -> None:
    found = small(tmp_path, depths=(1,), solve_plies=4)
    with Solver() as solver:
        for number in range(12):
            rows = np.flatnonzero(found.game == number)
            for row in rows:
                value = solver.value(found.state(int(row), TICTACTOE))
                if found.depth[row] == 0:
                    assert found.exact[row]
                    assert found.result[row] == found.score[row] == value
            first = rows[found.depth[rows] == 0][0]
            assert (found.result[rows[found.depth[rows] > 0]] == found.result[first]).all()
    unsolved = small(tmp_path, depths=(1,), solve_plies=4, solve_nodes=1)
    assert (unsolved.depth > 0).mean() > (found.depth > 0).mean()


def test_a_file_is_refused_as_a_whole(tmp_path: Path) -> None:
    content = to_bytes(TICTACTOE, small(tmp_path))
    assert from_bytes(content, TICTACTOE, "x").digest() == small(tmp_path).digest()
    for at in range(12, len(content), 97):
        damaged = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
        with pytest.raises(FormatError, match=r"^x: the position file is damaged \(wrong checksum\)$"):
            from_bytes(damaged, TICTACTOE, "x")
    with pytest.raises(FormatError, match="x is not a position file: it does not start with ZERMELOP"):
        from_bytes(b"ZERMELOW" + content[8:], TICTACTOE, "x")
    with pytest.raises(FormatError, match=r"x: these positions are of the game 'TicTacToe', not Othello"):
        from_bytes(content, OTHELLO, "x")
    assert POSITIONS.magic == content[:8]


@pytest.mark.long
def test_a_game_that_has_changed_is_refused(tmp_path: Path) -> None:
    source = (
        "from zermelo import game\n\n\n@game\nclass Pile:\n    left: int = 7\n    turn: int = 1\n\n"
        "    def to_move(self): return self.turn\n    def moves(self): yield 1\n"
        "    def play(self, move): return Pile(self.left - 1, -self.turn)\n"
        "    def is_over(self): return self.left == 0\n    def utility(self): return -self.turn\n"
    )
    (tmp_path / "pile.py").write_text(source)
    (tmp_path / "newer.py").write_text(source.replace("turn: int = 1", "turn: int = 1\n    shown: bool = False"))
    before, after = load(f"{tmp_path}/pile.py:Pile"), load(f"{tmp_path}/newer.py:Pile")
    path = tmp_path / "pile.positions"
    learn.generate_positions(f"{tmp_path}/pile.py:Pile", path, games=2, random_plies=(0, 0), evaluation="nothing")
    assert str(learn.load_positions(path, before).state(0, before)) == str(before.start())
    with pytest.raises(FormatError, match="Pile has been changed since these positions were made; make them again"):
        learn.load_positions(path, after)


def test_an_interpreted_game_is_refused(tmp_path: Path) -> None:
    (tmp_path / "words.py").write_text(
        "from zermelo import game\n\n\n@game\nclass Words:\n    text: str = ''\n\n"
        "    def to_move(self): return 1\n    def moves(self): return ['a']\n"
        "    def play(self, move): return Words(self.text + move)\n"
        "    def is_over(self): return len(self.text) > 3\n    def utility(self): return 1\n"
    )
    with pytest.raises(GameError, match="Words cannot be learned, because it is not compiled: text is a str"):
        learn.generate_positions(f"{tmp_path}/words.py:Words", tmp_path / "words.positions", evaluation="nothing")


def test_batches_do_not_matter() -> None:
    plan = SelfPlay("tictactoe", 12, depths=(2, 3), random_plies=(1, 3))
    first, second = plan.tasks()
    options = {**json.loads(first), "first": 0, "last": 4}
    count, data = json.loads(play_games(json.dumps(options)))
    total, whole = json.loads(play_games(first))
    assert whole.startswith(data[: len(data) // 4 * 4 - 4])
    assert 0 < count < total
    assert list(plan.tasks(1)) == [second]


def test_searches_may_prune_at_a_confidence(tmp_path: Path) -> None:
    options: dict[str, Any] = {
        "games": 2, "evaluation": "patterns", "depths": (6,), "random_plies": (20, 30), "solve_plies": 8, "seed": 3,
        "confidence": 73,
    }  # fmt: skip
    path = tmp_path / "pruned.positions"
    learn.generate_positions("othello", path, **options)
    found = learn.load_positions(path, OTHELLO)
    assert "--confidence 73" in found.made.command
    search = PositionSearch(OTHELLO.start(), OTHELLO.evaluations["patterns"])
    depths, differences = [], 0
    for index in range(len(found)):
        state, exact = found.state(index, OTHELLO), bool(found.exact[index])
        depths.append(int(found.depth[index]))
        assert exact or depths[-1] > 0
        if exact:  # no confidence leaks into exact labels
            solved = search.solve(state, 0, 10_000_000)
            assert solved is not None
            assert solved.score == found.score[index]
        else:
            differences += int(search.search(state, 6).score != found.score[index])
    assert 0 in depths
    assert differences > 0
    options["games"] = 1  # a game does not depend on the searches of the game before
    learn.generate_positions("othello", tmp_path / "first.positions", **options)
    first = learn.load_positions(tmp_path / "first.positions", OTHELLO)
    assert first.digest() == found.chosen(found.game == 0).digest()


def test_a_confidence_needs_the_errors_of_searches(tmp_path: Path) -> None:
    path = tmp_path / "x.positions"
    with pytest.raises(LimitError, match="evaluation mobility does not define search_error"):
        learn.generate_positions("othello", path, games=1, evaluation="mobility", confidence=95)
    with pytest.raises(LimitError, match="no evaluation of TicTacToe does"):
        learn.generate_positions("tictactoe", path, games=1, confidence=95)
    with pytest.raises(LimitError, match="confidence must be one of 73, 87, 95, 98, 99 or 100 percent"):
        SelfPlay("othello", 1, confidence=90)


def test_no_game_is_resigned_where_results_are_graded(tmp_path: Path) -> None:
    with pytest.raises(
        LimitError, match=r"resign must be 0 in othello \(got 5\): a resigned game has no graded result"
    ):
        learn.generate_positions("othello", tmp_path / "x.positions", resign=5)


def test_weights_are_known_by_their_content(tmp_path: Path) -> None:
    """Games of other weights under the same name are not mixed."""
    file = tmp_path / "lines.weights"
    lines = TICTACTOE.evaluations["lines"]
    save_weights(file, TICTACTOE, lines.replace(weights=lines.weights + 1), Provenance("a test"))
    plan = SelfPlay("tictactoe", 8, weights=str(file), depths=(2,))
    (task,) = plan.tasks()
    play_games(task)
    save_weights(file, TICTACTOE, lines.replace(weights=lines.weights + 2), Provenance("a test"))
    assert list(plan.tasks()) != [task]
    with pytest.raises(ZermeloError, match="changed during self-play"):
        _player.__wrapped__(plan, json.loads(task)["digest"])


def test_games_start_from_positions_of_a_file(tmp_path: Path) -> None:
    before = tmp_path / "before.positions"
    learn.generate_positions("othello", before, games=2, depths=(1,), seed=3)
    cls, known = OTHELLO, learn.load_positions(before, OTHELLO)
    options = {"games": 6, "depths": (1,), "random_plies": (0, 0), "start": str(before)}
    learn.generate_positions("othello", tmp_path / "a.positions", **options)
    found = learn.load_positions(tmp_path / "a.positions", cls)
    texts = {str(known.state(index, cls)) for index in range(len(known))}
    assert {str(found.state(index, cls)) for index in np.flatnonzero(found.ply == 0)} <= texts
    assert "--start before.positions" in found.made.command
    # So do those from text with a position in each line.
    text = tmp_path / "before.txt"
    text.write_text("\n".join(sorted(texts)) + "\n\n")
    learn.generate_positions("othello", tmp_path / "d.positions", **{**options, "start": str(text)})
    from_text = learn.load_positions(tmp_path / "d.positions", cls)
    assert {str(from_text.state(index, cls)) for index in np.flatnonzero(from_text.ply == 0)} <= texts
    text.write_text(f"# a comment\n{min(texts)}\nnonsense\n")
    with pytest.raises(PositionError, match=r"before.txt, line 3: "):
        learn.generate_positions("othello", tmp_path / "e.positions", **{**options, "start": str(text)})
    with pytest.raises(FormatError, match=r"a.csv: exported positions cannot be read back; expected a .positions file"):
        learn.generate_positions("othello", tmp_path / "e.positions", **{**options, "start": str(tmp_path / "a.csv")})
    # A stage of Othello's patterns is a number of discs.
    stages = stages_of(cls.evaluations["patterns"], cls, known.states)
    learn.generate_positions("othello", tmp_path / "b.positions", **options, start_stages=(int(stages[-1]),))
    late = learn.load_positions(tmp_path / "b.positions", cls)
    first = late.chosen(late.ply == 0)
    assert set(stages_of(cls.evaluations["patterns"], cls, first.states)) == {stages[-1]}
    with pytest.raises(LimitError, match="start_stages must be from 0 to"):
        learn.generate_positions("othello", tmp_path / "c.positions", **options, start_stages=(999,))
    early = int(stages[0]) - 1
    with pytest.raises(ZermeloError, match=f"has no position of stage {early} to start from"):
        learn.generate_positions("othello", tmp_path / "c.positions", **options, start_stages=(early,))
    with pytest.raises(LimitError, match="a gtp: teacher exclude each other"):
        learn.generate_positions("othello", tmp_path / "c.positions", **options, teacher="gtp:gtp-rhino")


def test_tasks_have_the_first_states_and_files_their_digest(tmp_path: Path) -> None:
    before, path = tmp_path / "before.positions", tmp_path / "a.positions"
    learn.generate_positions("tictactoe", before, games=3, random_plies=(1, 1), seed=3)
    plan = SelfPlay("tictactoe", 20, random_plies=(0, 0), start=str(before), seed=4)
    tasks = list(plan.tasks())
    assert tasks[1:] == list(plan.tasks(1))
    assert [len(json.loads(task)["starts"]) for task in tasks] == [8, 8, 4]

    def interrupted(tasks: Any) -> Any:
        yield play_games(next(iter(tasks)))
        raise KeyboardInterrupt

    options = {"games": 20, "random_plies": (0, 0), "start": str(before), "seed": 4}
    with pytest.raises(KeyboardInterrupt):
        learn.generate_positions("tictactoe", path, **options, run=interrupted)
    assert learn.generate_positions("tictactoe", path, **options).resumed_games == 8
    learn.generate_positions("tictactoe", tmp_path / "b.positions", **options)
    one, other = (learn.load_positions(tmp_path / name, TICTACTOE) for name in ("a.positions", "b.positions"))
    assert one.digest() == other.digest()
    assert one.made.data == file_digest(before)
    with pytest.raises(KeyboardInterrupt):
        learn.generate_positions("tictactoe", path, **options, run=interrupted, overwrite=True)
    learn.generate_positions("tictactoe", before, games=4, random_plies=(1, 1), seed=3, overwrite=True)
    with pytest.raises(ZermeloError, match="started with other options"):
        learn.generate_positions("tictactoe", path, **options)


def test_stages_need_a_file_and_an_evaluation_that_has_them(tmp_path: Path) -> None:
    with pytest.raises(LimitError, match="start_stages needs start"):
        SelfPlay("othello", 1, start_stages=(1,))
    path = tmp_path / "small.positions"
    learn.generate_positions("tictactoe", path, games=2, random_plies=(2, 2))
    options = {"games": 2, "start": str(path)}
    with pytest.raises(LimitError, match=r"start_stages must be at least 0 \(got -1\)"):
        SelfPlay("othello", 1, start="a.positions", start_stages=(-1,))
    with pytest.raises(ZermeloError, match="no evaluation of TicTacToe has stages"):
        learn.generate_positions("tictactoe", tmp_path / "a.positions", **options, start_stages=(1,))


def test_finished_files_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "positions.csv"
    seen: list[tuple[int, int]] = []
    summary = learn.generate_positions(
        "tictactoe", path, games=9, random_plies=(2, 2), on_progress=lambda done, total: seen.append((done, total))
    )
    assert (summary.games, summary.resumed_games) == (9, 0)
    assert summary.positions == len(path.read_text().splitlines()) - 1 > 0
    assert seen == [(0, 9), (8, 9), (9, 9)]
    with pytest.raises(FileError, match="file exists"):
        learn.generate_positions("tictactoe", path, games=2)


def test_wins_of_unknown_size_are_solved_or_left_out(tmp_path: Path) -> None:
    """Found by a newcomer: at plies 54 and 55 of game 1 the label was 999,999, which ruined the fit."""
    path = tmp_path / "othello.positions"
    learn.generate_positions("othello", path, games=2, seed=1, evaluation="mobility")
    found = learn.load_positions(path, OTHELLO)
    assert np.abs(found.score).max() < 10_000
    labels = {(game, ply): row for row, (game, ply) in enumerate(zip(found.game, found.ply, strict=True))}
    with Solver() as solver:
        for ply in (54, 55):
            row = labels[1, ply]
            assert (found.exact[row], found.depth[row]) == (1, 0)
            assert found.score[row] == found.result[row] == solver.value(found.state(row, OTHELLO))
    learn.generate_positions("othello", path, overwrite=True, games=2, seed=1, evaluation="mobility", solve_nodes=1)
    fewer = learn.load_positions(path, OTHELLO)
    assert set(labels) - set(zip(fewer.game, fewer.ply, strict=True)) == {(1, 54), (1, 55)}
