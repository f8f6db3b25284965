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

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.errors import FormatError, IllegalMove
from zermelo.formats.line_reader import TextLine, checked
from zermelo.formats.movetext import OnError, shown
from zermelo.formats.record import UNKNOWN, Record, Step
from zermelo.games.backgammon import Backgammon
from zermelo.games.backgammon.notation import hits_of, steps_of

DOUBLE, TAKE, DROP, RESIGN = "double", "take", "drop", "resign"
#: The tags of a game: the players, the points that the match is played to (0: for money), the number of the game in
#: it, the score before it, and the points won in it.
TAGS = ("O", "X", "Match", "Game", "ScoreO", "ScoreX", "Points")
_EACH = ("O", "X", "Game", "ScoreO", "ScoreX")  # what each game of a match tells
#: A game has so many lines at most; random games come to some hundred.
MOST_LINES = 5_000
#: The largest number of points, and on the cube, that is read.
MOST_POINTS = 999_999
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
_POINTS = re.compile(r"[1-9][0-9]{0,5}")
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


def read(lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """The games of a match; `on_error` is called for each that cannot be read: its number, the line, the play."""
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
                on_error(FormatError(error.wrong, line=line.number))
                return
            if not failed:
                on_error(FormatError(error.wrong, game=game.number, line=line.number, move=error.move))
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
            self.win(at, MAX if len(text) - len(text.lstrip()) > _BESIDE else MIN, int(wins[1]))
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
            self.win(at, player, int(won[1]))
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
            self.say(at, player, DOUBLE)
            if int(action["cube"]) != 2 * self.cube:
                raise FormatError(f"{action[0]}; the cube shows {self.cube}, so expected Doubles => {2 * self.cube}")
        else:
            self.say(at, player, TAKE if action["take"] else DROP)

    def say(self, at: int, player: int, what: str) -> None:
        """The player doubles, takes or drops. Raises `FormatError` where the rules of the cube do not let it."""
        who = self.state.player_name(player)
        if what == DOUBLE:
            if self.state.turn == 0:
                raise FormatError(f"{who} doubles before the first roll; expected that first")
            self.check_turn(player, "a double")
            if self.owner not in (0, player):
                raise FormatError(f"{who} doubles, but the cube is the other's; expected a roll")
            if 2 * self.cube > MOST_POINTS:
                raise FormatError(f"{who} doubles to {2 * self.cube:,}; expected {MOST_POINTS:,} at most")
            self.offered = player
        elif not self.offered or self.offered != -player:
            raise FormatError(f"{who} {what}s where no double was offered; expected a roll")
        elif what == TAKE:
            self.cube, self.owner, self.offered = 2 * self.cube, player, 0
        else:
            self.winner, self.points, self.offered = -player, self.cube, 0
        self.steps.append(Step(what, at=at))

    def check_turn(self, player: int, what: str) -> None:
        """It is the player's turn, and nothing is left to be answered or played. Raises `FormatError`."""
        who, other = self.state.player_name(player), self.state.player_name(-player)
        if self.offered:
            raise FormatError(f"{who}: {what} where a double was offered; expected Takes or Drops")
        if self.state.turn == -player:
            raise FormatError(f"{who}: {what} where it is the turn of {other}")
        if self.state.dice:
            raise FormatError(f"{who}: {what} where {self.state.dice} is still to be played; expected a play before it")

    def _roll(self, at: int, player: int, dice: str, play: str) -> None:
        self.check_turn(player, f"{dice}:")
        larger, smaller = sorted(dice, reverse=True)
        first = smaller + larger if player == MIN and self.state.turn == 0 else larger + smaller
        self._move(at, first)
        if play or self.state.move_name(self.state.legal_moves()[0]) == "pass":
            self._move(at, play or "pass")
        # Else the game stops here, or somebody gives up.

    def _move(self, at: int, text: str) -> None:
        try:
            move = self.state.parse_move(text)
        except IllegalMove as error:
            raise FormatError(str(error), move=text) from None
        self.steps.append(Step(self.state.move_name(move), move, at=at))
        self.state = self.state.play(move)

    def win(self, at: int, player: int, points: int) -> None:
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
            self.steps.append(Step(RESIGN, at=at))
        self.winner, self.points = player, points


# ---- writing --------------------------------------------------------------------------------------------------


def write(record: Record) -> str:
    """A game as match text; the first one of a match with the match's own line before it.

    Raises `FormatError` for what cannot be told so, or would not be read again.
    """
    if record.start != Backgammon.start():
        raise FormatError("match text has no other start than the usual one; expected a game from there")
    rows = list(_rows(record))
    if len(rows) >= MOST_LINES:
        raise FormatError(f"more than {MOST_LINES:,} lines in one game")
    return checked("\n".join([*_head(record), *rows, "", ""]))


def _head(record: Record) -> list[str]:
    """The lines before the first roll, tried by reading them."""
    tags = {"O": "O", "X": "X", "Match": "0", "Game": "1", "ScoreO": "0", "ScoreX": "0", **record.tags}
    tags = {name: " ".join(value.split()) for name, value in tags.items() if name != "Points"}
    is_first = tags["Game"] == "1"
    lines = []
    if is_first:
        lines += [f'; [{name} "{value}"]' for name, value in tags.items() if name not in TAGS]
        lines += [f" {tags['Match']} point match", ""]
    one, two = (f"{tags[side]} : {tags[f'Score{side}']}" for side in ("O", "X"))
    lines += [f" Game {tags['Game']}", f" {one:<29}  {two}"]
    lost: list[FormatError] = []
    again = {}
    for game in read((TextLine(number, line) for number, line in enumerate(lines, 1)), lost.append):
        again = game.tags
    if lost:
        raise FormatError(f"the tags cannot be told: {lost[0].wrong}")
    for name, value in tags.items():
        if again.get(name) != value and (is_first or name in _EACH):
            raise FormatError(f"tag {shown(name)} {shown(value)} cannot be told in match text")
    return lines


def _rows(record: Record) -> Iterator[str]:
    """The lines of what the players do, two a line."""
    game = _Game(0, 0, {})
    cells = list(_cells(record, game))
    winner, won = _won(record, game)
    if cells and cells[0][0] == MAX:
        cells.insert(0, (MIN, ""))
    for place in range(0, len(cells), 2):
        left = cells[place][1]
        right = cells[place + 1][1] if place + 1 < len(cells) else ""
        if won and winner == MAX and place + 1 == len(cells):
            right, won = won, ""
        yield f"{place // 2 + 1:3}) {left:<{COLUMN - 6}} {right}".rstrip()
    if won:
        yield (" " * COLUMN if winner == MAX else " " * 5) + won


def _won(record: Record, game: _Game) -> tuple[int, str]:
    """Who has won and how it is told; 0 and nothing where no result is known."""
    resigned = bool(record.line.steps) and record.line.steps[-1].text == RESIGN
    told = record.tags.get("Points", "")
    if record.result == UNKNOWN:
        if game.winner or resigned or told:
            raise FormatError("somebody has won, but there is no result; expected 1-0 or 0-1")
        return 0, ""
    winner = {"1-0": MAX, "0-1": MIN}.get(record.result)
    if winner is None:
        raise FormatError(f"result {record.result}; a game of backgammon has none but 1-0 and 0-1")
    is_over = game.state.is_over()
    if not (is_over or game.winner or resigned):
        raise FormatError(f"result {record.result}, but the game goes on; expected {RESIGN} as its last step")
    points = told or str(game.points or game.cube * (abs(game.state.utility()) if is_over else 1))
    if not _POINTS.fullmatch(points):
        raise FormatError(f"tag Points {shown(points)}; expected a number from 1 to {MOST_POINTS:,}")
    game.win(0, winner, int(points))
    return winner, f" Wins {points} point{'' if points == '1' else 's'}"


def _cells(record: Record, game: _Game) -> Iterator[tuple[int, str]]:
    """What each player does, in order: a roll and its play, or something about the cube. The game goes along."""
    roll = ""
    for place, step in enumerate(record.line.steps):
        state = game.state
        if game.winner or state.is_over():
            raise FormatError(f"{shown(step.text)} where the game is over; expected nothing more", line=step.at)
        if step.move is not None:
            if game.offered:
                raise FormatError(f"{shown(step.text)} where a double was offered; expected take or drop", line=step.at)
            if state.to_move() != CHANCE:
                yield state.turn, (roll + _plain(state, step.move)).rstrip()
                roll = ""
            game.state = state.play(step.move)
            if game.state.dice:
                roll = f"{game.state.dice}: "
        elif step.text == DOUBLE:
            yield state.turn, f" Doubles => {2 * game.cube}"
            game.say(step.at, state.turn, DOUBLE)
        elif step.text in (TAKE, DROP):
            player = -game.offered or -state.turn
            yield player, " Takes" if step.text == TAKE else " Drops"
            game.say(step.at, player, step.text)
        elif step.text != RESIGN or place + 1 < len(record.line.steps):
            raise FormatError(f"match text has no way to tell {shown(step.text)} here", line=step.at, move=step.text)
    if roll:
        yield game.state.turn, roll.rstrip()


def _plain(state: Backgammon, move: int) -> str:
    """A play step by step, as such files have it: 25 is the bar, 0 off the board."""
    steps = steps_of(state, move)
    hits = hits_of(state, steps)
    told = []
    for start, end in steps:
        told.append(f"{start}/{end}{'*' if end in hits else ''}")
        hits.discard(end)
    return " ".join(told)
