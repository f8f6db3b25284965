"""Scripts and styles as they are sent mean what their sources mean, line for line."""

import re
from pathlib import Path

import pytest
import tree_sitter_javascript
from browsers import chromium
from tree_sitter import Language, Parser

import zermelo
from zermelo.teaching.pages.stripping import stripped

SOURCES = Path(zermelo.__file__).parent
SCRIPTS = sorted(path for folder in ("web/page", "teaching/pages") for path in (SOURCES / folder).rglob("*.js"))
STYLES = sorted(path for folder in ("web/page", "teaching/pages") for path in (SOURCES / folder).rglob("*.css"))
TRICKY = r"""
const a = 1; // a comment with `quotes' and /* signs
/** Two
 *  lines. */
const b = `a  ${a ? `b  /* no comment */ ${{ c: "}" }.c}  ` : '`'}  c`, c = a / 2 / 3;
const d = /[/`"'\]]\// .test("//"), e = a + +a - -a, f = a++ + 1;
class G { #h = 1; get i() { return /  /g; } static async *j() { yield* [this.#h in this]; } }
label: for (const k of [1]) { if (k) continue label
  else break }
const l = (m) => ({ [`${m}`]: m }), n = "\
  o", p = a
/ 2 / 3; let q = a
++q
"""


def leaves(text):
    """The syntax tree as a list: kinds of nodes, and the text of those without children and of strings."""
    source = text.encode()
    found = []

    def visit(node):
        if node.type == "comment":
            return
        inner = [each for each in node.children if each.type != "comment"]
        is_text = not inner or node.type in ("string", "regex")
        found.append((node.type, source[node.start_byte : node.end_byte] if is_text else len(inner)))
        for each in () if is_text else inner:
            visit(each)

    root = Parser(Language(tree_sitter_javascript.language())).parse(source).root_node
    assert not root.has_error
    visit(root)
    return found


@pytest.mark.quick
@pytest.mark.parametrize("path", [*SCRIPTS, None], ids=lambda path: path.name if path else "tricky")
def test_a_script_has_the_same_syntax_tree_and_lines(path):
    text = path.read_text("utf-8") if path else TRICKY
    short = stripped(text, ".js")
    assert leaves(short) == leaves(text)
    assert short.rstrip("\n").count("\n") == text.rstrip("\n").count("\n")
    assert len(short) < len(text)
    assert stripped(short, ".js") == short


@pytest.mark.quick
def test_comments_and_indentation_are_gone():
    text = "/** What it does. */\nfunction f( a ) {\n  // why\n  return a  +  1; /* so */\n}\n"
    assert stripped(text, ".js") == "\nfunction f(a){\n\nreturn a+1;\n}\n"
    assert stripped('a { /* why */\n  content: "/*  */"; }\n', ".css") == 'a {\ncontent: "/*  */"; }\n'
    assert stripped("<!-- a  b -->", ".html") == "<!-- a  b -->"


@pytest.mark.long
def test_a_style_has_the_same_rules():
    rules = """(text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      return [...sheet.cssRules].map((rule) => rule.cssText);
    }"""
    with chromium() as browser:
        page = browser.new_page()
        for path in STYLES:
            text = path.read_text("utf-8")
            short = stripped(text, ".css")
            found = page.evaluate(rules, short)
            assert found == page.evaluate(rules, text), path.name
            assert found or not re.search(r"\{", text), path.name
            assert short.count("\n") == text.count("\n"), path.name
