"""Leagues: agents that play well, crash, hang, break the rules or cannot be read, and their reports."""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from zermelo.arena.game_record import GameJob, GameRecord, MoveReport
from zermelo.arena.store import Store
from zermelo.arena.tables.league import collect_league, find_agents, league_plan
from zermelo.arena.tables.league_page import league_page, student_page, write_league
from zermelo.errors import ZermeloError

AGENTS = {
    "anna_meyer": "def choose(state):\n    return state.legal_moves()[0]\n",
    "ben": "def choose(state):\n    return list(state.legal_moves())[-1]\n",
    "crash": "def choose(state):\n    seen = {}\n    return seen['<img src=x onerror=alert(1)>']\n",
    "hang": "def choose(state):\n    while True:\n        pass\n",
    "illegal": "def choose(state):\n    return 99\n",
    "syntax <b>": "def choose(state)\n    return 1\n",
}
#: Agents with a test of their own: one uses all its time in each game.
APART = {"hang", "illegal"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    agents = tmp_path / "class"
    agents.mkdir()
    for name, source in AGENTS.items():
        (agents / f"{name}.py").write_text(source)
    (agents / "binary.py").write_bytes(b"\xff\xfe\x00")
    (agents / "_notes.py").write_text("no agent")
    (agents / "readme.txt").write_text("no agent")
    return agents


class Page(HTMLParser):
    """Elements, links and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)
        for name, value in attrs:
            assert not name.startswith("on")
            if name in ("href", "src"):
                self.links.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.text += data + " "


def test_agents_are_found_in_a_directory(folder: Path) -> None:
    agents = find_agents(folder, "tictactoe")
    assert [agent.name for agent in agents] == sorted([*AGENTS, "binary"])
    assert [agent.name for agent in agents if agent.problem is not None] == ["binary"]
    plan = league_plan(agents, "tictactoe", "League", against=["random", "random"], control="seconds=1")
    assert [entrant.name for entrant in plan.entrants] == [*sorted(AGENTS), "random", "random 2"]


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_a_link_put_there_during_a_league_is_refused_alone(tmp_path: Path) -> None:
    from zermelo.arena.executors.local_executor import InlineExecutor
    from zermelo.arena.tournament import Tournament

    folder, secret = tmp_path / "class", tmp_path / "secret.py"
    folder.mkdir()
    for name in ("ada", "ben", "cem"):
        (folder / f"{name}.py").write_text(AGENTS["ben"])
    secret.write_text(AGENTS["ben"])
    plan = league_plan(find_agents(folder, "tictactoe"), "tictactoe", "League", games=2, openings="start")
    (folder / "cem.py").unlink()
    (folder / "cem.py").symlink_to(secret)
    with Store.create(tmp_path / "games.zermelo", plan.as_dict()) as store, InlineExecutor() as executor:
        run = Tournament(plan, store)
        run.run(executor)
        assert [result.names for result in store.results()] == [("ada", "ben"), ("ben", "ada")]
        assert len(run.failed) == 4
        assert all("cem.py: a link to another file" in error for error in run.failed.values())


STRANGE = {"too long": "x" * 90, "a long one in bytes": "\U0001f600" * 55, "not printable": "a\x07b\nc", "blank": " "}


@pytest.mark.parametrize("what", [*STRANGE, "no text"])
def test_an_invalid_file_name_excludes_only_its_agent(folder: Path, what: str, tmp_path: Path) -> None:
    stem = os.fsdecode(b"\xff\xfe") if what == "no text" else STRANGE[what]
    try:
        (folder / f"{stem}.py").write_text("def choose(state):\n    return state.legal_moves()[0]\n")
    except OSError:
        pytest.skip("this system takes no such name")
    agents = find_agents(folder, "tictactoe")
    assert [agent.path.stem for agent in agents if "rename" in (agent.problem or "")] == [stem]
    assert len({agent.name for agent in agents}) == len(agents)
    plan = league_plan(agents, "tictactoe", "Club")
    assert len(plan.entrants) == len(AGENTS)
    with Store.create(tmp_path / "games.zermelo", plan.as_dict()) as store:
        write_league(collect_league(plan, store, agents), tmp_path / "pages")
    assert len([*(tmp_path / "pages" / "students").glob("*.html")]) == len(agents)


@pytest.mark.parametrize("what", ["nothing there", "a file", "no agents", "one agent"])
def test_a_missing_directory_is_reported(tmp_path: Path, what: str) -> None:
    folder = tmp_path / "class"
    if what == "a file":
        folder.write_text("")
    elif what != "nothing there":
        folder.mkdir()
    if what == "one agent":
        (folder / "anna.py").write_text("def choose(state): return 0")
    with pytest.raises(ZermeloError) as output:
        league_plan(find_agents(folder, "tictactoe"), "tictactoe", "League")
    assert "\n" not in str(output.value)
    assert ("--against" if what == "one agent" else "class") in str(output.value)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A league of most agents, played once: the directory of its pages and the output of the command."""
    import contextlib
    import io

    from zermelo.cli import main

    here = tmp_path_factory.mktemp("league")
    agents = here / "class"
    agents.mkdir()
    for name, source in AGENTS.items():
        if name not in APART:
            (agents / f"{name}.py").write_text(source)
    (agents / "binary.py").write_bytes(b"\xff\xfe\x00")
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = main(
            ["league", str(agents), "--game", "tictactoe", "--seconds", "20", "--openings", "start", "--workers", "2"]
        )
    assert code == 0, output.getvalue()
    return agents / "league", output.getvalue()


@pytest.mark.long
def test_one_command_plays_a_league_and_writes_its_pages(run: tuple[Path, str]) -> None:
    pages, output = run
    data = json.loads((pages / "league.json").read_text(encoding="utf-8"))
    assert data["over"]
    assert data["games"] == 4 * 3
    assert data["problems"].keys() == {"binary"}
    assert "binary.py cannot take part" in output
    rows = {row["name"]: row for row in data["rows"]}
    assert rows["crash"]["forfeits"].keys() == {"crashed"}
    assert rows["syntax <b>"]["forfeits"] == {"did not start": 6}
    assert rows["anna_meyer"]["forfeits"] == rows["ben"]["forfeits"] == {}
    assert {data["rows"][0]["name"], data["rows"][1]["name"]} == {"anna_meyer", "ben"}
    names = {path.stem for path in (pages / "students").glob("*.html")}
    assert names == {*AGENTS, "binary"} - APART


@pytest.mark.long
def test_the_page_links_the_reports_and_has_no_scripts(run: tuple[Path, str]) -> None:
    from urllib.parse import unquote

    pages, _ = run
    read = Page((pages / "index.html").read_text(encoding="utf-8"))
    assert not read.tags & {"script", "img", "iframe", "b", "link", "object"}
    linked = {unquote(link) for link in read.links}
    assert linked == {f"students/{name}.html" for name in {*AGENTS, "binary"} - APART}
    assert all((pages / link).is_file() for link in linked)
    assert "syntax <b>" in read.text
    assert "could not take part" in read.text


def test_reports_have_line_error_and_final_position(run: tuple[Path, str]) -> None:
    pages, _ = run
    for path in (pages / "students").glob("*.html"):
        read = Page(path.read_text(encoding="utf-8"))
        assert not read.tags & {"script", "img", "iframe", "b", "object"}
        assert read.links == ["../index.html"]
    crash = Page((pages / "students" / "crash.html").read_text(encoding="utf-8"))
    assert "crash.py: line 3: KeyError: '<img src=x onerror=alert(1)>'" in crash.text
    assert "svg" in crash.tags
    syntax = Page((pages / "students" / "syntax <b>.html").read_text(encoding="utf-8"))
    assert "line 1: SyntaxError" in syntax.text
    binary = Page((pages / "students" / "binary.html").read_text(encoding="utf-8"))
    assert "not UTF-8 text (line 1, byte 1)" in binary.text


def test_reports_as_json_add_up(run: tuple[Path, str]) -> None:
    pages, _ = run
    output = json.loads((pages / "students" / "ben.json").read_text(encoding="utf-8"))
    assert len(output["games"]) == output["standing"]["games"] == 6
    assert sum(game["points"] for game in output["games"]) == output["standing"]["points"]
    assert output["slowest_move"] == max(game["slowest_move"] for game in output["games"])
    assert {game["side"] for game in output["games"]} == {"crosses", "noughts"}
    against = [game for game in output["games"] if game["opponent"] == "anna_meyer"]
    assert all(game["termination"] == "rules" and game["line"].split() for game in against)
    unfit = json.loads((pages / "students" / "binary.json").read_text(encoding="utf-8"))
    assert unfit["standing"] is None
    assert "UTF-8" in unfit["problem"]


def test_a_second_run_continues_and_refuses_changed_agents(
    run: tuple[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    from zermelo.cli import main

    pages, _ = run
    words = ["league", str(pages.parent), "--game", "tictactoe", "--seconds", "20", "--openings", "start"]
    before = (pages / "league.json").read_bytes()
    with Store.open(pages / "games.zermelo") as store:
        assert store.plan["seed"] != 0  # nobody is to guess the dice
    (pages / "index.html").unlink()
    assert main([*words, "--pages-only"]) == 0
    assert (pages / "index.html").is_file()
    (pages / "index.html").unlink()
    assert main(words) == 0
    assert "all games were already played" in capsys.readouterr().err
    assert (pages / "league.json").read_bytes() == before
    assert (pages / "index.html").is_file()
    assert main([*words, "--games", "4"]) == 2
    assert "contains the games of a plan with other " in capsys.readouterr().err
    agent = pages.parent / "ben.py"
    source = agent.read_text()
    agent.write_text(source + "# better now\n")
    try:
        assert main(words) == 2
        assert "ben.py has changed since it played" in capsys.readouterr().err
    finally:
        agent.write_text(source)


def test_pages_only_needs_saved_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from zermelo.cli import main

    for name in ("anna_meyer", "ben"):
        (tmp_path / f"{name}.py").write_text(AGENTS[name])
    assert main(["league", str(tmp_path), "--game", "tictactoe", "--pages-only"]) == 2
    assert "no saved games; leave out --pages-only to play them" in capsys.readouterr().err
    assert not (tmp_path / "league").exists()


def test_an_interrupted_league_writes_no_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would have to load SciPy for the ratings, and to replay all games for the pages."""
    from zermelo.arena.tables import ratings, standings
    from zermelo.arena.tournament import Tournament
    from zermelo.cli import main

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    def refuse(*_: object) -> None:
        raise AssertionError("ratings after Ctrl-C")

    monkeypatch.setattr(Tournament, "run", interrupt)
    monkeypatch.setattr(ratings, "is_loaded", lambda: False)
    monkeypatch.setattr(standings, "ratings", refuse)
    for name in ("anna_meyer", "ben"):
        (tmp_path / f"{name}.py").write_text(AGENTS[name])
    assert main(["league", str(tmp_path), "--game", "tictactoe", "--workers", "0", "--json"]) == 130
    assert json.loads(capsys.readouterr().out)["over"] is False
    assert not (tmp_path / "league" / "index.html").exists()


@pytest.mark.long
def test_failing_agents_lose_and_the_others_play(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from zermelo.cli import main

    for name in ("anna_meyer", "hang", "illegal"):
        (tmp_path / f"{name}.py").write_text(AGENTS[name])
    words = ["--game", "tictactoe", "--seconds", "2", "--games", "1", "--out", str(tmp_path / "out"), "--json"]
    assert main(["league", str(tmp_path), *words, "--workers", "0"]) == 0
    output = json.loads(capsys.readouterr().out)
    rows = {row["name"]: row for row in output["rows"]}
    assert rows["anna_meyer"]["points"] == 2
    assert rows["anna_meyer"]["forfeits"] == {}
    failed = {**rows["hang"]["forfeits"], **rows["illegal"]["forfeits"]}
    assert failed.keys() == {"out of time", "illegal move"}
    assert "no move within 2 s" in (tmp_path / "out" / "students" / "hang.html").read_text(encoding="utf-8")


def test_text_of_students_is_escaped(tmp_path: Path) -> None:
    """Names and details that would be active if they were not escaped."""
    bad = "</code></pre></style><script>alert(1)</script>\u202e\x1b[31m\0 & \" ' <svg/onload=alert(2)>"
    folder = tmp_path / "class"
    folder.mkdir()
    names = ["<script>alert(3)<", '"><img src=x>', "o'hara & co"]
    for name in names:
        (folder / f"{name}.py").write_text(AGENTS["ben"])
    agents = find_agents(folder, "tictactoe")
    plan = league_plan(agents, "tictactoe", "<script>alert(4)</script>", games=2)
    with Store.create(tmp_path / "games.zermelo", plan.as_dict()) as store:
        for number, (high, low) in enumerate([(names[0], names[1]), (names[1], names[2]), (names[2], names[0])]):
            job = GameJob(number, "tictactoe", ("", ""), (high, low), game_pair=number)
            reports = (MoveReport(0, 0.1), MoveReport(1, 0.2))
            store.add(GameRecord(job, (0, 1), 0.0, None, "crashed", bad, 0, reports))
        league = collect_league(plan, store, agents)
    for text in (league_page(league), *(student_page(league, student) for student in league.students)):
        read = Page(text)
        assert not read.tags & {"script", "img", "iframe"}
        assert "\u202e" not in text
        assert "\x1b" not in text
        assert "\0" not in text
        assert re.search(r"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'", text)
    write_league(league, tmp_path / "out")
    read = Page((tmp_path / "out" / "index.html").read_text(encoding="utf-8"))
    assert all(name in read.text for name in names)
    output = json.loads((tmp_path / "out" / "league.json").read_text(encoding="utf-8"))
    assert output["students"] == sorted(names)


def test_identical_players_are_equal_within_error_bars(tmp_path: Path) -> None:
    """100 games between random players: the true difference is 0."""
    pytest.importorskip("scipy")
    from zermelo.arena.executors.local_executor import InlineExecutor
    from zermelo.arena.plans.entrants import parse_entrants
    from zermelo.arena.plans.plan import Plan
    from zermelo.arena.tournament import Tournament

    plan = Plan("tictactoe", parse_entrants(["one=random", "two=random"]), "match", games=100, seed=1)
    with Store.create(tmp_path / "self.zermelo", plan.as_dict()) as store, InlineExecutor() as crew:
        ran = Tournament(plan, store)
        ran.run(crew)
        table = ran.standings()
    assert table.games == 100
    assert table.distinct > 50
    gap = table.difference
    assert gap is not None
    assert 0 < gap.error < 100
    assert abs(gap.elo) <= gap.error
