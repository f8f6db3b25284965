"""Annotated games: the marks, scores and best lines of a review as glyphs, comments and variations of a record.

annotated(review, "all")            [%eval -0.46] Inaccuracy: loses 0.56 pawns (depth 9, ...). ...  (3. Nc3 Nf6)
annotated(review, "evaluations")    the scores only, for formats without comments (GGF)
"""

from __future__ import annotations

import re
from copy import copy

from zermelo import formatting
from zermelo.core.game import State
from zermelo.formats.record import Line, Record, Step
from zermelo.review import marks
from zermelo.review.results import Candidate, GameReview, MoveReview, loss_text
from zermelo.search.analysis import Score

#: Moves of a best line that are written.
MAX_LINE = 10
#: The glyphs of a move that say how good it is: a move that has one keeps it.
_JUDGEMENTS = frozenset(range(1, 7))
#: A score in a comment, by any program, and what `remark` returns.
_EVALUATION = re.compile(r"\[%eval\s[^\]]*\]")
_MARKS = "|".join(mark.capitalize() for mark in marks.MARKS)
_REMARK = re.compile(
    rf"(?:(?P<mark>{_MARKS})(?:, misses a win)?: loses .*? is best\.(?=\s|\Z)"
    r"|\A\s*Only move\.\s*\Z)",
    re.DOTALL,
)


def annotated(review: GameReview, annotations: str) -> Record:
    """Return a copy of the game with the annotations of a review added to its own.

    Scores in the file, and what an earlier review wrote, are replaced; other comments, glyphs and variations stay. So
    reviewing an annotated file again gives the same file.

    Parameters
    ----------
    review : GameReview
        The review, complete or not.
    annotations : {"all", "evaluations"}
        `Format.annotations` of the format in which the game will be written.
    """
    record = copy(review.record)
    record.line = Line([], review.record.line.comments)
    state = record.start
    for ply, old in enumerate(review.record.line.steps):
        step = Step(
            old.text, old.move, list(old.nags), list(old.comments), list(old.comments_before), list(old.variations),
            old.line_number,
        )  # fmt: skip
        found = review.moves.get(ply)
        if found is not None and not found.not_judged:
            if annotations == "all":
                _annotate(step, state, found)
            elif evaluation := _discs(found.played.score):
                _replace_comment(step, evaluation)
        record.line.steps.append(step)
        if step.move is not None:
            state = state.play(step.move)
    return record


def _annotate(step: Step, state: State, move: MoveReview) -> None:
    old = _replace_comment(step, " ".join(filter(None, [_evaluation(move.played.score), remark(move)])))
    if old and (glyph := marks.GLYPHS[old]) in step.nags:
        step.nags.remove(glyph)
    if move.mark and not _JUDGEMENTS & set(step.nags):
        step.nags.append(marks.GLYPHS[move.mark])
    if move.mark and all(line.steps[0].move != move.best.moves[0] for line in step.variations if line.steps):
        step.variations.append(_line(state, move.best))


def _replace_comment(step: Step, comment: str) -> str:
    """Replace scores and the remarks of an earlier review by a comment, in their place, or add it at the end.

    Returns the mark of the earlier review; empty if there was none.
    """
    mark, kept, place = "", [], None
    for text in step.comments:
        rest = _EVALUATION.sub(" ", text)
        for found in _REMARK.finditer(rest):
            mark = (found["mark"] or "").casefold()
        rest = _REMARK.sub(" ", rest)
        if rest == text:
            kept.append(text)
            continue
        if place is None:
            place = len(kept)
        if rest.strip():
            kept.append(" ".join(rest.split()))
    if comment:
        kept.insert(len(kept) if place is None else place, comment)
    step.comments = kept
    return mark


def remark(move: MoveReview) -> str:
    """Return what there is to say about a move; empty for a move without a mark that is not the only one."""
    if move.mark:
        missed = ", misses a win" if move.missed_win else ""
        return (
            f"{move.mark.capitalize()}{missed}: loses {loss_text(move)} ({effort(move)}). {move.best.names[0]} is best."
        )
    return "Only move." if move.only_move else ""


def effort(move: MoveReview) -> str:
    """Return how well a mark is founded: proven, or by a search of a number of plies, nodes or playouts.

    Selective searches say so: depth 9, 12,345 nodes, selective; or confidence 95 %.
    """
    if move.is_exact:
        return "proven"
    if not move.depth:
        return formatting.plural(move.nodes, "playout")
    kind = "selective" if move.confidence is None else f"confidence {move.confidence} %"
    selective = f", {kind}" if move.is_selective else ""
    return f"depth {move.depth}, {formatting.plural(move.nodes, 'node')}{selective}"


def _line(state: State, best: Candidate) -> Line:
    return Line([Step(name, move) for name, move in zip(best.names[:MAX_LINE], best.moves, strict=False)])


def _evaluation(score: Score) -> str:
    """Return a score as a PGN command, as chess programs write it: pawns for white, or moves to mate.

    References
    ----------
    https://www.enpassant.dk/chess/palview/enhancedpgn.htm
    """
    if score.estimate is not None and score.unit == "centipawns" and abs(score.estimate) < 100_000:
        return f"[%eval {score.estimate / 100:.2f}]"
    if score.value and score.plies is not None and score.unit == "centipawns" and score.plies > 1:
        return f"[%eval #{'-' if score.value < 0 else ''}{score.plies // 2}]"
    return ""


def _discs(score: Score) -> str:
    """Return a score in discs as a PGN command; empty for scores in other units."""
    if score.value is not None:
        return f"[%eval {score.value}]"
    return f"[%eval {score.estimate}]" if score.unit == "discs" and score.estimate is not None else ""
