"""The contract's declarations: one for each method (hook) and class attribute (fact) of games and evaluations.

A hook is declared by a decorator on its default, in `State` or `Evaluation`:

    @hook(Returns.BOOL, compiled="search", checked="decision", fact="has_in_check")
    def in_check(self) -> bool:
        '''Whether the side to move is under a threat that no static evaluation can judge, such as check.'''
        return False

Everything else follows from that declaration: the decorators' check of parameters and the `has_...` facts
(`check_declarations`), the check of compiled types (`zermelo.compiled.signatures`), the checks of return types and of
compiled against interpreted results (`zermelo.testing`), the names that the fingerprint of compiled code leaves out
(`interpreted_names`), and the tables of docs/contract.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from types import FunctionType
from typing import Any, Literal, NamedTuple, TypeVar, cast

from zermelo.core.bitboard import Bitboard
from zermelo.core.value import is_int
from zermelo.errors import GameError

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


class Returns(Enum):
    """What a hook returns; the value describes it in messages and on the contract page."""

    INT = "an int"
    BOOL = "True or False"
    KEY = "a Bitboard"
    PLAYER = "MAX (1), MIN (-1) or CHANCE (0)"
    MOVES = "ints, by yield or in a list or tuple"
    OUTCOMES = "pairs of ints (move, weight), by yield or in a list or tuple"
    STATE = "a state of the same class"
    STATES = "states of the same class, by yield"
    PAIR = "two ints, (score, nodes)"
    WORDS = "two Bitboards"
    INTERVAL = "two ints, (low, high), low <= high"
    WORD = "a word without blanks"
    LINE = "one line of text"
    LINES = "lines of text"
    TEXT = "text"
    NOTHING = "nothing"
    OTHER = "see the method"

    def accepts(self, value: object) -> bool:
        """Whether a value returned by interpreted code is of this kind. Iterables are not consumed."""
        accepted = _ACCEPTED.get(self)
        return accepted is None or accepted(value)


def _is_pair(value: object) -> bool:
    return type(value) is tuple and len(value) == 2 and all(map(is_int, value))


def _is_interval(value: Any) -> bool:
    return _is_pair(value) and bool(value[0] <= value[1])


def _is_iterable(value: object) -> bool:
    return hasattr(value, "__iter__")


def _is_lines(value: object) -> bool:
    return type(value) is str and bool(value.strip())


# Which values each kind accepts; the others accept any. `check_game` asks this for each name of a move.
_ACCEPTED: dict[Returns, Callable[[Any], bool]] = {
    Returns.BOOL: lambda value: type(value) is bool,
    Returns.KEY: lambda value: type(value) is Bitboard,
    Returns.INT: is_int,
    Returns.PLAYER: lambda value: is_int(value) and value in (1, 0, -1),
    Returns.PAIR: _is_pair,
    Returns.INTERVAL: _is_interval,
    Returns.MOVES: _is_iterable,
    Returns.OUTCOMES: _is_iterable,
    Returns.STATES: _is_iterable,
    Returns.WORD: lambda value: type(value) is str and value.split() == [value],
    Returns.LINE: lambda value: _is_lines(value) and len(value.splitlines()) == 1,
    Returns.LINES: _is_lines,
    Returns.TEXT: lambda value: type(value) is str,
}


#: Which compiled code needs a method: "rules" all of it, "search" any search, "perft" only perft, "called" only code
#: that calls it; "" marks an interpreted method, which may use all of Python.
Compiled = Literal["rules", "search", "perft", "called", ""]
#: The states in which `check_game` calls a method, checks what it returns, and compares compiled with interpreted code:
#: in "any" state, in "unfinished" or "finished" ones, where MAX or MIN moves ("decision"), and there once for each
#: "move"; "" where it has checks of its own.
Checked = Literal["any", "unfinished", "finished", "decision", "move", ""]


_UNLIMITED = (1 << 63) - 1


class Hook(NamedTuple):
    """The declaration of a method of the contract."""

    name: str
    #: The parameters after `self` (or `cls`).
    parameters: tuple[str, ...]
    returns: Returns
    #: The first paragraph of the default method's docstring.
    summary: str
    required: bool
    compiled: Compiled
    checked: Checked
    #: The default in words, for the contract page.
    default: str
    #: The largest absolute value, or the fact that holds it; `lowest` is the lower bound where it is not symmetric.
    largest: int | str | None
    lowest: int | None
    #: The fact that is set where a class declares the method.
    fact: str
    #: A method that must be declared together with this one.
    partner: str
    #: A method without which this one has no effect.
    needs: str
    is_class_method: bool
    #: The name that earlier versions used; it is refused.
    formerly: str
    #: Whether the method is for games with `perfect_information = False` only.
    is_hidden: bool

    @property
    def signature(self) -> str:
        """The method as it is written: `play(self, move)`."""
        return f"{self.name}({', '.join(('cls' if self.is_class_method else 'self', *self.parameters))})"

    def bounds(self, owner: Any) -> tuple[int, int] | None:
        """The range of the returned int for an owner (a state or its class), inclusive; None if it has none."""
        if self.largest is None:
            return None if self.lowest is None else (self.lowest, _UNLIMITED)
        largest: int = getattr(owner, self.largest) if isinstance(self.largest, str) else self.largest
        return (-largest if self.lowest is None else self.lowest), largest

    def expected(self, owner: Any) -> str:
        """What the method must return, in words."""
        bounds = self.bounds(owner)
        if bounds is None:
            return self.returns.value
        if bounds[1] == _UNLIMITED:
            return f"{self.returns.value} of at least {bounds[0]}"
        where = f" ({self.largest} = {bounds[1]})" if isinstance(self.largest, str) else ""
        return f"{self.returns.value} in {bounds[0]} .. {bounds[1]}{where}"

    def accepts(self, value: Any, owner: Any) -> bool:
        """Whether a value returned by interpreted code is of the right type and in range."""
        if self.returns is Returns.KEY and not getattr(owner, "is_compiled", True):
            return True  # an interpreted game's own objects
        accepted = _ACCEPTED.get(self.returns)
        if accepted is not None and not accepted(value):
            return False
        if self.largest is None and self.lowest is None:
            return True
        bounds = self.bounds(owner)
        assert bounds is not None
        lowest, largest = value if self.returns is Returns.INTERVAL else (value, value)
        return bool(bounds[0] <= lowest and largest <= bounds[1])


def hook(
    returns: Returns,
    *,
    required: bool = False,
    compiled: Compiled = "",
    checked: Checked = "",
    default: str = "",
    largest: int | str | None = None,
    lowest: int | None = None,
    fact: str = "",
    partner: str = "",
    needs: str = "",
    class_method: bool = False,
    formerly: str = "",
    hidden: bool = False,
) -> Callable[[F], F]:
    """Declare a method of the contract; see `Hook` for the parameters. The method itself is left as it is."""

    def declare(method: F) -> F:
        code = method.__code__
        summary = " ".join((method.__doc__ or "").partition("\n\n")[0].split())
        declaration = Hook(
            method.__name__, code.co_varnames[1 : code.co_argcount], returns, summary, required, compiled, checked,
            default, largest, lowest, fact, partner, needs, class_method, formerly, hidden,
        )  # fmt: skip
        method.hook = declaration  # type: ignore[attr-defined]
        return method

    return declare


def interpreted(method: F) -> F:
    """Mark a method that is no hook as interpreted only: a change of its code leaves compiled code valid."""
    method.interpreted = True  # type: ignore[attr-defined]
    return method


class Fact(NamedTuple):
    """The declaration of a class attribute of the contract."""

    name: str
    default: Any
    summary: str
    lowest: int | None
    largest: int | None
    formerly: str


class _FactDeclaration:
    """Placeholder in a class body: when the class is made, it records the fact and is replaced by the default."""

    def __init__(self, *declared: Any) -> None:
        self.declared = declared

    def __set_name__(self, owner: type, name: str) -> None:
        declaration = Fact(name, *self.declared)
        _facts.setdefault(owner, {})[name] = declaration
        setattr(owner, name, declaration.default)


_facts: dict[type, dict[str, Fact]] = {}


def fact(default: T, summary: str, *, lowest: int | None = None, largest: int | None = None, formerly: str = "") -> T:
    """Declare a class attribute of the contract in the body of `State` or `Evaluation`; see `Fact`."""
    return cast(T, _FactDeclaration(default, summary, lowest, largest, formerly))


def hooks_of(base: type) -> dict[str, Hook]:
    """The hooks that a base class declares, by name, in the order of its body."""
    return {name: function.hook for name, function in _functions(base) if hasattr(function, "hook")}


def facts_of(base: type) -> dict[str, Fact]:
    """The facts that a base class declares, by name, in the order of its body."""
    return _facts.get(base, {})


def interpreted_names(base: type) -> set[str]:
    """The methods of a base class that are never compiled, unless a compiled one calls them."""
    hooks = {hook.name for hook in hooks_of(base).values() if not hook.compiled}
    return hooks | {name for name, function in _functions(base) if hasattr(function, "interpreted")}


def _functions(base: type) -> Iterator[tuple[str, Any]]:
    for name, member in vars(base).items():
        yield name, getattr(member, "__func__", member)


# ---- a class against its declarations ------------------------------------------------------------------------


def check_declarations(made: type, base: type) -> None:
    """Check a class against the hooks and facts of its base, and set the facts that follow from its hooks.

    Raises
    ------
    GameError
        Names the method or attribute and what was expected.
    """
    hooks, facts = hooks_of(base), facts_of(base)
    _refuse_old_names(made, base)
    for hook in hooks.values():
        _check_method(made, base, hook)
    for fact in facts.values():
        value = getattr(made, fact.name)
        if type(fact.default) in (int, bool) and not _in_range(value, fact):
            raise GameError(f"{made.__name__}.{fact.name} is {value!r}; it must be {_range(fact)}")
    for hook in hooks.values():
        if hook.partner and _declares(made, base, hook.name) != _declares(made, base, hook.partner):
            raise GameError(
                f"{made.__name__}: {hook.signature} and {hooks[hook.partner].signature} must be declared together"
            )
        if hook.needs and _declares(made, base, hook.name) and not _declares(made, base, hook.needs):
            needed = hooks[hook.needs].signature
            raise GameError(
                f"{made.__name__}.{hook.signature} has no effect without {needed}; declare {needed} as well"
            )
        if hook.is_hidden and made.perfect_information and _declares(made, base, hook.name):  # type: ignore[attr-defined]
            raise GameError(
                f"{made.__name__}.{hook.signature} is for games with hidden information; declare "
                "perfect_information = False as well"
            )
        if hook.fact:
            setattr(made, hook.fact, _declares(made, base, hook.name))


def _declares(made: type, base: type, name: str) -> bool:
    """Whether a class replaces the base's method."""
    own, default = getattr(made, name), getattr(base, name)
    return getattr(own, "__func__", own) is not getattr(default, "__func__", default)


def _in_range(value: object, fact: Fact) -> bool:
    if type(value) is not type(fact.default):
        return False
    assert isinstance(value, int)
    too_low = fact.lowest is not None and value < fact.lowest
    return not too_low and (fact.largest is None or value <= fact.largest)


def _range(fact: Fact) -> str:
    if type(fact.default) is bool:
        return "True or False"
    if fact.lowest is None:
        return "an int"
    return f"in {fact.lowest} .. {fact.largest}" if fact.largest is not None else f"an int of at least {fact.lowest}"


def _refuse_old_names(made: type, base: type) -> None:
    current = {hook.formerly: hook.signature for hook in hooks_of(base).values() if hook.formerly}
    current |= {fact.formerly: fact.name for fact in facts_of(base).values() if fact.formerly}
    fields = {field.name for field in made.fields}  # type: ignore[attr-defined]
    for cls in made.__mro__[: made.__mro__.index(base)]:
        for name in vars(cls):
            if name in current and name not in fields:
                raise GameError(f"{made.__name__}.{name} is an old name of the contract; rename it to {current[name]}")


def _check_method(made: type, base: type, hook: Hook) -> None:
    name = made.__name__
    member: Any = getattr(made, hook.name, None)
    is_method = callable(member) or isinstance(member, property)
    if hook.required and not (is_method and _declares(made, base, hook.name)):
        raise GameError(f"{name} has no method {hook.signature}: {hook.summary}")
    if not _declares(made, base, hook.name):
        return
    if hook.is_class_method:
        if not hasattr(member, "__func__"):
            raise GameError(f"{name}.{hook.name} must be a class method: @classmethod def {hook.signature}")
        member = member.__func__
    if not isinstance(member, FunctionType):
        raise GameError(f"{name}.{hook.name} must be an ordinary method, not {member!r}: def {hook.signature}")
    code = member.__code__
    count, defaults = code.co_argcount, len(member.__defaults__ or ())
    if code.co_flags & 4 and not hook.compiled:  # *args, as a wrapper of an interpreted method may have
        return
    if not count - defaults <= len(hook.parameters) + 1 <= count or code.co_kwonlyargcount:
        raise GameError(
            f"{name}.{hook.name} takes {count} parameter{'s' * (count != 1)}, "
            f"self included; expected {hook.signature}: {hook.summary}"
        )
