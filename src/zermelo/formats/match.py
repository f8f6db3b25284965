"""Match text: games of backgammon as Jellyfish and GNU Backgammon write them (.mat).

     5 point match

     Game 1
     gnubg : 0                      root : 0
      1)                             21: 13/11 24/23
      2) 52: 13/8 24/22               Doubles => 2
      3)  Takes                      63: 8/5 11/5

The first player is O and the second one X, as in GNU Backgammon. A record holds each roll and each play as a move of
its own; what is done with the doubling cube is a step that the rules know nothing of: `double`, `take`, `drop`, or
`resign`. Who has won stands in the result, 1-0 for X, and how many points in the tags (`TAGS`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from zermelo.errors import FormatError, IllegalMove
from zermelo.formats.lines import TextLine
from zermelo.formats.movetext import Lost, shown
from zermelo.formats.record import UNKNOWN, Record, Step
from zermelo.game import CHANCE, MAX, MIN
from zermelo.games.backgammon import Backgammon
from zermelo.games.backgammon.notation import hits_of, steps_of

DOUBLE, TAKE, DROP, RESIGN = "double", "take", "drop", "resign"
#: The tags of a game: the players, the points that the match is played to (0: for money), the number of the game in
#: it, the score before it, and the points won in it.
TAGS = ("O", "X", "Match", "Game", "ScoreO", "ScoreX", "Points")
#: A game has so many lines at most; random games come to some hundred.
MOST_LINES = 5_000
#: A match has so many tags at most, and the line with the players so many characters.
MOST_TAGS = 100
LONGEST_PLAYERS = 500
#: The column of the second player in a line.
COLUMN = 33

_MATCH = re.compile(r"\s*([0-9]{1,5}) point match\s*", re.IGNORECASE)
_GAME = re.compile(r"\s*Game\s+([0-9]{1,6})\s*", re.IGNORECASE)
# Where the first player's score ends; what stands before it and after it may hold anything. No pattern here can match
# the same blanks in more than one way: long lines would take the square of their length.
_SCORE = re.compile(r":\s*([0-9]{1,5})\s{2,}")
_LAST_SCORE = re.compile(r"[0-9]{1,5}")
_TAG = re.compile(r'\s*;\s*\[\s*([A-Za-z0-9_]{1,40}(?:[ ][A-Za-z0-9_]{1,40}){0,9})\s*"([^"]*)"\s*\]\s*')
_NUMBERED = re.compile(r"\s*([0-9]{1,6})\)(.*)")
_WINS = re.compile(r"\s*Wins\s+([0-9]{1,6})\s+points?(?:\s+and\s+the\s+match)?\s*", re.IGNORECASE)
# What a player can do in a line, and where it begins.
_ACTION = re.compile(
    r"(?P<roll>[1-6]{2}):|Doubles\s*=>\s*(?P<cube>[0-9]{1,6})|(?P<take>Takes)|(?P<drop>Drops|Passes)|(?P<wins>Wins\b)",
    re.IGNORECASE,
)
_BESIDE = 15  # so many blanks at least where the first player does nothing


def read(lines: Iterable[TextLine], lost: Lost) -> Iterator[Record]:
    """The games of a match; `lost` is told of each that cannot be read: its number, the line, the play."""
    length = count = 0
    game: _Game | None = None
    tags: dict[str, str] = {}
    failed = False
    for line in lines:
        if not line.text and not line.wrong:
            continue
        try:
            if line.wrong:
                raise FormatError(line.wrong)
            text = line.text.expandtabs()
            begins = _GAME.fullmatch(text)
            if begins:
                if game and not failed:
                    yield game.record()
                count += 1
                failed = False
                game = _Game(count, line.number, {**tags, "Match": str(length), "Game": begins[1]})
                continue
            if failed or not text.strip():
                continue
            match = _MATCH.fullmatch(text)
            if match:
                length = int(match[1])
                continue
            tag = _TAG.fullmatch(text)
            if tag:
                if tag[1] not in TAGS:  # those are said elsewhere
                    tags[tag[1]] = tag[2]
                if len(tags) > MOST_TAGS:
                    raise FormatError(f"more than {MOST_TAGS} tags in one match")
                continue
            if text.lstrip().startswith((";", "#")):
                continue
            if not game:
                raise FormatError(f"{shown(text.strip())} before the first game; expected a line like Game 1")
            game.take_in(line.number, text)
        except FormatError as error:
            if not game:
                lost(FormatError(error.wrong, line=line.number))
                return
            if not failed:
                lost(FormatError(error.wrong, game=game.number, line=line.number, move=error.move))
            failed = True
    if game and not failed:
        yield game.record()


def _players(text: str) -> dict[str, str]:
    """The tags that the line with the players says; none where it is another line."""
    if len(text) > LONGEST_PLAYERS:
        raise FormatError(f"{shown(text.strip())}, and more: expected {LONGEST_PLAYERS} characters at most")
    first = _SCORE.search(text)
    if not first:
        return {}
    one, (two, _, score) = text[: first.start()].strip(), text[first.end() :].rpartition(":")
    if not one or not two.strip() or not _LAST_SCORE.fullmatch(score.strip()):
        return {}
    return {"O": one, "ScoreO": first[1], "X": two.strip(), "ScoreX": score.strip()}


class _Game:
    """A game as far as it was read."""

    def __init__(self, number: int, at: int, tags: dict[str, str]) -> None:
        self.number, self.at, self.tags = number, at, tags
        self.state: Any = Backgammon.start()
        self.steps: list[Step] = []
        self.cube, self.owner = 1, 0
        #: Who has doubled, and waits for the answer.
        self.offered = 0
        #: Who has won, and how many points; 0 as long as nobody has.
        self.winner = self.points = 0
        self.lines = 0

    def record(self) -> Record:
        """The game, whether it has ended or not."""
        result = {MAX: "1-0", MIN: "0-1"}.get(self.winner, UNKNOWN)
        record = Record(Backgammon.start(), tags=self.tags, result=result)
        record.line.steps = self.steps
        if self.points:
            record.tags["Points"] = str(self.points)
        return record

    def take_in(self, at: int, text: str) -> None:
        """A line of the game. Raises `FormatError`."""
        self.lines += 1
        if self.lines > MOST_LINES:
            raise FormatError(f"more than {MOST_LINES:,} lines in one game")
        numbered = _NUMBERED.fullmatch(text)
        if numbered:
            self._take_actions(at, numbered[2])
            return
        wins = _WINS.fullmatch(text)
        if wins:
            self._win(at, MAX if len(text) - len(text.lstrip()) > _BESIDE else MIN, int(wins[1]))
            return
        players = _players(text)
        if not players or self.steps:
            raise FormatError(f"{shown(text.strip())}; expected a line like  1) 31: 8/5 6/5   42: 8/4 6/4")
        self.tags |= players

    def _take_actions(self, at: int, text: str) -> None:
        found = list(_ACTION.finditer(text))
        if text[: found[0].start() if found else None].strip() or len(found) > 2:
            raise FormatError(
                f"{shown(text.strip())}; expected what each player does, like 31: 8/5 6/5 or Doubles => 2"
            )
        for place, action in enumerate(found):
            end = found[place + 1].start() if place + 1 < len(found) else len(text)
            player = MAX if place or action.start() > _BESIDE else MIN
            self._act(at, player, action, " ".join(text[action.end() : end].split()))

    def _act(self, at: int, player: int, action: re.Match[str], rest: str) -> None:
        if action["wins"]:
            won = re.fullmatch(r"([0-9]{1,6}) points?( and the match)?", rest, re.IGNORECASE)
            if not won:
                raise FormatError(f"Wins {shown(rest)}; expected how much, like Wins 2 points")
            self._win(at, player, int(won[1]))
            return
        who = self.state.player_name(player)
        if self.winner or self.state.is_over():
            raise FormatError(f"{who} goes on ({action[0]} {rest}) where the game is over")
        if action["roll"]:
            self._roll(at, player, action["roll"], rest)
            return
        if rest:
            raise FormatError(f"{shown(rest)} after {action[0]}; expected nothing more")
        if action["cube"]:
            self._check_turn(player, action[0])
            if self.owner not in (0, player):
                raise FormatError(f"{who} doubles, but the cube is the other's; expected a roll")
            if int(action["cube"]) != 2 * self.cube:
                raise FormatError(f"{action[0]}; the cube shows {self.cube}, so expected Doubles => {2 * self.cube}")
            self.offered = player
            self._say(at, DOUBLE)
        elif self.offered != -player:
            raise FormatError(f"{who} {action[0].casefold()} where no double was offered; expected a roll")
        elif action["take"]:
            self.cube, self.owner, self.offered = 2 * self.cube, player, 0
            self._say(at, TAKE)
        else:
            self.winner, self.points = -player, self.cube
            self._say(at, DROP)

    def _check_turn(self, player: int, what: str) -> None:
        """It is the player's turn, and nothing is left to be answered. Raises `FormatError`."""
        who, other = self.state.player_name(player), self.state.player_name(-player)
        if self.offered:
            raise FormatError(f"{who}: {what} where a double was offered; expected Takes or Drops")
        if self.state.turn == -player:
            raise FormatError(f"{who}: {what} where it is the turn of {other}")

    def _roll(self, at: int, player: int, dice: str, play: str) -> None:
        self._check_turn(player, f"{dice}:")
        larger, smaller = sorted(dice, reverse=True)
        first = smaller + larger if player == MIN and self.state.turn == 0 else larger + smaller
        self._move(at, first)
        self._move(at, play or "pass")

    def _move(self, at: int, text: str) -> None:
        try:
            move = self.state.parse_move(text)
        except IllegalMove as error:
            raise FormatError(str(error), move=text) from None
        self.steps.append(Step(self.state.move_name(move), move, at=at))
        self.state = self.state.play(move)

    def _say(self, at: int, text: str) -> None:
        self.steps.append(Step(text, at=at))

    def _win(self, at: int, player: int, points: int) -> None:
        who = self.state.player_name(player)
        if self.winner and (player, points) != (self.winner, self.points):
            expected = self.state.player_name(self.winner)
            raise FormatError(f"{who} wins {points}; expected {expected} to win {self.points}")
        if self.state.is_over():
            value = self.state.utility()
            # Played for money gammons may count for one as long as nobody has doubled (the rule of Jacoby).
            if value * player < 0 or points not in (abs(value) * self.cube, self.cube):
                expected = self.state.player_name(MAX if value > 0 else MIN)
                raise FormatError(f"{who} wins {points}; expected {expected} to win {abs(value) * self.cube}")
        elif not self.winner:
            if points not in (self.cube, 2 * self.cube, 3 * self.cube):
                raise FormatError(
                    f"{who} wins {points} with the cube on {self.cube}; expected once, twice or thrice that"
                )
            self._say(at, RESIGN)
        self.winner, self.points = player, points


# ---- writing --------------------------------------------------------------------------------------------------


def write(record: Record) -> str:
    """A game as match text; the first one of a match with the match's own line before it."""
    if record.start != Backgammon.start():
        raise FormatError("match text has no other start than the usual one; expected a game from there")
    tags = {"O": "O", "X": "X", "Match": "0", "Game": "1", "ScoreO": "0", "ScoreX": "0", **record.tags}
    lines = []
    if tags["Game"] == "1":
        lines += [
            f'; [{name} "{value}"]' for name, value in record.tags.items() if name not in TAGS and '"' not in value
        ]
        lines += [f" {tags['Match']} point match", ""]
    lines += [f" Game {tags['Game']}", f" {_player(tags, 'O'):<29}  {_player(tags, 'X')}"]
    return "\n".join([*lines, *_rows(record, tags.get("Points") or _points(record)), "", ""])


def _player(tags: dict[str, str], side: str) -> str:
    return f"{' '.join(tags[side].split())} : {tags[f'Score{side}']}"


def _points(record: Record) -> str:
    """What a game that was played out is worth with the cube where it began."""
    end = record.end()
    return str(abs(end.utility())) if end.is_over() else "1"


def _rows(record: Record, points: str) -> Iterator[str]:
    """The lines of what the players do, two a line."""
    cells = list(_cells(record))
    if cells and cells[0][0] == MAX:
        cells.insert(0, (MIN, ""))
    winner, won = 0, ""
    if record.result != UNKNOWN:
        winner = MAX if record.result == "1-0" else MIN
        won = f" Wins {points} point{'' if points == '1' else 's'}"
    for place in range(0, len(cells), 2):
        left = cells[place][1]
        right = cells[place + 1][1] if place + 1 < len(cells) else ""
        if won and winner == MAX and place + 1 == len(cells):
            right, won = won, ""
        yield f"{place // 2 + 1:3}) {left:<{COLUMN - 6}} {right}".rstrip()
    if won:
        yield (" " * COLUMN if winner == MAX else " " * 5) + won


def _cells(record: Record) -> Iterator[tuple[int, str]]:
    """What each player does, in order: a roll and its play, or something about the cube."""
    state: Any = record.start
    cube = 1
    roll = ""
    for step in record.line.steps:
        if step.move is not None and state.to_move() != CHANCE:
            yield state.turn, (roll + _plain(state, step.move)).rstrip()
            roll = ""
        if step.move is not None:
            state = state.play(step.move)
            roll = f"{state.dice}: " if state.dice else ""
        elif step.text == DOUBLE:
            yield state.turn, f" Doubles => {2 * cube}"
        elif step.text in (TAKE, DROP):
            cube *= 2
            yield -state.turn, " Takes" if step.text == TAKE else " Drops"
        elif step.text != RESIGN:
            raise FormatError(f"match text has no way to tell {shown(step.text)}", line=step.at, move=step.text)
    if roll:
        yield state.turn, roll.rstrip()


def _plain(state: Backgammon, move: int) -> str:
    """A play step by step, as such files have it: 25 is the bar, 0 off the board."""
    steps = steps_of(state, move)
    hits = hits_of(state, steps)
    told = []
    for start, end in steps:
        told.append(f"{start}/{end}{'*' if end in hits else ''}")
        hits.discard(end)
    return " ".join(told)
