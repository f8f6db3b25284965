"""River hold'em as a game: the deal from two ranges, one round of limit betting, and the showdown.

The rules are interpreted: ranges have any number of hands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from zermelo._util.text import quoted
from zermelo.core.game import CHANCE, MAX, MIN, State, game
from zermelo.core.picture import Grid
from zermelo.errors import IllegalMove, PositionError
from zermelo.games.river.hands import card_name, card_set, parse_card, strength
from zermelo.games.river.ranges import hand_name, hand_of, parse_range, range_name

FOLD = 0
CALL = 1  # without a bet: check
RAISE = 2  # without a bet: bet
BOARD_CARDS = 5
#: A deal is the move DEAL * index of the first hand in its range + index of the second.
DEAL = 2048
#: The largest result in chips: half the pot and all bets.
LARGEST_RESULT = 100
MOST_RAISES = 9
MAX_LENGTH = 20_000  # longest text that is parsed, in characters
BOARD = "Ks8h7d4c2s"
RANGES = ("88,AQs", "AKs,77")
#: The options of a position, with their defaults and limits.
OPTIONS = {"pot": (10, 2, 2 * LARGEST_RESULT), "bet": (2, 1, LARGEST_RESULT), "cap": (4, 1, MOST_RAISES)}

Hand = tuple[int, int]


def parse_board(text: str) -> tuple[int, ...]:
    """Parse the five cards of a board. Raises `PositionError`."""
    cards = tuple(parse_card(text[place : place + 2]) for place in range(0, min(len(text), 20), 2))
    if len(cards) != BOARD_CARDS:
        raise PositionError(f"{text[:40]!r} is not a board; expected five cards like {BOARD}")
    if len(set(cards)) < BOARD_CARDS:
        raise PositionError(f"the board {text} has the same card twice")
    return cards


@lru_cache(maxsize=64)
def parsed_ranges(board: tuple[int, ...], first: str, second: str) -> tuple[tuple[Hand, ...], tuple[Hand, ...]]:
    """Parse both ranges. Raises `PositionError`, also where no two hands can be dealt together."""
    ranges = parse_range(first, frozenset(board)), parse_range(second, frozenset(board))
    if all(set(hand) & set(other) for hand in ranges[0] for other in ranges[1]):
        raise PositionError(f"the ranges {first[:40]!r} and {second[:40]!r} have no two hands without a common card")
    return ranges


@lru_cache(maxsize=8192)
def showdown_strength(board: tuple[int, ...], hand: Hand) -> int:
    """Return the strength of a hand with the board."""
    return strength(card_set((*board, *hand)))


@game(compiled=False)
class River(State):
    """River hold'em: the last round of betting of heads-up limit hold'em, from two ranges of hands.

    All five cards of the board are known. Each player has two cards from a range that both know; all deals of two hands
    without a common card are equally likely. MAX acts first: check or bet. Facing a bet, a player folds, calls or
    raises, each time by one bet and at most `cap` bets in all. After a call or two checks, the best five of seven cards
    win the pot. The utility is what MAX gets in chips, less what it has paid; both have paid half the pot.

    Notes
    -----
    Moves are `FOLD`, `CALL` (or check) and `RAISE` (or bet). A deal is DEAL * index of the first hand + index of the
    second.

    References
    ----------
    B. Chen, J. Ankenman, "The Mathematics of Poker" (2006), part III.
    """

    board_cards: tuple = parse_board(BOARD)  # type: ignore[type-arg]
    #: The hands that MAX and MIN may have: pairs of cards.
    ranges: tuple = parsed_ranges(parse_board(BOARD), *RANGES)  # type: ignore[type-arg]
    #: Chips in the pot before the river, the size of a bet, and the most bets.
    pot: int = OPTIONS["pot"][0]
    bet: int = OPTIONS["bet"][0]
    cap: int = OPTIONS["cap"][0]
    #: The hands of MAX and MIN: empty before the deal, or where they are hidden in a view.
    hands: tuple = ((), ())  # type: ignore[type-arg]
    actions: tuple = ()  # type: ignore[type-arg]

    max_utility = LARGEST_RESULT
    largest_move = RAISE
    perfect_information = False

    def is_dealt(self) -> bool:
        return self.hands != ((), ())  # in a player's view one of them is hidden

    def bets(self) -> int:
        """Return the number of bets and raises."""
        return self.actions.count(RAISE)

    def to_move(self) -> int:
        if not self.is_dealt():
            return CHANCE
        return MIN if len(self.actions) % 2 else MAX

    def moves(self) -> Iterator[int]:
        if self.bets():
            yield FOLD
        yield CALL
        if self.bets() < self.cap:
            yield RAISE

    def outcomes(self) -> Iterator[tuple[int, int]]:
        second_range = [*enumerate(self.ranges[1])]
        for index, first in enumerate(self.ranges[0]):
            for other, second in second_range:
                if first[0] not in second and first[1] not in second:
                    yield DEAL * index + other, 1

    def play(self, move: int) -> River:
        if not self.is_dealt():
            return self.replace(hands=(self.ranges[0][move // DEAL], self.ranges[1][move % DEAL]))
        return self.replace(actions=(*self.actions, move))

    def is_over(self) -> bool:
        return FOLD in self.actions or (len(self.actions) > 1 and self.actions[-1] == CALL)

    def utility(self) -> int:
        if self.actions[-1] == FOLD:
            folded = MIN if len(self.actions) % 2 == 0 else MAX
            return -folded * (self.pot // 2 + self.bet * (self.bets() - 1))
        ours, theirs = (showdown_strength(self.board_cards, hand) for hand in self.hands)
        return ((ours > theirs) - (ours < theirs)) * (self.pot // 2 + self.bet * self.bets())

    # ---- hidden information ----

    def hand(self, player: int) -> Hand | tuple[()]:
        """Return the hand of a player; empty before the deal."""
        found: Hand | tuple[()] = self.hands[0 if player == MAX else 1]
        return found

    def information_state(self, player: int) -> str:
        """Return the player's hand and the actions so far: `AhKd check bet`."""
        return " ".join([_hand_text(self.hand(player), "no cards"), *self._course()])

    def resample(self, player: int, random: int) -> River:
        """Draw the other player's hand from those of its range that the player's own cards leave."""
        own = self.hand(player)
        if not own:
            return self
        left = _compatible(self.ranges[1 if player == MAX else 0], own)
        other = left[random * len(left) >> 62]
        return self.replace(hands=(own, other) if player == MAX else (other, own))

    def view(self, player: int) -> River:
        """Return the state without the other player's hand."""
        return self.replace(hands=(self.hands[0], ()) if player == MAX else ((), self.hands[1]))

    # ---- text ----

    @classmethod
    def parse(cls, text: str) -> River:
        """Parse the board, both ranges, options, both hands and the actions.

        `Ks8h7d4c2s 88,AQs 77 pot=10 bet=2 cap=4 8s8d 7s7h bet raise`. Options may be left out. An empty text or `start`
        is the example of the class. Raises `PositionError` with what is wrong.
        """
        if len(text) > MAX_LENGTH:
            raise PositionError(f"river position: {len(text):,} characters; expected at most {MAX_LENGTH:,}")
        words = text.split()
        if not words or words == ["start"]:
            return cls()
        try:
            board = parse_board(words[0])
            if len(words) < 3:
                raise PositionError(f"the range of the {('first', 'second')[len(words) - 1]} player is missing")
            ranges = parsed_ranges(board, words[1], words[2])
            count = next((place for place, word in enumerate(words[3:]) if "=" not in word), len(words) - 3)
            state = cls(board, ranges).replace(**_parse_options(words[3 : 3 + count]))
            rest = words[3 + count :]
            if rest:
                state = state.play(state.parse_move("".join(rest[:2])))
            for word in rest[2:]:
                state = state.play(state.parse_move(word))
        except (PositionError, IllegalMove) as error:
            raise PositionError(f"river position: {error}") from None
        return state

    def parse_move(self, text: str) -> int:
        """Parse an action, or a deal: the cards of both hands, `AhKdQsQc`.

        Raises `IllegalMove` with what is wrong.
        """
        if self.is_dealt():
            return super().parse_move(text)
        name = text.strip()
        if len(name) != 8:
            raise IllegalMove(f"{quoted(name[:40])} is not a deal; expected both hands, like AhKdQsQc")
        try:
            cards = [parse_card(name[place : place + 2]) for place in range(0, 8, 2)]
        except PositionError as error:
            raise IllegalMove(str(error)) from None
        if len(set(cards)) < 4:
            raise IllegalMove(f"the deal {name} has the same card twice")
        hands = hand_of(cards[:2]), hand_of(cards[2:])
        for hand, known, whose in zip(hands, self.ranges, ("first", "second"), strict=True):
            if hand not in known:
                raise IllegalMove(f"{hand_name(hand)} is not in the range of the {whose} player")
        return DEAL * int(self.ranges[0].index(hands[0])) + int(self.ranges[1].index(hands[1]))

    def __str__(self) -> str:
        board = frozenset(self.board_cards)
        words = [_cards_text(self.board_cards), *(range_name(each, board) for each in self.ranges)]
        words += [f"{name}={getattr(self, name)}" for name in OPTIONS]
        if self.is_dealt():
            words += [*(_hand_text(hand, "?") for hand in self.hands), *self._course()]
        return " ".join(words)

    def board(self) -> str:
        """Draw the board, the hands or ranges, the actions so far, and the chips in the pot."""
        lines = [f"board   {_cards_text(self.board_cards, ' ')}"]
        known = frozenset(self.board_cards)
        for name, hand, hands in zip(("first", "second"), self.hands, self.ranges, strict=True):
            lines.append(f"{name:<8}{_hand_text(hand, f'any of {len(hands)}: {range_name(hands, known)}')}")
        return "\n".join([*lines, f"done    {' '.join(self._course()) or 'nothing yet'}", f"pot     {self.chips()}"])

    def picture(self) -> Grid:
        """Return the hand of the second player, the board, and the hand of the first player, in rows of cards."""
        names: list[tuple[int, int, str]] = []
        for row, hand in ((0, self.hands[1]), (2, self.hands[0])):
            names += [(1 + 2 * place, row, card_name(hand[place]) if hand else "?") for place in range(2)]
        names += [(column, 1, card_name(card)) for column, card in enumerate(self.board_cards)]
        return Grid(
            columns=BOARD_CARDS,
            rows=3,
            row_labels=("second", "board", "first"),
            corner_labels=tuple(names),
            captions=(" ".join(self._course()) or "no actions yet", f"pot {self.chips()}"),
        )

    def chips(self) -> int:
        """Return the chips in the pot, an unanswered bet included."""
        answered = self.bets() - (self.bets() > 0 and self.actions[-1] != CALL)
        return self.pot + self.bet * (self.bets() + answered)

    def player_name(self, player: int) -> str:
        return {MAX: "first", MIN: "second"}.get(player, "the deal")

    def move_name(self, move: int) -> str:
        if not self.is_dealt():
            return hand_name(self.ranges[0][move // DEAL]) + hand_name(self.ranges[1][move % DEAL])
        return _action_name(move, self.bets())

    def _course(self) -> list[str]:
        """Return the names of the actions."""
        return [_action_name(action, self.actions[:ply].count(RAISE)) for ply, action in enumerate(self.actions)]


def _action_name(action: int, bets: int) -> str:
    """Return the name of an action after a number of bets."""
    return ("fold", "call" if bets else "check", "raise" if bets else "bet")[action]


def _cards_text(cards: tuple[int, ...], separator: str = "") -> str:
    return separator.join(card_name(card) for card in cards)


def _hand_text(hand: Hand | tuple[()], otherwise: str) -> str:
    return _cards_text(hand) or otherwise


@lru_cache(maxsize=8192)
def _compatible(hands: tuple[Hand, ...], own: Hand) -> list[Hand]:
    """Return the hands that have no card of the player's own."""
    return [hand for hand in hands if not set(hand) & set(own)]


def _parse_options(words: list[str]) -> dict[str, int]:
    """Parse options like `pot=10`."""
    found = {name: default for name, (default, _, _) in OPTIONS.items()}
    seen: set[str] = set()
    for word in words:
        name, _, number = word.partition("=")
        if name not in OPTIONS or name in seen:
            raise PositionError(
                f"{word[:40]!r} is not an option; expected {', '.join(f'{each}=N' for each in OPTIONS)}, each once"
            )
        _, low, high = OPTIONS[name]
        if not re.fullmatch(r"[0-9]{1,6}", number) or not low <= int(number) <= high:
            raise PositionError(f"{name}={number[:20]} must be from {low} to {high}")
        seen.add(name)
        found[name] = int(number)
    if found["pot"] % 2:
        raise PositionError(f"pot={found['pot']} must be even: both players have paid half of it")
    largest = found["pot"] // 2 + found["cap"] * found["bet"]
    if largest > LARGEST_RESULT:
        raise PositionError(
            f"half the pot and {found['cap']} bets are {largest} chips; expected at most {LARGEST_RESULT}: "
            "divide pot and bet by the same number"
        )
    return found
