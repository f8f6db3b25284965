"""Notation of the property game: positions and moves in text.

    1500@go 1340@orange1:brown1,rail2*,chest-card second manage turns=98

A position has the first and the second player, whose turn it is, what happens next (`manage`, `buy`, `debt`, `auction`,
`dice`, `draw`, `toll`), and options. A player is cash, the square, and what it has after a colon: `brown1+2` has two
houses, `+5` is a hotel, `rail2*` is mortgaged, `chance-card` and `chest-card` leave jail. A player in jail stands on
`jail0`, `jail1` or `jail2`, by its rolls there. Options are

    turns=N  auctions  redraws           turns left; auctions; cards go back into the deck at once
    doubles=N  dice=N                    doubles in a row, the sum of the last roll
    drawn=CHANCE,CHEST                   cards drawn since the decks were shuffled, as bits in hexadecimal
    owes=DEBTOR,AMOUNT,CREDITOR          `first`, `second` or `bank`; `leaves-jail` if the debtor moves then
    bid=AMOUNT,LEADER,BIDDER             in an auction; the leader is `bank` before the first bid
    bankrupt=PLAYER
"""

from __future__ import annotations

from typing import Any

from zermelo._util.text import quoted
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.errors import PositionError
from zermelo.games.property.position import (
    AUCTION,
    BID_LARGE_STEP,
    BID_STEP,
    BUILD,
    BUY,
    DEBT,
    DECLINE,
    DRAW,
    MANAGE,
    MORTGAGE,
    PASS,
    PAY,
    REDEEM,
    ROLL,
    SELL,
    STEPS,
    TAKE,
    TOLL,
    TURNS,
    USE_CARD,
    Position,
    level_of,
    seat,
    with_level,
)
from zermelo.games.property.squares import (
    ALL_DRAWN,
    CHANCE_SQUARES,
    CHEST_SQUARES,
    COLOURS,
    DECKS,
    GROUP,
    GROUP_SQUARES,
    HOTEL,
    HOTELS,
    HOUSES,
    NAMES,
    PROPERTIES,
    RAILS,
    SQUARES,
    TO_JAIL,
    UTILITIES,
    VISIT,
)

PLAYERS = {MAX: "first", MIN: "second", CHANCE: "bank"}
CARDS_KEPT = ("chance-card", "chest-card")
MAX_LENGTH = 2000  # longest text that is parsed, in characters
MOST_CASH = 1_000_000_000
MOST_TURNS = 1_000_000_000
FLAGS = {"auctions": "auctions", "redraws": "redraws", "leaves-jail": "moves_on"}


def move_name(state: Position, move: int) -> str:
    """Return the name of a move: `roll`, `build-orange1`, `31` for dice, or the name of a card."""
    if state.phase == DRAW:
        return DECKS[state.deck()][move].name
    if state.phase > DRAW - 2 and state.phase != AUCTION:
        return str(move)
    names = {
        ROLL: "roll", PAY: "pay", USE_CARD: "card", TAKE: "buy", DECLINE: "decline", PASS: "pass",
    }  # fmt: skip
    if move in names:
        return names[move]
    if move < BUILD:
        return f"bid{BID_STEP if move < PASS - 1 else BID_LARGE_STEP}"
    square = move % SQUARES
    kind = {BUILD: "build", SELL: "sell", MORTGAGE: "mortgage", REDEEM: "redeem"}[move - square]
    return f"{kind}-{NAMES[square]}"


# ---- writing --------------------------------------------------------------------------------------------------------


def place_name(state: Position, player: int) -> str:
    """Return the square of a player, or `jail0` to `jail2`."""
    me = seat(player)
    return f"jail{state.jail[me] - 1}" if state.jail[me] else NAMES[state.place[me]]


def holdings(state: Position, player: int) -> list[str]:
    """Return the properties and cards of a player."""
    me = seat(player)
    words = []
    for square in state.owned[me]:
        level = level_of(state.houses, square)
        mark = f"+{level}" if level else "*" if square in state.mortgaged else ""
        words.append(NAMES[square] + mark)
    return words + [name for deck, name in enumerate(CARDS_KEPT) if state.pardons[me] >> deck & 1]


def position(state: Position) -> str:
    """Return the position as text."""
    words = []
    for player in (MAX, MIN):
        has = ",".join(holdings(state, player))
        words.append(f"{state.cash[seat(player)]}@{place_name(state, player)}{':' if has else ''}{has}")
    words += [PLAYERS[state.turn], STEPS[state.phase], f"turns={state.turns}"]
    words += [name for name, field in FLAGS.items() if getattr(state, field)]
    words += [f"{name}={getattr(state, name)}" for name in ("doubles", "dice") if getattr(state, name)]
    if any(state.drawn):
        words.append("drawn=" + ",".join(f"{each:x}" for each in state.drawn))
    if state.debtor:
        words.append(f"owes={PLAYERS[state.debtor]},{state.owed},{PLAYERS[state.creditor]}")
    if state.bidder:
        words.append(f"bid={state.bid},{PLAYERS[state.leader]},{PLAYERS[state.bidder]}")
    if state.bankrupt:
        words.append(f"bankrupt={PLAYERS[state.bankrupt]}")
    return " ".join(words)


def board(state: Position) -> str:
    """Return what both players have and where they stand, in lines."""
    lines = []
    for player in (MAX, MIN):
        cash = f"{state.cash[seat(player)]:,}"
        lines.append(f"{PLAYERS[player]:<8}{cash:>6} on {place_name(state, player)}, worth {state.worth(player):,}")
        lines += _by_group(holdings(state, player))
    step = STEPS[state.phase]
    if state.phase == DEBT:
        step = f"{PLAYERS[state.debtor]} owes {state.owed:,} to {PLAYERS[state.creditor]}"
    elif state.phase == AUCTION:
        step = f"auction of {NAMES[state.place[seat(state.turn)]]}, bid {state.bid:,} of {PLAYERS[state.leader]}"
    lines.append(f"turn    {PLAYERS[state.turn]}: {step}; {state.turns:,} turns left")
    return "\n".join(lines)


def _by_group(words: list[str]) -> list[str]:
    """Return the properties of a player in lines, a few groups in each."""
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + len(word) < 76:
            lines[-1] += " " + word
        else:
            lines.append("        " + word)
    return lines


# ---- reading --------------------------------------------------------------------------------------------------------


def parse_fields(text: str) -> dict[str, Any]:
    """Return the fields of a position; none of them for an empty text or `start`.

    Raises
    ------
    PositionError
        With the word that is wrong.
    """
    if len(text) > MAX_LENGTH:
        raise PositionError(f"property position: {len(text):,} characters; expected at most {MAX_LENGTH:,}")
    words = text.split()
    if words[:1] == ["start"]:
        words = ["1500@go", "1500@go", "first", "manage", *words[1:]]
    if not words:
        return {}
    try:
        return _parsed(words)
    except PositionError as error:
        raise PositionError(f"property position: {error}") from None


def _parsed(words: list[str]) -> dict[str, Any]:
    if len(words) < 2:
        raise PositionError("the second player is missing; expected two players like 1500@go")
    found: dict[str, Any] = {"houses": (Bitboard(0),) * 3, "mortgaged": Bitboard(0)}
    players = [_parse_player(word, found) for word in words[:2]]
    for name in ("cash", "place", "jail", "pardons", "owned"):
        found[name] = tuple(player[name] for player in players)
    if players[0]["owned"] & players[1]["owned"]:
        square = (players[0]["owned"] & players[1]["owned"]).first()
        raise PositionError(f"{NAMES[square]} belongs to both players")
    if players[0]["pardons"] & players[1]["pardons"]:
        raise PositionError("both players have the same card")
    found["turn"] = _parse_name(words[2] if len(words) > 2 else "first", {"first": MAX, "second": MIN})
    steps = {name: number for number, name in enumerate(STEPS)}
    has_step = len(words) > 3 and "=" not in words[3] and words[3] not in FLAGS
    found["phase"] = _parse_name(words[3], steps) if has_step else MANAGE
    seen: set[str] = set()
    for word in words[4 if has_step else 3 :]:
        name = word.partition("=")[0]
        if name in seen:
            raise PositionError(f"{quoted(word)} is there twice")
        seen.add(name)
        found.update(_parse_option(word))
    _check(found)
    return found


def _parse_player(word: str, found: dict[str, Any]) -> dict[str, Any]:
    """Return a player's own fields, and add its houses and mortgages to `found`."""
    cash, at, rest = word.partition("@")
    place, _, has = rest.partition(":")
    jails = {f"jail{rolls}": rolls + 1 for rolls in range(3)}
    if not at or (place not in NAMES and place not in jails) or place == NAMES[TO_JAIL]:
        raise PositionError(f"{quoted(word)} is not a player; expected cash and a square, like 1500@go or 90@jail0")
    fields = {
        "cash": _parse_number(cash, "cash", MOST_CASH),
        "place": VISIT if place in jails else NAMES.index(place),
        "jail": jails.get(place, 0),
    }
    owned = Bitboard(0)
    pardons = 0
    for item in has.split(",") if has else []:
        if item in CARDS_KEPT:
            pardons |= 1 << CARDS_KEPT.index(item)
            continue
        name, plus, level = item.removesuffix("*").partition("+")
        square = NAMES.index(name) if name in NAMES else 0
        if not PROPERTIES >> square & 1:
            raise PositionError(f"{quoted(item)} is not a property; expected one like brown1, brown1+3 or rail2*")
        bit = Bitboard(1) << square
        if owned & bit:
            raise PositionError(f"{name} is there twice")
        owned |= bit
        if item.endswith("*"):
            found["mortgaged"] |= bit
        if plus:
            if GROUP[square] >= RAILS or item.endswith("*") or level not in "12345" or len(level) != 1:
                raise PositionError(f"{quoted(item)}: expected 1 to 5 houses on a street that is not mortgaged")
            found["houses"] = with_level(found["houses"], square, int(level))
    return {**fields, "owned": owned, "pardons": pardons}


def _parse_option(word: str) -> dict[str, Any]:
    """Return the fields of an option."""
    if word in FLAGS:
        return {FLAGS[word]: True}
    name, _, value = word.partition("=")
    parts = value.split(",")
    everyone = {text: player for player, text in PLAYERS.items()}
    sides = {text: player for text, player in everyone.items() if player}
    if name == "turns":
        return {"turns": _parse_number(value, name, MOST_TURNS)}
    if name in ("doubles", "dice"):
        return {name: _parse_number(value, name, {"doubles": 2, "dice": 12}[name])}
    if name == "drawn" and len(parts) == 2:
        return {"drawn": tuple(_parse_number(part, name, ALL_DRAWN - 1, 16) for part in parts)}
    if name == "owes" and len(parts) == 3:
        fields = {"debtor": _parse_name(parts[0], sides), "creditor": _parse_name(parts[2], everyone)}
        if fields["debtor"] == fields["creditor"]:
            raise PositionError(f"{quoted(word)}: a player cannot owe itself")
        return {**fields, "owed": _parse_number(parts[1], name, MOST_CASH)}
    if name == "bid" and len(parts) == 3:
        fields = {"leader": _parse_name(parts[1], everyone), "bidder": _parse_name(parts[2], sides)}
        if fields["leader"] == fields["bidder"]:
            raise PositionError(f"{quoted(word)}: the leader does not bid against itself")
        return {**fields, "bid": _parse_number(parts[0], name, MOST_CASH)}
    if name == "bankrupt":
        return {"bankrupt": _parse_name(value, sides)}
    raise PositionError(
        f"{quoted(word)} is not an option; expected turns=N, auctions, redraws, doubles=N, dice=N, drawn=CHANCE,CHEST, "
        "owes=DEBTOR,AMOUNT,CREDITOR, leaves-jail, bid=AMOUNT,LEADER,BIDDER or bankrupt=PLAYER"
    )


def _parse_number(text: str, name: str, most: int, base: int = 10) -> int:
    digits = "0123456789abcdef"[:base]
    if not text or len(text) > 12 or any(digit not in digits for digit in text) or int(text, base) > most:
        raise PositionError(f"{name} {quoted(text[:20])} must be a number from 0 to {most:,}")
    return int(text, base)


def _parse_name(text: str, known: dict[str, int]) -> int:
    if text not in known:
        raise PositionError(f"{quoted(text[:40])} is not one of {', '.join(known)}")
    return known[text]


def _check(found: dict[str, Any]) -> None:
    """Check that the parts of a position fit together. Raises `PositionError`."""
    houses, owned, phase = found["houses"], found["owned"], found["phase"]
    built = houses[0] | houses[1] | houses[2]
    for group in range(len(COLOURS)):
        squares = GROUP_SQUARES[group]
        if not built & squares:
            continue
        if squares & ~owned[0] and squares & ~owned[1]:
            raise PositionError(f"there are houses on {COLOURS[group]}, but no player owns the whole group")
        if squares & found["mortgaged"]:
            raise PositionError(f"there are houses on {COLOURS[group]}, and a mortgage")
    levels = [level_of(houses, square) for square in built]
    hotels = levels.count(HOTEL)
    if hotels > HOTELS or sum(levels) - HOTEL * hotels > HOUSES:
        raise PositionError(f"there are more than {HOUSES} houses or {HOTELS} hotels")
    square = found["place"][seat(found["turn"])]
    here = Bitboard(1) << square
    nobody = PROPERTIES & ~(owned[0] | owned[1])
    is_jailed = found["jail"][seat(found["turn"])] > 0
    needed = {
        BUY: (nobody, "a property that nobody owns"),
        AUCTION: (nobody, "a property that nobody owns"),
        DRAW: (CHANCE_SQUARES | CHEST_SQUARES, "a square of cards"),
        TOLL: (GROUP_SQUARES[UTILITIES] & owned[seat(-found["turn"])], "a utility of the other player"),
    }
    if phase in needed and (is_jailed or not here & needed[phase][0]):
        raise PositionError(f"{STEPS[phase]}: {PLAYERS[found['turn']]} must stand on {needed[phase][1]}")
    if ("debtor" in found) != (phase == DEBT):
        raise PositionError("debt and owes=DEBTOR,AMOUNT,CREDITOR must be there together")
    if ("bidder" in found) != (phase == AUCTION):
        raise PositionError("auction and bid=AMOUNT,LEADER,BIDDER must be there together")
    if found.get("leader") and found["bid"] > found["cash"][seat(found["leader"])]:
        raise PositionError(f"{PLAYERS[found['leader']]} cannot pay its bid of {found['bid']:,}")
    if found.get("turns", TURNS) == 0 and phase != MANAGE:
        raise PositionError(f"turns=0 ends the game: expected manage, not {STEPS[phase]}")
    for deck, drawn in enumerate(found.get("drawn", (0, 0))):
        kept = any(pardons >> deck & 1 for pardons in found["pardons"])
        left = [card.name for number, card in enumerate(DECKS[deck]) if not drawn >> number & 1]
        if not left or (kept and left == ["pardon"]):
            raise PositionError(f"drawn: no {('chance', 'chest')[deck]} card is left")


def check_debt(state: Position) -> None:
    """Check that a debt exceeds the cash, and can be paid. Raises `PositionError`."""
    cash = state.cash[seat(state.debtor)]
    if state.phase == DEBT and not cash < state.owed <= state.resources(state.debtor):
        raise PositionError(
            f"property position: {PLAYERS[state.debtor]} owes {state.owed:,}; expected more than its cash, {cash:,}, "
            "and at most what it can raise"
        )
