"""The kinds of exercise: how each is generated, and how it is read from a file.

To add a kind, derive an exercise from `items.ItemExercise` and a spec from `items.ItemSpec`, and add them to `KINDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from zermelo._util.text import did_you_mean
from zermelo.errors import TreeError
from zermelo.teaching.exercises.exercise import DEFAULT_MARKS, PARTS, SCHEMA, Exercise, ExerciseBase, allocate_marks
from zermelo.teaching.exercises.generator import Spec
from zermelo.teaching.exercises.input_limits import abbreviated
from zermelo.teaching.exercises.kinds.evaluation import EvaluationExercise, EvaluationSpec
from zermelo.teaching.exercises.kinds.expectiminimax import ExpectiminimaxSpec
from zermelo.teaching.exercises.kinds.game_tree import GameTreeExercise, GameTreeSpec
from zermelo.teaching.exercises.kinds.items import ItemExercise, allocate
from zermelo.teaching.exercises.kinds.traced import (
    DeepeningExercise,
    DeepeningSpec,
    PvsExercise,
    PvsSpec,
    Star1Exercise,
    Star1Spec,
    TracedExercise,
    TracedSpec,
    TranspositionsExercise,
    TranspositionsSpec,
)
from zermelo.teaching.exercises.kinds.tree_search import ExerciseSpec
from zermelo.teaching.exercises.variants import Bound
from zermelo.teaching.tree.convention import Convention
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.numbers import Number

TREE_SEARCH, EXPECTIMINIMAX = Exercise.kind, "expectiminimax"


@dataclass(frozen=True)
class KindOptions:
    """The options that specs are made from; each kind uses some of them.

    Attributes
    ----------
    parts : sequence of str
        The parts to ask for; by default all that apply.
    marks : mapping of str to number
        Marks of some of the parts.
    tree : Tree, optional
    position : str
        A given tree, or a given position of a game.
    convention : Convention
    branching, depth, values : (int, int)
    ties, allow_ties, deep_cut : bool
    root : str
    chance : float
    plies : int, optional
    title : str
    bounds : mapping of str to (number, number)
        As in `ExerciseSpec`.
    game, evaluation : str
        Names of a game and of one of its evaluations; by default the kind's.
    """

    parts: Sequence[str] = ()
    marks: Mapping[str, Number] = field(default_factory=dict)
    tree: Tree | None = None
    position: str = ""
    convention: Convention = field(default_factory=Convention)
    branching: tuple[int, int] = (2, 3)
    depth: tuple[int, int] = (3, 3)
    values: tuple[int, int] = (-9, 9)
    ties: bool = True
    root: str = "max"
    chance: float = 0.0
    plies: int | None = None
    deep_cut: bool = False
    allow_ties: bool = False
    title: str = ""
    bounds: Mapping[str, Bound] = field(default_factory=dict)
    game: str = ""
    evaluation: str = ""


#: Options that apply to every kind.
COMMON = frozenset({"parts", "marks", "title", "bounds"})
_SHAPE = frozenset({"tree", "branching", "depth", "values"})
_GAME = frozenset({"game", "position"})


class Kind(NamedTuple):
    """A kind of exercise."""

    name: str
    #: What students do, for lists of the kinds.
    summary: str
    #: The parts that can be asked for, with their default marks.
    parts: Mapping[str, Number]
    #: Options that apply besides `COMMON`.
    options: frozenset[str]
    #: Makes the spec. Raises `TreeError`.
    spec: Callable[[KindOptions], Spec[Any]]

    def check(self, options: KindOptions) -> None:
        """Raise `TreeError` for an option that is given but does not apply to this kind."""
        plain = KindOptions()
        for name, value in vars(options).items():
            if name not in self.options | COMMON and value != getattr(plain, name):
                shown = {"position": "a position", "tree": "a tree"}.get(name, "--" + name.replace("_", "-"))
                raise TreeError(f"exercise: {shown} does not apply to the kind {self.name}")


def _tree_search(options: KindOptions) -> ExerciseSpec:
    convention = options.convention
    parts = list(options.parts) or [part for part in PARTS if convention.prunes or part not in ("windows", "cuts")]
    if options.root == "chance" and not options.parts:
        parts.remove("best")
    return ExerciseSpec(
        convention=convention,
        marks=allocate_marks(parts, options.marks),
        tree=options.tree,
        branching=options.branching,
        depth=options.depth,
        values=options.values,
        ties=options.ties,
        root=options.root,
        chance=options.chance,
        search_depth=options.plies,
        deep_cut=options.deep_cut,
        allow_ties=options.allow_ties,
        title=options.title,
        bounds=options.bounds,
    )


def _expectiminimax(options: KindOptions) -> ExpectiminimaxSpec:
    parts = list(options.parts) or ["values", "best"]
    return ExpectiminimaxSpec(
        convention=Convention("expectiminimax"),
        marks=allocate_marks(parts, options.marks),
        tree=options.tree,
        branching=options.branching,
        depth=options.depth,
        values=options.values,
        allow_ties=options.allow_ties,
        title=options.title,
        bounds=options.bounds,
    )


def _given(options: KindOptions, *names: str) -> dict[str, Any]:
    """Some of the options, without those that are empty."""
    return {name: value for name in names if (value := getattr(options, name))}


def _evaluation(options: KindOptions) -> EvaluationSpec:
    return EvaluationSpec(
        marks=allocate(EvaluationExercise, options.parts, options.marks),
        plies=None if options.plies is None else (options.plies, options.plies),
        **_given(options, "game", "evaluation", "position", "title", "bounds"),
    )


def _game_tree(options: KindOptions) -> GameTreeSpec:
    return GameTreeSpec(
        marks=allocate(GameTreeExercise, options.parts, options.marks),
        plies=None if options.plies is None else (options.plies, options.plies),
        **_given(options, "game", "position", "title", "bounds"),
    )


def _traced(summary: str, exercise: type[TracedExercise], spec: type[TracedSpec[Any]]) -> Kind:
    """The kind of a traced search."""

    def make(options: KindOptions) -> TracedSpec[Any]:
        return spec(
            marks=allocate(exercise, options.parts, options.marks),
            title=options.title,
            bounds=options.bounds,
            tree=options.tree,
            branching=options.branching,
            depth=options.depth,
            values=options.values,
        )

    return Kind(exercise.kind, summary, exercise.DEFAULT_MARKS, _SHAPE, make)


#: The kinds by name.
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            TREE_SEARCH,
            "search a tree by alpha-beta, minimax or negamax: values, windows, cuts, order, best move",
            DEFAULT_MARKS,
            _SHAPE | {"convention", "ties", "root", "chance", "plies", "deep_cut", "allow_ties"},
            _tree_search,
        ),
        Kind(
            EXPECTIMINIMAX,
            "values of a tree with chance nodes, in which the probabilities decide the best move",
            {part: DEFAULT_MARKS[part] for part in ("values", "order", "best")},
            _SHAPE | {"allow_ties"},
            _expectiminimax,
        ),
        Kind(
            EvaluationExercise.kind,
            "compute the evaluation of a position from given weights",
            EvaluationExercise.DEFAULT_MARKS,
            _GAME | {"evaluation", "plies"},
            _evaluation,
        ),
        Kind(
            GameTreeExercise.kind,
            "build the tree of a small game: successors and values of all positions",
            GameTreeExercise.DEFAULT_MARKS,
            _GAME | {"plies"},
            _game_tree,
        ),
        _traced(
            "iterative deepening with move ordering: values, best moves, orders and nodes of all iterations",
            DeepeningExercise,
            DeepeningSpec,
        ),
        _traced("principal variation search: null windows and re-searches", PvsExercise, PvsSpec),
        _traced(
            "a transposition table: which nodes it answers, and the values", TranspositionsExercise, TranspositionsSpec
        ),
        _traced("Star1: windows and cutoffs at chance nodes", Star1Exercise, Star1Spec),
    )
}

#: The names of all parts of all kinds, and of those with an entry for each node, term or position.
PART_NAMES = tuple(dict.fromkeys(part for kind in KINDS.values() for part in kind.parts))
TABLES = frozenset(PART_NAMES) - {"cuts", "evaluation"}

_CLASSES: tuple[type[ItemExercise], ...] = (
    EvaluationExercise,
    GameTreeExercise,
    DeepeningExercise,
    PvsExercise,
    TranspositionsExercise,
    Star1Exercise,
)
#: The readers of exercises, by the kind in the file.
_READERS: dict[str, Callable[[Any], ExerciseBase]] = {
    Exercise.kind: Exercise.from_json,
    **{exercise.kind: exercise.from_json for exercise in _CLASSES},
}


def kind_of_name(name: str) -> Kind:
    """The kind of a name. Raises `TreeError`."""
    if name not in KINDS:
        suggestion = did_you_mean(name, KINDS, "")
        message = f"unknown kind of exercise {abbreviated(name)}: expected {', '.join(KINDS)}"
        raise TreeError(message + (suggestion and f"; {suggestion}"))
    return KINDS[name]


def exercise_from_json(data: Any) -> ExerciseBase:
    """Read an exercise of any kind from plain data. Raises `TreeError`."""
    name = data.get("kind", TREE_SEARCH) if isinstance(data, Mapping) and data.get("schema") == SCHEMA else TREE_SEARCH
    if not isinstance(name, str) or name not in _READERS:
        raise TreeError(f"exercise: unknown kind {abbreviated(name)}; expected one of {', '.join(_READERS)}")
    return _READERS[name](data)
