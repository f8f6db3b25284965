"""`zermelo cube`: advises on the doubling cube of backgammon, and prints match equities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo._util.terminal import print_json
from zermelo.cli import arguments, screen
from zermelo.cli.arguments import GameEvaluation, Position
from zermelo.cli.rollout import GAMES, Depth, Games, Seed, exit_if_interrupted, play_out
from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.errors import LimitError

if TYPE_CHECKING:
    from zermelo.games.backgammon.cube import CubeDecision, Outcomes, Stakes
    from zermelo.games.backgammon.ids import MatchState


def cube(
    position: Position = "",
    length: Annotated[int | None, typer.Option(metavar="N", help="Length of the match; 0 for money.")] = None,
    score: Annotated[str | None, typer.Option(metavar="X-O", help="Score of the match: 3-5.")] = None,
    crawford: Annotated[bool | None, typer.Option("--crawford", help="This is the Crawford game: no doubles.")] = None,
    value: Annotated[int | None, typer.Option("--cube", metavar="N", help="Value of the cube.")] = None,
    owner: Annotated[str | None, typer.Option(metavar="WHO", help="Owner of the cube: x, o or centred.")] = None,
    jacoby: Annotated[
        bool | None, typer.Option("--jacoby", help="For money: gammons count only after a double.")
    ] = None,
    games: Games = GAMES,
    depth: Depth = 1,
    evaluation: GameEvaluation = None,
    seed: Seed = 0,
    table: Annotated[
        int | None, typer.Option(metavar="N", help="Print the match equities of up to N points, and nothing else.")
    ] = None,
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Advise on the doubling cube in backgammon: whether to double, and whether to take.

    The position is rolled out without the cube; the equity after each cube action is computed from the results. The
    match and the cube are those of the match ID, if POSITION has one, else a money game; options override them.
    """
    from zermelo.games.backgammon.match_equity import LONGEST

    if table is not None:
        if not 1 <= table <= LONGEST:
            raise LimitError(f"--table must be from 1 to {LONGEST} (got {table})")
        _print_table(table, as_json)
        return
    cls = arguments.load("backgammon")
    state: Any = arguments.position(cls, position)
    if state.is_over() or state.to_move() != CHANCE or state.turn == 0:
        raise LimitError("the cube is turned before a roll: POSITION needs a player on roll, and no dice")
    match = _match(position, length, score, crawford, value, owner, jacoby)
    side = state.turn
    stakes = _stakes(match, side)
    from zermelo.games.backgammon.cube import Outcomes, decision

    chosen = arguments.evaluation_of(cls, evaluation)[0] or next(iter(state.evaluations))
    found = play_out(state, games, chosen, depth, seed, quiet)
    outcomes = Outcomes.of_counts({side * points: count for points, count in found.counts.items()})
    actions = decision(outcomes, stakes, match.cube, side * match.owner)
    if as_json:
        _print_json(state, match, outcomes, found.games, actions)
    else:
        out = screen.console()
        out.block(state.board())
        out.print()
        mean = f"{side * found.mean:+.3f} ± {found.error:.3f} points"
        screen.facts(out, [*_facts(state, match, outcomes, side), ("no cube", mean)])
        out.print()
        _print_decision(out, actions, bool(match.length), stakes)
    exit_if_interrupted(found, games)


def _match(
    position: str,
    length: int | None,
    score: str | None,
    crawford: bool | None,
    value: int | None,
    owner: str | None,
    jacoby: bool | None,
) -> MatchState:
    """The match and the cube, of the match ID and the options. Raises `LimitError`."""
    from dataclasses import replace

    from zermelo.games.backgammon.cube import HIGHEST_CUBE
    from zermelo.games.backgammon.ids import MatchState, parse_match
    from zermelo.games.backgammon.match_equity import LONGEST

    _, colon, rest = position.split(maxsplit=1)[0].partition(":") if position.strip() else ("", "", "")
    match = parse_match(rest) if colon else MatchState()
    changes: dict[str, Any] = {"length": length, "crawford": crawford, "cube": value, "jacoby": jacoby}
    if score is not None:
        x, _, o = score.partition("-")
        if not (x.isdecimal() and o.isdecimal() and len(score) < 9):
            raise LimitError(f"--score must be two numbers, X's and O's: 3-5 (got {score!r})")
        changes["score_x"], changes["score_o"] = int(x), int(o)
    if owner is not None:
        owners = {"x": MAX, "o": MIN, "centred": 0, "centered": 0}
        if owner.lower() not in owners:
            raise LimitError(f"--owner must be x, o or centred (got {owner!r})")
        changes["owner"] = owners[owner.lower()]
    match = replace(match, **{name: each for name, each in changes.items() if each is not None})
    if not 0 <= match.length <= LONGEST:
        raise LimitError(f"--length must be from 0 to {LONGEST} (got {match.length})")
    if match.length == 0 and (match.score_x or match.score_o or match.crawford) and (score or crawford):
        raise LimitError("--score and --crawford need a match: --length N")
    if match.length and max(match.score_x, match.score_o) >= match.length:
        raise LimitError(f"the score {match.score_x}-{match.score_o} ends a match to {match.length}")
    if match.crawford and match.length and match.length - 1 not in (match.score_x, match.score_o):
        raise LimitError("--crawford: in the Crawford game a player needs a single point")
    if not 1 <= match.cube <= HIGHEST_CUBE or match.cube & match.cube - 1:
        raise LimitError(f"--cube must be a power of 2 from 1 to {HIGHEST_CUBE:,} (got {match.cube:,})")
    return match


def _stakes(match: MatchState, side: int) -> Stakes:
    from zermelo.games.backgammon import match_equity
    from zermelo.games.backgammon.cube import JACOBY, MONEY

    if not match.length:
        return JACOBY if match.jacoby else MONEY
    away = {MAX: match.length - match.score_x, MIN: match.length - match.score_o}
    return match_equity.stakes(away[side], away[-side], match.crawford)


def _facts(state: Any, match: MatchState, outcomes: Outcomes, side: int) -> list[tuple[str, str]]:
    if match.length:
        game = f"match to {match.length}, X {match.score_x}, O {match.score_o}"
        game += ", Crawford game" if match.crawford else ""
    else:
        game = "money game, Jacoby rule" if match.jacoby else "money game"
    holder = {MAX: "owned by X", MIN: "owned by O"}.get(match.owner, "centred")
    rows = [("stakes", f"{game}; cube {match.cube}, {holder}"), ("on roll", state.player_name(side))]
    for name, share, shares in (("wins", outcomes.win, outcomes.won), ("loses", 1 - outcomes.win, outcomes.lost)):
        gammons, backgammons = share * (shares[1] + shares[2]), share * shares[2]
        rows.append((name, f"{share:6.1%}, of them {gammons:.1%} gammons or better, {backgammons:.1%} backgammons"))
    return [(name, text.replace("%", " %")) for name, text in rows]


def _print_decision(out: Any, actions: CubeDecision | None, is_match: bool, stakes: Stakes) -> None:
    if actions is None:
        reason = "this is the Crawford game" if stakes.crawford else "the other side owns the cube, or a win suffices"
        screen.facts(out, [("decision", f"no double is possible or useful: {reason}")], bold="decision")
        return
    values = {
        "no double": actions.no_double,
        "double, take": actions.double_take,
        "double, pass": actions.double_pass,
    }
    unit = "wins the match" if is_match else "points"
    rows: list[tuple[str, ...]] = [("action", unit, "")]
    best = actions.no_double if not actions.doubles else min(actions.double_take, actions.double_pass)
    for name, each in values.items():
        text = f"{100 * each:.2f} %" if is_match else f"{each:+.3f}"
        difference = each - best
        shown = f"{100 * difference:+.2f} %" if is_match else f"{difference:+.3f}"
        rows.append((name, text, "" if difference == 0 else shown))
    screen.table(out, rows)
    out.print()
    screen.facts(out, [("decision", actions.name)], bold="decision")


def _print_json(state: Any, match: MatchState, outcomes: Outcomes, games: int, actions: CubeDecision | None) -> None:
    report: dict[str, Any] = {
        "position": str(state),
        "match": {
            "length": match.length, "score": [match.score_x, match.score_o], "crawford": match.crawford,
            "cube": match.cube, "owner": {MAX: "x", MIN: "o"}.get(match.owner, "centred"), "jacoby": match.jacoby,
        },
        "games": games, "win": outcomes.win, "won": outcomes.won, "lost": outcomes.lost, "equity": outcomes.equity,
        "actions": None, "decision": None,
    }  # fmt: skip
    if actions is not None:
        report["actions"] = {
            "no_double": actions.no_double, "double_take": actions.double_take, "double_pass": actions.double_pass
        }  # fmt: skip
        report["decision"] = actions.name
    print_json(report)


def _print_table(points: int, as_json: bool) -> None:
    """Print the probability of winning a match, by the points that the player (rows) and the opponent need."""
    from zermelo.games.backgammon.match_equity import match_equity

    away = range(1, points + 1)
    before = [[match_equity(one, other) for other in away] for one in away]
    after = [match_equity(one, 1, crawford=False) for one in away]
    if as_json:
        print_json({"before_crawford": before, "after_crawford": after})
        return
    rows = [("away", *(f"{other:>5}" for other in away))]
    rows += [(str(one), *(f"{100 * each:5.1f}" for each in row)) for one, row in zip(away, before, strict=True)]
    out = screen.console()
    screen.heading(out, "match equities", "percent, by the points that the player (rows) and the opponent need")
    screen.table(out, rows)
    out.print()
    screen.heading(out, "after the Crawford game", "percent for the player who trails, by the points needed")
    screen.table(out, [("away", *(f"{other:>5}" for other in away)), ("", *(f"{100 * each:5.1f}" for each in after))])
