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

#: Widths in pixels, with the height of the window.
SIZES = {1440: 900, 390: 844}
#: Addresses of the pages; the moves are made first, by typing them.
PAGES = {
    "home": ("/", ()),
    "play": ("/play?game=othello", ()),
    "game": ("/play?id={game}", ()),
    "analyse": ("/analyse?game=chess", ("e4", "e5", "Nf3", "Nc6", "Bb5")),
    "review": ("/review", ()),
    "watch": ("/watch?game=tictactoe", ()),
    "lectures": ("/lectures", ()),
    "practice": ("/practice", ()),
    "leagues": ("/leagues", ()),
    "api": ("/api/docs", ()),
}
#: Time for an analysis or a tree to appear, in milliseconds.
PATIENCE = 3000


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
    with tempfile.TemporaryDirectory() as data, running_server(data) as server, chromium() as browser:
        for scheme in ("light", "dark"):
            for width, height in SIZES.items():
                if options.only not in (None, f"{scheme}-{width}"):
                    continue
                context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": height})
                page = context.new_page()
                page.goto(server.url)
                game = page.evaluate(NEW_GAME)
                for name in options.pages or PAGES:
                    path, moves = PAGES[name]
                    page.goto(server.url + path.format(game=game))
                    page.wait_for_selector(".site-nav a")
                    for move in moves:
                        field = page.get_by_label("Type a move")
                        field.fill(move)
                        field.press("Enter")
                        page.wait_for_timeout(300)
                    page.wait_for_timeout(PATIENCE)
                    file = options.out / f"{name}-{scheme}-{width}.png"
                    page.screenshot(path=file)
                    with Image.open(file) as picture:  # drawings need few colours: a third of the size
                        picture.quantize(128).save(file, optimize=True)
                    print(file)
                context.close()


NEW_GAME = """async () => {
  const { post } = await import("/scripts/api.js");
  const { id } = await post("/api/games", { game: "checkers" });
  return id;
}"""

if __name__ == "__main__":
    main()
