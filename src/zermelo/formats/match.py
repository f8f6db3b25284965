"""Match text: backgammon games as written by Jellyfish and GNU Backgammon (`.mat` files).

     5 point match

     Game 1
     gnubg : 0                      root : 0
      1)                             21: 13/11 24/23
      2) 52: 13/8 24/22               Doubles => 2
      3)  Takes                      63: 8/5 11/5

The first player is O and the second one X, as in GNU Backgammon. In a record each roll and each play is a move.
Doubling cube actions and resignation are steps without a move: `double`, `take`, `drop`, `resign`. The result is 1-0 if
X has won; the points are in the tags (`TAGS`).
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
#: The tags of a game: the players, the match length (0 for a money game), the number of the game in the match, the
#: score before the game, and the points won.
TAGS = ("O", "X", "Match", "Game", "ScoreO", "ScoreX", "Points")
_EACH = ("O", "X", "Game", "ScoreO", "ScoreX")  # tags that each game of a match has
#: The most lines of a game; random games have a few hundred.
MAX_LINES = 5_000
#: The largest number of points, and cube value.
MAX_POINTS = 999_999
#: The most tags of a match, and the longest line with the players, in characters.
MAX_TAGS = 100
MAX_PLAYERS_LENGTH = 500
#: The column of the second player.
COLUMN = 33

_MATCH = re.compile(r"\s*([0-9]{1,5}) point match\s*", re.IGNORECASE)
_GAME = re.compile(r"\s*Game\s+([0-9]{1,6})\s*", re.IGNORECASE)
# The end of the first player's score; names may contain anything. No pattern here can match the same spaces in more
# than one way, as that would take quadratic time on long lines.
_SCORE = re.compile(r":\s*([0-9]{1,5})\s{2,}")
_POINTS = re.compile(r"[1-9][0-9]{0,5}")
_LAST_SCORE = re.compile(r"[0-9]{1,5}")
_TAG = re.compile(r'\s*;\s*\[\s*([A-Za-z0-9_]{1,40}(?:[ ][A-Za-z0-9_]{1,40}){0,9})\s*"([^"]*)"\s*\]\s*')
_NUMBERED = re.compile(r"\s*([0-9]{1,6})\)(.*)")
_WINS = re.compile(r"\s*Wins\s+([0-9]{1,6})\s+points?(?:\s+and\s+the\s+match)?\s*", re.IGNORECASE)
# The actions of a player.
_ACTION = re.compile(
    r"(?P<roll>[1-6]{2}):|Doubles\s*=>\s*(?P<cube>[0-9]{1,6})|(?P<take>Takes)|(?P<drop>Drops|Passes)|(?P<wins>Wins\b)",
    re.IGNORECASE,
)
_SECOND_PLAYER = 15  # an action that starts after this column belongs to the second player


def read(lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """Yield the games of a match; call `on_error` for each that cannot be read."""
    length = count = 0
    game: _Game | None = None
    tags: dict[str, str] = {}
    failed = False
    for line in lines:
        if not line.text and not line.error:
            continue
        try:
            if line.error:
                raise FormatError(line.error)
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
                if tag[1] not in TAGS:  # those are derived from other lines
                    tags[tag[1]] = tag[2]
                if len(tags) > MAX_TAGS:
                    raise FormatError(f"the match has more than {MAX_TAGS} tags")
                continue
            if text.lstrip().startswith((";", "#")):
                continue
            if not game:
                raise FormatError(f"{shown(text.strip())} before the first game; expected a line like Game 1")
            game.read_line(line.number, text)
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
    """Parse the line with the players to tags; empty if it is another line."""
    if len(text) > MAX_PLAYERS_LENGTH:
        raise FormatError(f"{shown(text.strip())} has {len(text):,} characters; expected at most {MAX_PLAYERS_LENGTH}")
    first = _SCORE.search(text)
    if not first:
        return {}
    one, (two, _, score) = text[: first.start()].strip(), text[first.end() :].rpartition(":")
    if not one or not two.strip() or not _LAST_SCORE.fullmatch(score.strip()):
        return {}
    return {"O": one, "ScoreO": first[1], "X": two.strip(), "ScoreX": score.strip()}


class _Game:
    """A game that is being read, with the state of the doubling cube."""

    def __init__(self, number: int, at: int, tags: dict[str, str]) -> None:
        self.number, self.at, self.tags = number, at, tags
        self.state: Any = Backgammon.start()
        self.steps: list[Step] = []
        self.cube, self.owner = 1, 0
        #: The player who has doubled and waits for the answer; 0 for none.
        self.offered = 0
        #: The winner and the points won; 0 while the game is played.
        self.winner = self.points = 0
        self.lines = 0

    def record(self) -> Record:
        """Return the game, finished or not."""
        result = {MAX: "1-0", MIN: "0-1"}.get(self.winner, UNKNOWN)
        record = Record(Backgammon.start(), tags=self.tags, result=result)
        record.line.steps = self.steps
        if self.points:
            record.tags["Points"] = str(self.points)
        return record

    def read_line(self, at: int, text: str) -> None:
        """Read a line of the game. Raises `FormatError`."""
        self.lines += 1
        if self.lines > MAX_LINES:
            raise FormatError(f"the game has more than {MAX_LINES:,} lines")
        numbered = _NUMBERED.fullmatch(text)
        if numbered:
            self._take_actions(at, numbered[2])
            return
        wins = _WINS.fullmatch(text)
        if wins:
            self.win(at, MAX if len(text) - len(text.lstrip()) > _SECOND_PLAYER else MIN, int(wins[1]))
            return
        players = _players(text)
        if not players or self.steps:
            raise FormatError(f"{shown(text.strip())}; expected a line like  1) 31: 8/5 6/5   42: 8/4 6/4")
        self.tags |= players

    def _take_actions(self, at: int, text: str) -> None:
        found = list(_ACTION.finditer(text))
        if text[: found[0].start() if found else None].strip() or len(found) > 2:
            raise FormatError(
                f"{shown(text.strip())}; expected actions of each player, like 31: 8/5 6/5 or Doubles => 2"
            )
        for index, action in enumerate(found):
            end = found[index + 1].start() if index + 1 < len(found) else len(text)
            player = MAX if index or action.start() > _SECOND_PLAYER else MIN
            self._act(at, player, action, " ".join(text[action.end() : end].split()))

    def _act(self, at: int, player: int, action: re.Match[str], rest: str) -> None:
        if action["wins"]:
            won = re.fullmatch(r"([0-9]{1,6}) points?( and the match)?", rest, re.IGNORECASE)
            if not won:
                raise FormatError(f"Wins {shown(rest)}; expected points, like Wins 2 points")
            self.win(at, player, int(won[1]))
            return
        name = self.state.player_name(player)
        if self.winner or self.state.is_over():
            raise FormatError(f"{name} continues ({action[0]} {rest}) after the end of the game")
        if action["roll"]:
            self._roll(at, player, action["roll"], rest)
            return
        if rest:
            raise FormatError(f"{shown(rest)} after {action[0]}; expected no further text")
        if action["cube"]:
            self.cube_action(at, player, DOUBLE)
            if int(action["cube"]) != 2 * self.cube:
                raise FormatError(f"{action[0]} with the cube at {self.cube}; expected Doubles => {2 * self.cube}")
        else:
            self.cube_action(at, player, TAKE if action["take"] else DROP)

    def cube_action(self, at: int, player: int, action: str) -> None:
        """Double, take or drop. Raises `FormatError` if the rules of the cube do not allow it."""
        name = self.state.player_name(player)
        if action == DOUBLE:
            if self.state.turn == 0:
                raise FormatError(f"{name} doubles before the first roll; expected a roll")
            self.check_turn(player, "a double")
            if self.owner not in (0, player):
                raise FormatError(f"{name} doubles, but the other player owns the cube; expected a roll")
            if 2 * self.cube > MAX_POINTS:
                raise FormatError(f"{name} doubles to {2 * self.cube:,}; expected at most {MAX_POINTS:,}")
            self.offered = player
        elif not self.offered or self.offered != -player:
            raise FormatError(f"{name} {action}s, but no double was offered; expected a roll")
        elif action == TAKE:
            self.cube, self.owner, self.offered = 2 * self.cube, player, 0
        else:
            self.winner, self.points, self.offered = -player, self.cube, 0
        self.steps.append(Step(action, line_number=at))

    def check_turn(self, player: int, action: str) -> None:
        """Raise `FormatError` unless it is the player's turn to roll or double."""
        name, other = self.state.player_name(player), self.state.player_name(-player)
        if self.offered:
            raise FormatError(f"{name}: {action} after a double; expected Takes or Drops")
        if self.state.turn == -player:
            raise FormatError(f"{name}: {action}, but {other} is to move")
        if self.state.dice:
            raise FormatError(f"{name}: {action}, but {self.state.dice} has not been played; expected a play")

    def _roll(self, at: int, player: int, dice: str, play: str) -> None:
        self.check_turn(player, f"{dice}:")
        larger, smaller = sorted(dice, reverse=True)
        first = smaller + larger if player == MIN and self.state.turn == 0 else larger + smaller
        self._move(at, first)
        if play or self.state.move_name(self.state.legal_moves()[0]) == "pass":
            self._move(at, play or "pass")
        # Otherwise the game stops here, or a player resigns.

    def _move(self, at: int, text: str) -> None:
        try:
            move = self.state.parse_move(text)
        except IllegalMove as error:
            raise FormatError(str(error), move=text) from None
        self.steps.append(Step(self.state.move_name(move), move, line_number=at))
        self.state = self.state.play(move)

    def win(self, at: int, player: int, points: int) -> None:
        name = self.state.player_name(player)
        if self.winner and (player, points) != (self.winner, self.points):
            expected = self.state.player_name(self.winner)
            raise FormatError(f"{name} wins {points}; expected {expected} to win {self.points}")
        if self.state.is_over():
            value = self.state.utility()
            # In money games with the Jacoby rule a gammon counts 1 without a double.
            if value * player < 0 or points not in (abs(value) * self.cube, self.cube):
                expected = self.state.player_name(MAX if value > 0 else MIN)
                raise FormatError(f"{name} wins {points}; expected {expected} to win {abs(value) * self.cube}")
        elif not self.winner:
            if points not in (self.cube, 2 * self.cube, 3 * self.cube):
                raise FormatError(
                    f"{name} wins {points} with the cube at {self.cube}; expected 1, 2 or 3 times the cube"
                )
            self.steps.append(Step(RESIGN, line_number=at))
        self.winner, self.points = player, points


# ---- writing --------------------------------------------------------------------------------------------------


def write(record: Record) -> str:
    """Return a game as match text; game 1 with the header of the match.

    Raises `FormatError` if the game cannot be represented, or could not be read back.
    """
    if record.start != Backgammon.start():
        raise FormatError("match text has no start positions; expected a game from the initial position")
    rows = list(_rows(record))
    if len(rows) >= MAX_LINES:
        raise FormatError(f"the game has more than {MAX_LINES:,} lines")
    return checked("\n".join([*_head(record), *rows, "", ""]))


def _head(record: Record) -> list[str]:
    """Return the lines before the first roll, checked by reading them back."""
    tags = {"O": "O", "X": "X", "Match": "0", "Game": "1", "ScoreO": "0", "ScoreX": "0", **record.tags}
    tags = {name: " ".join(value.split()) for name, value in tags.items() if name != "Points"}
    is_first = tags["Game"] == "1"
    lines = []
    if is_first:
        lines += [f'; [{name} "{value}"]' for name, value in tags.items() if name not in TAGS]
        lines += [f" {tags['Match']} point match", ""]
    one, two = (f"{tags[side]} : {tags[f'Score{side}']}" for side in ("O", "X"))
    lines += [f" Game {tags['Game']}", f" {one:<29}  {two}"]
    errors: list[FormatError] = []
    read_back = {}
    for game in read((TextLine(number, line) for number, line in enumerate(lines, 1)), errors.append):
        read_back = game.tags
    if errors:
        raise FormatError(f"match text cannot represent the tags: {errors[0].wrong}")
    for name, value in tags.items():
        if read_back.get(name) != value and (is_first or name in _EACH):
            raise FormatError(f"match text cannot represent tag {shown(name)} {shown(value)}")
    return lines


def _rows(record: Record) -> Iterator[str]:
    """Yield the lines of the game, with an action of each player."""
    game = _Game(0, 0, {})
    cells = list(_cells(record, game))
    winner, won = _winner(record, game)
    if cells and cells[0][0] == MAX:
        cells.insert(0, (MIN, ""))
    for index in range(0, len(cells), 2):
        left = cells[index][1]
        right = cells[index + 1][1] if index + 1 < len(cells) else ""
        if won and winner == MAX and index + 1 == len(cells):
            right, won = won, ""
        yield f"{index // 2 + 1:3}) {left:<{COLUMN - 6}} {right}".rstrip()
    if won:
        yield (" " * COLUMN if winner == MAX else " " * 5) + won


def _winner(record: Record, game: _Game) -> tuple[int, str]:
    """Return the winner and the text of the win; 0 and an empty text without a result."""
    resigned = bool(record.line.steps) and record.line.steps[-1].text == RESIGN
    points_tag = record.tags.get("Points", "")
    if record.result == UNKNOWN:
        if game.winner or resigned or points_tag:
            raise FormatError("the game has a winner but no result; expected 1-0 or 0-1")
        return 0, ""
    winner = {"1-0": MAX, "0-1": MIN}.get(record.result)
    if winner is None:
        raise FormatError(f"result {record.result}; expected 1-0 or 0-1")
    is_over = game.state.is_over()
    if not (is_over or game.winner or resigned):
        raise FormatError(f"result {record.result} of an unfinished game; expected {RESIGN} as the last step")
    points = points_tag or str(game.points or game.cube * (abs(game.state.utility()) if is_over else 1))
    if not _POINTS.fullmatch(points):
        raise FormatError(f"tag Points {shown(points)}; expected a number from 1 to {MAX_POINTS:,}")
    game.win(0, winner, int(points))
    return winner, f" Wins {points} point{'' if points == '1' else 's'}"


def _cells(record: Record, game: _Game) -> Iterator[tuple[int, str]]:
    """Yield the actions in order: a roll with its play, or a cube action. Plays them in `game`."""
    roll = ""
    for index, step in enumerate(record.line.steps):
        state = game.state
        if game.winner or state.is_over():
            raise FormatError(
                f"{shown(step.text)} after the end of the game; expected no further moves", line=step.line_number
            )
        if step.move is not None:
            if game.offered:
                raise FormatError(f"{shown(step.text)} after a double; expected take or drop", line=step.line_number)
            if state.to_move() != CHANCE:
                yield state.turn, (roll + _play_text(state, step.move)).rstrip()
                roll = ""
            game.state = state.play(step.move)
            if game.state.dice:
                roll = f"{game.state.dice}: "
        elif step.text == DOUBLE:
            yield state.turn, f" Doubles => {2 * game.cube}"
            game.cube_action(step.line_number, state.turn, DOUBLE)
        elif step.text in (TAKE, DROP):
            player = -game.offered or -state.turn
            yield player, " Takes" if step.text == TAKE else " Drops"
            game.cube_action(step.line_number, player, step.text)
        elif step.text != RESIGN or index + 1 < len(record.line.steps):
            raise FormatError(
                f"match text cannot represent {shown(step.text)} here", line=step.line_number, move=step.text
            )
    if roll:
        yield game.state.turn, roll.rstrip()


def _play_text(state: Backgammon, move: int) -> str:
    """Return a play step by step, as match text writes it: 25 is the bar, 0 is off the board."""
    steps = steps_of(state, move)
    hits = hits_of(state, steps)
    written = []
    for start, end in steps:
        written.append(f"{start}/{end}{'*' if end in hits else ''}")
        hits.discard(end)
    return " ".join(written)
