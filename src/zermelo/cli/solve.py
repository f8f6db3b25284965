"""`zermelo solve`: solves positions to the end of the game."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NoReturn

import typer

from zermelo import formatting
from zermelo._util.terminal import print_json, print_line
from zermelo._util.text import quoted
from zermelo._util.user_files import read_text
from zermelo.cli import INTERRUPTED, arguments, screen, solve_proof, tables
from zermelo.cli.arguments import Game, Moves
from zermelo.cli.solved_file import SolvedFile
from zermelo.core.game import MIN, State
from zermelo.errors import FormatError, LimitError, PositionError
from zermelo.search.solved_scores import move_scores, solved_score

if TYPE_CHECKING:
    from zermelo.formats.obf import Expected
    from zermelo.search.analysis import Score
    from zermelo.search.solving import Solver
    from zermelo.solve.books.book import Book

#: A game with more moves than this is rarely solved by alpha-beta to the end.
MANY_MOVES = 20
#: Maximum size of a file of positions, in bytes.
MAX_FILE_BYTES = 10_000_000
Source = Annotated[str, typer.Argument(metavar="[POSITION]", hidden=True)]


def solve(
    game: Game,
    source: Source = "",
    moves: Moves = "",
    each: Annotated[bool, typer.Option("--each", help="Also solve the position after each legal move.")] = False,
    dealer: Annotated[str, typer.Option(metavar="SEAT", help="Bridge: the dealer, N, E, S or W.")] = "N",
    vulnerable: Annotated[
        str,
        typer.Option(metavar="SIDES", help="Bridge: the vulnerable sides: none, ns, ew or both."),
    ] = "none",
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="search (alpha-beta to the end) or proof (proof-number search for a forced win). Default: proof for "
            f"one position of win, draw and loss, if the game has draws by repetition or more than {MANY_MOVES} moves.",
        ),
    ] = None,
    nodes: Annotated[int | None, typer.Option(metavar="N", help="proof: node limit.")] = None,
    seconds: Annotated[float | None, typer.Option(metavar="S", help="proof: time limit in seconds.")] = None,
    proof: Annotated[str, typer.Option(metavar="FILE", help="proof: write the proof of a win to FILE.")] = "",
    check: Annotated[
        bool, typer.Option("--check", help="POSITION is a proof file: check it by the rules alone.")
    ] = False,
    wld: Annotated[
        bool, typer.Option("--wld", help="Solve for win, draw or loss only, which visits fewer positions.")
    ] = False,
    evaluation: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Evaluation that orders moves, or a weight file for one. Default: the game orders them.",
        ),
    ] = None,
    table: arguments.Table = "256M",
    book: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="Look each position up in this opening book first; none: no book. Default: the book of the package, "
            "if the game has one.",
        ),
    ] = "",
    resume: Annotated[
        str, typer.Option(metavar="FILE", help="Save each result in FILE, and continue from it if it exists.")
    ] = "",
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Solve positions to the end of the game.

    Prints the result of best play by both sides; for a file, one line per position as soon as it is solved. Scores of
    an OBF file of Othello are compared; the exit code is 1 if one differs. For a bridge deal without strain and leader,
    prints the table of all declarers and strains, and par; with them, the tricks of each card.
    """
    from zermelo.search.solving import Solver

    cls = arguments.load(game)
    if algorithm not in (None, "search", "proof"):
        raise LimitError(f"--algorithm must be search or proof (got {quoted(algorithm)})")
    if check:
        if not source:
            raise PositionError("--check needs a proof file: zermelo solve GAME FILE --check")
        return solve_proof.check(game, cls, source, quiet, as_json)
    with arguments.blaming(cls):
        # What exists but is not a regular file is refused when it is read.
        is_file = bool(source) and (
            (os.path.exists(source) and not os.path.isdir(source)) or _is_file_name(cls, source)
        )
        players = formatting.players(cls.start())
    if resume and not is_file:
        raise PositionError(f"--resume needs a file of positions (got {quoted(source)})")
    if wld and game == "bridge":
        raise LimitError("--wld needs a game with a winner; bridge counts tricks")
    if (wld or evaluation is not None) and algorithm == "proof":
        raise LimitError("--wld and --evaluation are for --algorithm search; a proof is of a win or loss anyway")
    chosen, _ = arguments.evaluation_of(cls, evaluation)
    problems = _problems(cls, source, moves) if is_file else [Problem(1, source)]
    if not is_file and algorithm != "search":
        needs_proof = algorithm == "proof" or bool(nodes is not None or seconds is not None or proof)
        is_search = each or evaluation is not None
        if needs_proof or (not is_search and not _is_answered(cls, source, moves, quiet)):
            return solve_proof.find(game, cls, source, moves, nodes, seconds, table, proof, quiet, as_json)
    elif nodes is not None or seconds is not None or proof or algorithm == "proof":
        raise LimitError(
            "--algorithm proof, --nodes, --seconds and --proof are for proof-number search of one position"
        )
    opening_book = arguments.opening_book(cls, book)
    options = {"game": game, "moves": moves, "each": each, "dealer": dealer, "vulnerable": vulnerable}
    if wld:
        options["wld"] = True
    found: list[dict[str, Any]] = []
    interrupted = False
    with ExitStack() as stack:
        known = stack.enter_context(SolvedFile(resume, cls, options)) if resume else None
        solver = stack.enter_context(Solver(table, evaluation=chosen))
        progress = stack.enter_context(screen.Progress("solving", quiet))
        try:
            for done, problem in enumerate(problems):
                progress.begin(f"solving line {problem.line:,}" if is_file else "solving", done, len(problems))
                result = known.get(problem.text) if known else None
                if result is None:
                    try:
                        result = _in_book(cls, opening_book, problem.text, moves, each, wld) or _solved(
                            cls, game, problem.text, moves, each, wld, dealer, vulnerable, solver
                        )
                    except PositionError as error:
                        raise PositionError(f"{source}:{problem.line}: {error}" if is_file else str(error)) from None
                    if known:
                        known.add(problem.text, result)
                found.append(result | _scores(cls, result) | _compared(cls, result, problem.expected))
                if not as_json:
                    for line in _lines(found[-1], players, is_file):
                        print_line(line)
                    sys.stdout.flush()
        except KeyboardInterrupt:
            if not is_file:
                raise
            interrupted = True
    if as_json:
        print_json(
            {"game": game, "results": found, "interrupted": interrupted} if is_file else {"game": game, **found[0]}
        )
    compared = [each for each in found if "agrees" in each]
    different = sum(not each["agrees"] for each in compared)
    if compared and not as_json:
        nodes, seconds = (sum(each[key] for each in found) for key in ("nodes", "seconds"))
        count = formatting.plural(len(compared), "position")
        print_line(f"{count} compared, {different:,} different; {nodes:,} nodes, {seconds:.2f} s")
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if different:
        raise typer.Exit(1)


def _plies(state: State) -> int | None:
    """The plies to the end of a won or lost game, if an endgame table proves them."""
    from zermelo.search.endgame_tables import proven_alone

    known = None if state.is_over() else proven_alone(state)
    return None if known is None or known[0] == 0 else known[1]


def _is_answered(cls: type[State], source: str, moves: str, quiet: bool) -> bool:
    """Whether a position is in an endgame table, or solved by alpha-beta rather than by proof-number search."""
    from zermelo.search.endgame_tables import proven_alone

    if cls.max_utility > 1 or cls.has_chance or not cls.is_compiled or not cls.perfect_information:
        return True
    if cls.has_bounds or cls.has_ranked_bounds or cls.has_endgame_solver or cls.has_forbidden_repetition:
        return True
    state = arguments.position(cls, source, moves)
    tables.ensure(state, quiet)
    if state.is_over() or proven_alone(state) is not None:
        return True
    return cls.draw_at_repetition == 0 and len(state.legal_moves()) <= MANY_MOVES


class Problem(NamedTuple):
    """A position of a file."""

    line: int
    text: str
    expected: Expected | None = None


def _is_file_name(cls: type[State], source: str) -> bool:
    """Whether a text is not a position, but the name of a file, which has a suffix such as .epd."""
    if not re.search(r"^\S*\w\.[a-z][A-Za-z0-9]+$", source):
        return False
    try:
        cls.parse(source)
    except PositionError:
        return True
    return False


def _problems(cls: type[State], path: str, moves: str) -> list[Problem]:
    """The positions of a file with line numbers, each of them valid.

    In an OBF file, with their scores; otherwise one a line, where empty lines and lines that begin with # are skipped.
    """
    from zermelo.formats.registry import format_for_file

    form = format_for_file(cls, path)
    if form is not None and form.name == "obf":
        return _obf_problems(path, moves)
    lines = [line.strip() for line in read_text(path, MAX_FILE_BYTES).splitlines()]
    problems = [Problem(number, line) for number, line in enumerate(lines, 1) if line and not line.startswith("#")]
    for problem in problems:
        try:
            arguments.position(cls, problem.text, moves)
        except PositionError as error:
            raise PositionError(f"{path}:{problem.line}: {error}") from None
    if not problems:
        raise PositionError(f"{path}: no positions")
    return problems


def _obf_problems(path: str, moves: str) -> list[Problem]:
    """The positions of an OBF file."""
    from zermelo.formats import obf
    from zermelo.formats.line_reader import TextLine

    if moves:
        raise PositionError(f"--moves cannot be combined with {path}, whose scores are those of its positions")

    def refuse(error: FormatError) -> NoReturn:
        raise FormatError(f"{path}: {error}")

    problems = []
    for number, line in enumerate(read_text(path, MAX_FILE_BYTES).splitlines(), 1):
        for record in obf.read([TextLine(number, line)], refuse):
            problems.append(Problem(number, str(record.start), obf.expected(record)))
    if not problems:
        raise PositionError(f"{path}: no positions")
    return problems


def _compared(cls: type[State], result: dict[str, Any], expected: Expected | None) -> dict[str, Any]:
    """The score for the side to move beside the score that a file gives; moves are compared if they were solved."""
    if expected is None:
        return {}
    side = -1 if cls.parse(result["position"]).to_move() == MIN else 1
    score = side * result["value"]
    moves = {name: side * value for name, value in result.get("moves", {}).items()}

    def differs(found: int, wanted: int) -> bool:
        return found != ((wanted > 0) - (wanted < 0) if "wld" in result else wanted)

    differing = [name for name, value in expected.moves.items() if name in moves and differs(moves[name], value)]
    return {
        "score": score,
        "expected": {"score": expected.score, "moves": dict(expected.moves)},
        "differing_moves": {name: moves[name] for name in differing},
        "agrees": not differs(score, expected.score) and not differing,
    }


def _in_book(
    cls: type[State], book: Book | None, text: str, moves: str, each: bool, wld: bool
) -> dict[str, Any] | None:
    """The result of a position that an opening book proves, as that of `_solved`."""
    from zermelo.search.limits import Limits
    from zermelo.search.request import SearchRequest

    if book is None:
        return None
    *history, state = arguments.game_so_far(cls, text, moves)
    if state.is_over():
        return None
    lines = len(state.legal_moves()) if each else 1
    known = book.answer(SearchRequest(state, Limits(exact=True), lines=lines, history=history))
    if known is None:
        return None

    def value(score: Score) -> int:
        assert score.value is not None, "an exact answer is proven"
        result = int(score.value)
        return (result > 0) - (result < 0) if wld else result

    result: dict[str, Any] = {"position": str(state), "value": value(known.score)}
    if each:
        scores = {line.names[0]: value(line.score) for line in known.lines}
        result["moves"] = {name: scores[name] for name in map(state.move_name, state.legal_moves())}
        if cls.has_solved_score and not wld:
            plies = {line.names[0]: line.score.plies for line in known.lines}
            result["move_plies"] = {name: plies[name] for name in result["moves"]}
    if (not each or "move_plies" in result) and known.score.plies is not None:
        result["plies"] = known.score.plies
    if wld:
        result |= {"wld": True, "players": formatting.players(state)}
    return result | {"book": True, "nodes": 0, "seconds": 0.0}


def _solved(
    cls: type[State], game: str, text: str, moves: str, each: bool, wld: bool, dealer: str, vulnerable: str,
    solver: Solver,
) -> dict[str, Any]:  # fmt: skip
    """The result of one position as plain data; with `wld` the values are those of wins, 1, and losses, -1."""
    nodes, seconds = solver.nodes, solver.seconds
    state = arguments.position(cls, text, moves)
    result: dict[str, Any] = {"position": str(state)}
    has_distances = state.has_ranked_bounds and state.has_solved_score and not wld and not state.is_over()
    with arguments.blaming(cls):
        if game == "bridge":
            from zermelo.cli import solve_bridge

            is_deal = len(text.split()) == 4 and not moves
            result |= (
                solve_bridge.table_and_par(state, dealer, vulnerable, solver)
                if is_deal
                else solve_bridge.tricks(state, solver)
            )
        elif has_distances and each:
            result |= _by_distance(state, solver.move_distances(state))
        elif has_distances:
            result["value"], plies = solver.distance(state)
            if plies is not None:
                result["plies"] = plies
        elif each and not state.is_over():
            values = solver.move_outcomes(state) if wld else solver.move_values(state)
            side = -1 if state.to_move() == MIN else 1
            result["value"] = max(values.values(), key=lambda value: side * value)
            result["moves"] = {state.move_name(move): value for move, value in values.items()}
        else:
            result["value"] = solver.outcome(state) if wld else solver.value(state)
            if (plies := _plies(state)) is not None:
                result["plies"] = plies
    if wld:
        result |= {"wld": True, "players": formatting.players(state)}
    return result | {"nodes": solver.nodes - nodes, "seconds": solver.seconds - seconds}


def _by_distance(state: State, found: Mapping[int, tuple[int, int | None]]) -> dict[str, Any]:
    """The results and distances of all moves, and of the position, as plain data."""
    value, plies = max(found.values(), key=lambda known: solved_score(state, *known) or 0)
    return {
        "value": value,
        **({} if plies is None else {"plies": plies}),
        "moves": {state.move_name(move): value for move, (value, _) in found.items()},
        "move_plies": {state.move_name(move): plies for move, (_, plies) in found.items()},
    }


def _scores(cls: type[State], result: dict[str, Any]) -> dict[str, Any]:
    """The scores of a solved position and its moves for the side to move, if the game has scores."""
    if not cls.has_solved_score or "wld" in result:
        return {}
    state = cls.parse(result["position"])
    if state.is_over():
        return {}
    score = solved_score(state, result["value"], result.get("plies"))
    if "move_plies" not in result:
        return {} if score is None else {"score": score}
    plies = result["move_plies"]
    moves = move_scores(state, {name: (value, plies[name]) for name, value in result["moves"].items()})
    return {"score": score, "move_scores": [each._asdict() for each in moves]}


# Of the side to move.
_OUTCOMES = {1: "win", 0: "draw", -1: "loss"}


def _lines(result: dict[str, Any], players: Sequence[str], is_short: bool) -> list[str]:
    """A result as text."""
    if "agrees" in result:
        verdict = "" if result["agrees"] else "  different"
        if result["differing_moves"]:
            verdict += ": " + " ".join(
                f"{name}:{_OUTCOMES[score] if 'wld' in result else f'{score:+d}'}"
                for name, score in result["differing_moves"].items()
            )
        expected = result["expected"]["score"]
        found = f"{_OUTCOMES[result['score']]:4}" if "wld" in result else f"{result['score']:+3d}"
        return [
            f"{result['position']}  score {found}  expected {expected:+3d}"
            f"  {result['nodes']:>13,} nodes  {result['seconds']:7.2f} s{verdict}"
        ]
    if "table" in result:
        from zermelo.cli import solve_bridge

        lines = solve_bridge.table_lines(result)
    else:
        name = "tricks" if "tricks" in result else "outcome" if "wld" in result else "value"

        def shown(value: int) -> str:
            if name == "tricks":
                return str(value)
            outcome = formatting.outcome(value, players)
            return outcome if name == "outcome" else f"{value}, {outcome}"

        def scored(each: dict[str, Any]) -> str:
            if not each["is_legal"]:
                return "not a legal move"
            return (
                f"{formatting.signed(each['score'], '')}, {formatting.outcome(result['moves'][each['move']], players)}"
            )

        value = shown(result["tricks" if name == "tricks" else "value"])
        lines = [f"{result['position']}  {name} {value}"]
        if not is_short:
            lines = [f"{name:9}{value}"]
            if "plies" in result:
                lines.append(f"plies    {result['plies']}")
            if "score" in result:
                lines.append(f"score    {formatting.signed(result['score'], '')} for the side to move")
            moves = {move: shown(value) for move, value in result.get("moves", {}).items()}
            if "move_scores" in result:
                moves = {each["move"]: scored(each) for each in result["move_scores"]}
            lines += [f"  {move:7}{text}" for move, text in moves.items()]
    if is_short:
        return lines
    found = "in the opening book" if "book" in result else f"{result['nodes']:,}, {result['seconds']:.2f} s"
    return [*lines, f"nodes    {found}"]
