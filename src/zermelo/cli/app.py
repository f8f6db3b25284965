"""The commands and their common ground: light, because every command and every `--help` loads it."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

OPTION = re.compile(r"-[a-zA-Z]|--[a-z]{2,}(-[a-z]{2,})*")


class Command(TyperCommand):
    """A command whose arguments may begin with a dash, as positions do: `zermelo analyse tictactoe -X-/---/---`.

    Arguments are hidden from the list of options, because the epilog tells of them; the usage line names them.
    """

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        arguments = [param.metavar or "" for param in self.params if param.param_type_name == "argument"]
        return [*arguments, "[OPTIONS]"]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Options first, then `--`, then what only looks like options: so the parser takes each for what it is."""
        known = [param for param in self.params if param.param_type_name == "option"]
        takes_value = {name: not getattr(param, "is_flag", False) for param in known for name in param.opts}
        takes_value.update({name: False for param in known for name in param.secondary_opts})
        takes_value["--help"] = False
        options: list[str] = []
        others: list[str] = []
        words = iter(args)
        for word in words:
            name, equals, _ = word.partition("=")
            if word == "--":
                others += words
            elif name in takes_value:
                options.append(word)
                if takes_value[name] and not equals:
                    value = next(words, None)
                    if value is None:  # told by the parser, if no `--` stands where the value should
                        return super().parse_args(ctx, options)
                    options.append(value)
            elif OPTION.fullmatch(name) or (name[:2] == "--" and get_close_matches(name, takes_value, cutoff=0.75)):
                options.append(word)  # a mistake, which the parser tells of
            else:
                others.append(word)
        return super().parse_args(ctx, [*options, "--", *others])


class Commands(TyperGroup):
    """The commands in the order they were added, but `games`, a group and so among the last, is what one asks first."""

    def list_commands(self, ctx: Any) -> list[str]:
        return sorted(super().list_commands(ctx), key=lambda name: name != "games")


app = typer.Typer(
    name="zermelo",
    cls=Commands,
    help="The best move in any two-player game: proven where it can be, and shown why.",
    epilog="Bad input is told in one line and ends with code 2; Ctrl-C ends a search with the best move so far.",
    add_completion=False,
    rich_markup_mode=None,  # plain help: rich would double the time that --help takes
    pretty_exceptions_enable=False,
)
cache = typer.Typer(help="The machine code on disk: show, warm, clear.")
tree = typer.Typer(help="Game trees: searched step by step, drawn, explained, sown at random, grown from a game.")
exercise = typer.Typer(help="Exercises on trees: set, printed, graded; and students' programs, checked.")


def _show_version(wanted: bool) -> None:
    if wanted:
        from zermelo import __version__

        print(f"zermelo {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def zermelo(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version and leave.")
    ] = False,
) -> None:
    _show_help_alone(context)


@cache.callback(invoke_without_command=True)
@tree.callback(invoke_without_command=True)
@exercise.callback(invoke_without_command=True)
def _show_help_alone(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


# Told below the options, in place of a list of arguments.
GAME = "GAME is a name from `zermelo games`, or a file and a class in it: path/to/game.py:ClassName."
POSITION = "POSITION is a text in the game's notation, in quotes where it has blanks; without it, the start."
STANDARD_INPUT = "- reads it from standard input."
TREE = (
    "TREE is nested brackets, '[[3,12,8],[2,4,6]]', or JSON, or a file of either, or - for standard input, or a case "
    "of `zermelo lectures`."
)
PLAYERS = (
    "A player is random, EVALUATION:DEPTH (diff:3), the same after minimax:, alphabeta:, shallow: or sparing:, "
    "engine:seconds=0.1,evaluation=NAME, human, uci:COMMAND, gtp:COMMAND or python:FILE:FUNCTION; NAME=PLAYER gives it "
    "a name of its own."
)


def _add_commands() -> None:
    from zermelo.cli import (
        analyse,
        arena,
        bench,
        convert,
        data,
        equilibrium,
        exercise_check,
        exercises,
        explain,
        games,
        league,
        lectures,
        perft,
        play,
        show,
        standings,
        uci,
    )
    from zermelo.cli import cache as machine_code
    from zermelo.cli import games_export as export
    from zermelo.cli import tree_commands as trees
    from zermelo.cli import tree_draw as draw
    from zermelo.cli import tree_order as ordering
    from zermelo.cli import tree_why as why

    games_group = typer.Typer(callback=games.games, invoke_without_command=True)
    app.add_typer(games_group, name="games")
    games_group.command("export", cls=Command)(export.export)
    both = f"{GAME} {POSITION}"
    app.command("show", cls=Command, epilog=f"{both} {STANDARD_INPUT}")(show.show)
    app.command("analyse", cls=Command, epilog=f"{both} {STANDARD_INPUT}")(analyse.analyse)
    app.command("analyze", cls=Command, epilog=f"{both} {STANDARD_INPUT}", hidden=True)(analyse.analyse)
    app.command("explain", cls=Command, epilog=f"{both} {STANDARD_INPUT}")(explain.explain)
    app.command("play", cls=Command, epilog=both)(play.play)
    app.command("match", cls=Command, epilog=PLAYERS)(arena.match)
    app.command("tournament", cls=Command, epilog=PLAYERS)(arena.tournament)
    app.command("resume", cls=Command)(arena.resume)
    app.command("standings", cls=Command)(standings.standings)
    app.command("league", cls=Command)(league.league)
    app.command("perft", cls=Command, epilog=f"{both} {STANDARD_INPUT}")(perft.perft)
    app.command("convert", cls=Command, epilog=f"{GAME} IN is a file; {STANDARD_INPUT}")(convert.convert)
    app.command("equilibrium", cls=Command, epilog=GAME)(equilibrium.equilibrium)
    app.command("bench", cls=Command, epilog=GAME)(bench.bench)
    app.add_typer(cache, name="cache")
    cache.command("show", cls=Command)(machine_code.show)
    cache.command("warm", cls=Command, epilog=GAME)(machine_code.warm)
    cache.command("clear", cls=Command)(machine_code.clear)
    app.add_typer(tree, name="tree")
    tree.command("trace", cls=Command, epilog=TREE)(trees.trace)
    tree.command("draw", cls=Command, epilog=TREE)(draw.draw)
    tree.command("why", cls=Command, epilog=TREE)(why.why)
    tree.command("order", cls=Command, epilog=TREE)(ordering.order)
    tree.command("random", cls=Command)(trees.random)
    tree.command("grow", cls=Command, epilog=f"{both} {STANDARD_INPUT}")(trees.grow)
    app.add_typer(exercise, name="exercise")
    exercise.command("new", cls=Command, epilog=TREE)(exercises.new)
    exercise.command("sheet", cls=Command)(exercises.sheet)
    exercise.command("grade", cls=Command)(exercises.grade)
    exercise.command("check", cls=Command)(exercise_check.check)
    app.command("lectures", cls=Command)(lectures.lectures)
    app.command("data", cls=Command, epilog=GAME)(data.data)
    app.command("uci", cls=Command)(uci.uci)


_add_commands()
