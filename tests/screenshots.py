"""Pictures of every page, light and dark, on a phone and on a wide screen: `make screenshots`.

    python tests/screenshots.py [--out FOLDER] [--only light-1440] [PAGE ...]

writes FOLDER/PAGE-light-1440.png and so on; the folder is docs/_build/screenshots by default. Those of the
documentation:

    python tests/screenshots.py --out docs/pictures --only light-1440 home game analyse watch practice
"""

import argparse
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from browsers import chromium  # noqa: E402
from web_pages import running_server  # noqa: E402

from zermelo.arena import play_tournament  # noqa: E402

#: Widths in pixels, with the height of the window.
SIZES = {1440: 900, 390: 844}
#: Of each page: its address, the moves that are typed first, and what is on it when it is complete.
PAGES = {
    "home": ("/", (), ".cells h3"),
    "play": ("/play?game=othello", (), "button.primary"),
    "game": ("/play?id={game}", (), "zermelo-board svg"),
    "analyse": ("/analyse?game=chess", ("e4", "e5", "Nf3", "Nc6", "Bb5"), "#engine-lines button"),
    "review": ("/review", (), "#move-lines dd"),
    "watch": ("/watch?game=tictactoe", (), "#controls"),
    "lectures": ("/lectures", (), "#lectures a"),
    "practice": ("/practice", (), "main svg"),
    "leagues": ("/leagues", (), "#table tbody tr"),
    "api": ("/api/docs", (), "main details"),
}
#: Time for what follows to appear, in milliseconds.
PATIENCE = 2000
#: The game of the review.
FOOLS_MATE = "1. f3 e5 2. g4 Qh4# 0-1"


def main():
    parser = argparse.ArgumentParser(description="Take a picture of every page, light and dark, narrow and wide.")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help=f"one of {', '.join(PAGES)} (default: all)")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "_build" / "screenshots", help="folder to write to")
    looks = [f"{scheme}-{width}" for scheme in ("light", "dark") for width in SIZES]
    parser.add_argument("--only", choices=looks, help="one look instead of all")
    options = parser.parse_args()
    if unknown := [name for name in options.pages if name not in PAGES]:
        parser.error(f"unknown page {unknown[0]!r}: expected one of {', '.join(PAGES)}")
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, chromium() as browser, running_server(data, *league(data)) as server:
        for scheme in ("light", "dark"):
            for width, height in SIZES.items():
                if options.only not in (None, f"{scheme}-{width}"):
                    continue
                context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": height})
                page = context.new_page()
                page.set_default_timeout(120_000)
                page.goto(server.url)
                game = page.evaluate(NEW_GAME)
                for name in options.pages or PAGES:
                    path, moves, sign = PAGES[name]
                    page.goto(server.url + path.format(game=game))
                    page.wait_for_selector(".site-nav a")
                    if moves:
                        page.wait_for_selector("#state:not(:empty)")
                    for ply, move in enumerate(moves):
                        field = page.get_by_label("Type a move")
                        field.fill(move)
                        field.press("Enter")
                        page.locator(".main-line .move").nth(ply).wait_for()
                        page.wait_for_timeout(PATIENCE)  # a score, of which the curve is made
                    if name == "review":
                        page.get_by_label("Game as text").fill(FOOLS_MATE)
                        page.get_by_role("button", name="Review").click()
                        page.get_by_role("button", name="Next mistake").click()
                    page.wait_for_selector(sign)
                    page.wait_for_timeout(PATIENCE)
                    file = options.out / f"{name}-{scheme}-{width}.png"
                    page.screenshot(path=file)
                    with Image.open(file) as picture:  # drawings need few colours: a third of the size
                        picture.quantize(128).save(file, optimize=True)
                    print(file)
                context.close()


def league(folder):
    """Arguments of the server for a finished league."""
    store = Path(folder) / "club.db"
    players = {"Ada": "lines:4", "Ben": "lines:2", "Cleo": "lines:1", "Dan": "random"}
    play_tournament("tictactoe", players, games=4, seed=1, store=store)
    return "--store", str(store)


NEW_GAME = """async () => {
  const { post } = await import("/scripts/api.js");
  const { id } = await post("/api/games", { game: "checkers" });
  return id;
}"""

if __name__ == "__main__":
    main()
