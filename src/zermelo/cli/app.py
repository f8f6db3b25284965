"""The Typer application: commands, groups and help texts. Light, because every command loads it."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from zermelo._util.terminal import print_block, print_line

OPTION = re.compile(r"-[a-zA-Z]|--[a-z]{2,}(-[a-z]{2,})*")


class Command(TyperCommand):
    """A command whose arguments may begin with a dash, as positions do: `zermelo analyse tictactoe -X-/---/---`.

    Options are listed in groups (`rich_help_panel`). Arguments appear in the usage line and in the epilog only.
    """

    def format_options(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                groups.setdefault(getattr(param, "rich_help_panel", None) or "Options", []).append(record)
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        arguments, path = self.collect_usage_pieces(ctx), ctx.command_path
        if getattr(ctx.parent.command, "game_first", False):
            path = f"{ctx.parent.command_path} {arguments.pop(0)} {ctx.info_name}"
        formatter.write_usage(path, " ".join(arguments))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        arguments = [param.metavar or "" for param in self.params if param.param_type_name == "argument"]
        return [*arguments, "[OPTIONS]"]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reorder: options first, then `--`, then arguments that only look like options."""
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
                    if value is None:  # no `--` after it, so that the parser reports the missing value
                        return super().parse_args(ctx, options)
                    options.append(value)
            elif OPTION.fullmatch(name) or (name[:2] == "--" and get_close_matches(name, takes_value, cutoff=0.75)):
                options.append(word)  # a misspelt option: the parser reports it
            else:
                others.append(word)
        return super().parse_args(ctx, [*options, "--", *others])


class Commands(TyperGroup):
    """The commands, listed in groups (`COMMAND_GROUPS`)."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] == "data":  # an earlier version's
            ctx.fail("the command 'data' is now 'learn GAME positions'")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        names = [name for group in COMMAND_GROUPS.values() for name in group]
        return sorted(super().list_commands(ctx), key=lambda name: names.index(name) if name in names else len(names))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, names in COMMAND_GROUPS.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            room = formatter.width - 6 - max(map(len, names))
            with formatter.section(title):
                formatter.write_dl([(name, each.get_short_help_str(room)) for name, each in commands if each])


#: The commands in the order of `zermelo --help`.
COMMAND_GROUPS = {
    "Play and analyse": ("games", "show", "analyse", "solve", "explain", "rollout", "cube", "review", "play", "serve"),
    "Write a game": ("new", "check", "perft", "bench", "cache"),
    "Matches and tournaments": ("match", "tournament", "resume", "standings", "league", "sandbox"),
    "Teaching": ("tree", "exercise", "lectures"),
    "Files, data and protocols": ("convert", "learn", "book", "tables", "uci", "gtp", "nboard", "equilibrium"),
}


app = typer.Typer(
    name="zermelo",
    cls=Commands,
    help="Find the best move in two-player games, prove it where possible, and show why.",
    epilog="Exit codes: 0 success, 1 failure, 2 bad input (one line on standard error), 130 Ctrl-C. Ctrl-C ends a "
    "search with the best move so far.",
    rich_markup_mode=None,  # plain help: rich would double the time that --help takes
    pretty_exceptions_enable=False,
)
cache = typer.Typer(help="Manage the compiled machine code on disk.")
tree = typer.Typer(help="Trace, draw, explain and make game trees.")
exercise = typer.Typer(help="Generate, print and grade exercises; check students' programs.")


def _show_version(is_set: bool) -> None:
    if is_set:
        from zermelo import __version__

        print_line(f"zermelo {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def zermelo(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version and exit.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print_block(FIRST_STEPS)


FIRST_STEPS = """\
Zermelo finds the best move in two-player games, proves it where possible, and shows why. Try:

  zermelo play connect4                                  play against the engine
  zermelo analyse othello --seconds 5                    find the best move
  zermelo tree draw "[[3,12,8],[2,4,6],[14,5,2]]"        watch alpha-beta prune a tree

`zermelo games` lists the games, `zermelo new my_game` writes a template for your own,
`zermelo --help` lists all commands."""


@cache.callback(invoke_without_command=True)
@tree.callback(invoke_without_command=True)
@exercise.callback(invoke_without_command=True)
def _show_help_alone(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print_block(context.get_help())


# Epilogs: printed below the options in place of a list of arguments.
GAME = "GAME is a name from `zermelo games` or a Python file with its class: path/to/game.py:ClassName."
POSITION = (
    "POSITION is written in the game's notation (quote it if it contains spaces); - reads standard input. Default: the "
    "initial position."
)
TREE = (
    "TREE is nested brackets, '[[3,12,8],[2,4,6]]', JSON, a file with one of these, - for standard input, or the name "
    "of a case of `zermelo lectures`."
)
POSITION_FILES = "FILE is a position file, made by `zermelo learn GAME positions --out FILE.positions`."
TREE_OR_GAME = f"{TREE} A GAME with an optional POSITION stands for the game tree of that position. {GAME}"
PLAYERS = (
    "PLAYER is one of: random; EVALUATION:DEPTH for textbook alpha-beta (diff:3), with a prefix minimax:, alphabeta:, "
    "shallow: or sparing: for other textbook searches; engine:seconds=0.1,evaluation=NAME; mcts:nodes=10000; "
    "ismcts:nodes=10000 or pimc:samples=20 for hidden information; strategy:NAME; policy:FILE; human; uci:COMMAND; "
    "xboard:COMMAND; gtp:COMMAND; python:FILE:FUNCTION. NAME=PLAYER names it in the table."
)

CUBE_POSITION = (
    "POSITION is a GNU Backgammon position ID, with a match ID after a colon: 4HPwATDgc/ABMA:cAkAAAAAAAAA; or the "
    "rolls and plays from the initial position: '31 8/5,6/5'."
)
BOOK = f"{GAME} FILE is a book file."


def _add_commands() -> None:
    from zermelo.cli import (
        analyse,
        arena,
        bench,
        book,
        check_game,
        convert,
        cube,
        equilibrium,
        exercise_check,
        exercises,
        explain,
        games,
        gtp,
        league,
        learn,
        lectures,
        nboard,
        new_game,
        perft,
        play,
        review,
        rollout,
        sandbox,
        serve,
        show,
        solve,
        standings,
        tables,
        uci,
    )
    from zermelo.cli import cache as machine_code
    from zermelo.cli import games_export as export
    from zermelo.cli import tree_commands as trees
    from zermelo.cli import tree_draw as draw
    from zermelo.cli import tree_edit as edit
    from zermelo.cli import tree_mcts as playouts
    from zermelo.cli import tree_order as ordering
    from zermelo.cli import tree_why as why

    games_group = typer.Typer(callback=games.games, invoke_without_command=True)
    app.add_typer(games_group, name="games")
    games_group.command("export", cls=Command)(export.export)
    both = f"{GAME} {POSITION}"
    app.command("show", cls=Command, epilog=f"{both}")(show.show)
    app.command("analyse", cls=Command, epilog=f"{both}")(analyse.analyse)
    app.command("analyze", cls=Command, epilog=f"{both}", hidden=True)(analyse.analyse)
    app.command("solve", cls=Command, epilog=f"{GAME} {POSITION} A FILE has a position in each line.")(solve.solve)
    app.command("explain", cls=Command, epilog=f"{both}")(explain.explain)
    app.command("rollout", cls=Command, epilog=both)(rollout.rollout)
    app.command("cube", cls=Command, epilog=CUBE_POSITION)(cube.cube)
    app.command("review", cls=Command, epilog=f"{GAME} FILE has games in any format of GAME; - is standard input.")(
        review.review
    )
    app.command("play", cls=Command, epilog=both)(play.play)
    app.command("serve", cls=Command, epilog=f"{GAME} Files are added to the installed games.")(serve.serve)
    app.command("new", cls=Command, epilog="NAME is the module's name: my_game writes my_game.py.")(new_game.new)
    app.command("check", cls=Command, epilog=GAME)(check_game.check)
    app.command("match", cls=Command, epilog=PLAYERS)(arena.match)
    app.command("tournament", cls=Command, epilog=PLAYERS)(arena.tournament)
    app.command("resume", cls=Command)(arena.resume)
    app.command("standings", cls=Command)(standings.standings)
    app.command("league", cls=Command)(league.league)
    app.command("perft", cls=Command, epilog=f"{both}")(perft.perft)
    app.command("convert", cls=Command, epilog=f"{GAME} IN is a file, or - for standard input.")(convert.convert)
    app.command("equilibrium", cls=Command, epilog=GAME)(equilibrium.equilibrium)
    app.command("bench", cls=Command, epilog=GAME)(bench.bench)
    app.add_typer(cache, name="cache")
    cache.command("show", cls=Command)(machine_code.show)
    cache.command("warm", cls=Command, epilog=GAME)(machine_code.warm)
    cache.command("clear", cls=Command)(machine_code.clear)
    app.add_typer(tree, name="tree")
    tree.command("trace", cls=Command, epilog=TREE_OR_GAME)(trees.trace)
    tree.command("draw", cls=Command, epilog=TREE_OR_GAME)(draw.draw)
    tree.command("edit", cls=Command, epilog=TREE)(edit.edit)
    tree.command("why", cls=Command, epilog=TREE_OR_GAME)(why.why)
    tree.command("order", cls=Command, epilog=TREE_OR_GAME)(ordering.order)
    tree.command("mcts", cls=Command, epilog=GAME)(playouts.mcts)
    tree.command("random", cls=Command)(trees.random)
    tree.command("grow", cls=Command, epilog=f"{both}")(trees.grow)
    app.add_typer(exercise, name="exercise")
    exercise.command("new", cls=Command, epilog=TREE)(exercises.new)
    exercise.command("sheet", cls=Command)(exercises.sheet)
    exercise.command("grade", cls=Command)(exercises.grade)
    exercise.command("check", cls=Command)(exercise_check.check)
    app.command("lectures", cls=Command)(lectures.lectures)
    learn_group = typer.Typer(
        cls=learn.LearnGroup,
        help="Learn evaluations from games: positions, weights, errors. Without an ACTION it is train, with the "
        "options below; `zermelo learn GAME ACTION --help` shows those of the others.",
        epilog=GAME,
    )
    app.add_typer(learn_group, name="learn")
    learn_group.callback(invoke_without_command=True)(_show_help_alone)
    learn_group.command("positions", cls=Command, epilog=GAME)(learn.positions)
    learn_group.command("fit", cls=Command, epilog=f"{GAME} {POSITION_FILES}")(learn.fit)
    learn_group.command("report", cls=Command, epilog=f"{GAME} {POSITION_FILES}")(learn.report)
    learn_group.command("probcut", cls=Command, epilog=f"{GAME} {POSITION_FILES}")(learn.probcut)
    learn_group.command("train", cls=Command, epilog=GAME)(learn.train)
    learn_group.command("td", cls=Command, epilog=GAME)(learn.td)
    learn_group.command("tune", cls=Command, epilog=GAME)(learn.tune)
    book_group = typer.Typer(cls=learn.GameFirst, help="Build, extend, check, show and export opening books.")
    app.add_typer(book_group, name="book")
    book_group.callback(invoke_without_command=True)(_show_help_alone)
    for action in (book.build, book.extend, book.check, book.show, book.export):
        book_group.command(action.__name__, cls=Command, epilog=BOOK)(action)
    app.command("tables", cls=Command, epilog=GAME)(tables.tables)
    app.command("uci", cls=Command)(uci.uci)
    app.command("gtp", cls=Command, epilog=GAME)(gtp.gtp)
    app.command("nboard", cls=Command)(nboard.nboard)
    app.command("sandbox", cls=Command)(sandbox.sandbox)


_add_commands()
#: The application, built once per process: that takes longer than most commands.
command = typer.main.get_command(app)
