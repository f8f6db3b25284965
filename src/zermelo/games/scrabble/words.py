"""Word lists as directed acyclic word graphs (DAWG): the list of the package, and lists of the user.

A DAWG is the smallest deterministic automaton of a finite set of words: words share their beginnings and their endings.
Node 0 has no letters after it. `edges[node, letter]`, with A as letter 0, is 0 if no word continues with the letter, or
else 2 * next node + 1 if a word ends there, + 0 if not.

The list of the package is ENABLE (Enhanced North American Benchmark Lexicon, the edition of 2000), which Alan Beale and
M. Cooper placed in the public domain; words of 2 to 15 letters. Its file:

    ZERMELO WORDS 1 <SHA-256 of the rest, in hexadecimal>
    <bytes, compressed with zlib>

The bytes are the root and the number of nodes, the number of edges of each node (one byte each), and the edges: the
letter, + 128 if a word ends there, + 256 * next node. Numbers have four bytes, the lowest first.
`python -m zermelo.games.scrabble.words LIST FILE` writes it.

References
----------
A. Appel, G. Jacobson, "The World's Fastest Scrabble Program", Communications of the ACM 31 (1988).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from zermelo._util.atomic_files import write
from zermelo._util.user_files import read_bytes, read_text, shown_path
from zermelo.errors import FileError
from zermelo.games.scrabble.packing import pack, unpack

MAGIC = b"ZERMELO WORDS 1 "
#: The word list of the package.
ENABLE = Path(__file__).with_name("enable.words")
SHORTEST, LONGEST = 2, 15
#: Limits of a user's list, and of the edges of a file: 4 bytes and a dense row of 104 bytes each.
MAX_LIST_BYTES = 16_000_000
MAX_WORDS = 1_000_000
MAX_GRAPH_BYTES = 8_000_000


class WordGraph:
    """A set of words of 2 to 15 letters, in capitals.

    Parameters
    ----------
    edges : ndarray of int32, shape (nodes, 26)
        The edges, as in the module docstring.
    root : int
        The node where words begin.
    """

    def __init__(self, edges: Any, root: int) -> None:
        self.edges = edges
        self.root = root

    def __contains__(self, word: str) -> bool:
        node, ends = self.root, False
        for letter in word:
            if not "A" <= letter <= "Z":
                return False
            edge = int(self.edges[node, ord(letter) - 65])
            if edge == 0:
                return False
            node, ends = edge >> 1, bool(edge & 1)
        return ends

    def __iter__(self) -> Iterator[str]:
        """Yield the words in alphabetical order."""
        stack = [("", 2 * self.root)]
        while stack:
            prefix, edge = stack.pop()
            if edge & 1:
                yield prefix
            row = self.edges[edge >> 1]
            stack += [(prefix + chr(65 + letter), int(row[letter])) for letter in row.nonzero()[0][::-1]]


def word_graph(words: Iterable[str]) -> WordGraph:
    """Build the DAWG of words in capitals.

    The words make a trie; nodes with equal edges are merged, from the longest prefixes to the shortest.

    Parameters
    ----------
    words : iterable of str
        At least one word, of 2 to 15 letters from A to Z.
    """
    import numpy as np

    listed = np.array(sorted(set(words)), dtype=f"S{LONGEST}")
    letters = listed.view(np.uint8).reshape(len(listed), LONGEST).astype(np.int64)  # 0 after the end of a word
    lengths = (letters > 0).sum(axis=1)
    # new[d, w]: whether word w is the first one with its prefix of d letters.
    differs = np.ones((LONGEST + 1, len(listed)), dtype=bool)
    differs[0, 1:] = False
    for depth in range(1, LONGEST + 1):
        differs[depth, 1:] = differs[depth - 1, 1:] | (letters[1:, depth - 1] != letters[:-1, depth - 1])
    known = {bytes(26 * 4): 0}
    table = [np.zeros(26, np.int32)]
    below = np.zeros(len(listed), np.int64)  # for each word the node of its prefix that is one letter longer
    for depth in range(LONGEST, -1, -1):
        place = differs[depth].cumsum() - 1  # of the prefix of each word
        rows = np.zeros((place[-1] + 1, 26), np.int32)
        if depth < LONGEST:
            on = lengths > depth
            rows[place[on], letters[on, depth] - 65] = 2 * below[on]
            ends = lengths == depth + 1
            rows[place[ends], letters[ends, depth] - 65] |= 1
        distinct, inverse = np.unique(rows.view(f"V{26 * 4}").ravel(), return_inverse=True)
        nodes = np.zeros(len(distinct), np.int64)
        for index, row in enumerate(distinct):
            nodes[index] = known.setdefault(row.tobytes(), len(known))
            if nodes[index] == len(table):
                table.append(np.frombuffer(row.tobytes(), np.int32))
        below = nodes[inverse][place]
    return WordGraph(np.array(table), int(below[0]))


def read_words(path: str) -> WordGraph:
    """Read a word list: one word a line, in capitals or not; empty lines and lines that begin with # are skipped.

    Raises
    ------
    FileError
        The file cannot be read, has a line that is not a word of 2 to 15 letters from A to Z, no word, or too many.
    """
    shown = shown_path(path)
    words = []
    for number, line in enumerate(read_text(path, MAX_LIST_BYTES).splitlines(), 1):
        word = line.strip()
        if not word or word.startswith("#"):
            continue
        if not re.fullmatch(f"[A-Za-z]{{{SHORTEST},{LONGEST}}}", word):
            raise FileError(
                f"{shown}, line {number:,}: {word[:40]!r} is not a word; expected {SHORTEST} to {LONGEST} letters from "
                "A to Z"
            )
        words.append(word.upper())
    if not 0 < len(words) <= MAX_WORDS:
        raise FileError(f"{shown} has {len(words):,} words; expected 1 to {MAX_WORDS:,}")
    return word_graph(words)


@cache
def load_words(path: str = "") -> WordGraph:
    """Return the words of a list, or those of the package, once read in a process. Raises `FileError`."""
    return read_words(path) if path else from_bytes(read_bytes(ENABLE, MAX_GRAPH_BYTES), shown_path(ENABLE))


def to_bytes(graph: WordGraph) -> bytes:
    """Return the content of a file of words."""
    import numpy as np

    rows, letters = graph.edges.nonzero()
    found = graph.edges[rows, letters]
    counts = np.bincount(rows, minlength=len(graph.edges)).astype(np.uint8)
    edges = (letters | (found & 1) << 7 | found >> 1 << 8).astype("<u4")
    data = b"".join(number.to_bytes(4, "little") for number in (graph.root, len(counts))) + counts.tobytes()
    return pack(MAGIC, data + edges.tobytes())


def from_bytes(content: bytes, label: str) -> WordGraph:
    """Return the words of a file. Raises `FileError` if it is damaged."""
    import numpy as np

    data = unpack(MAGIC, content, label)
    root, nodes = (int.from_bytes(data[start : start + 4], "little") for start in (0, 4))
    edges = np.frombuffer(data, "<u4", offset=8 + nodes)
    table = np.zeros((nodes, 26), np.int32)
    rows = np.repeat(np.arange(nodes), np.frombuffer(data, np.uint8, nodes, 8))
    table[rows, edges & 31] = (edges >> 8) * 2 + (edges >> 7 & 1)
    return WordGraph(table, root)


if __name__ == "__main__":
    accepted = (word for word in read_text(sys.argv[1], MAX_LIST_BYTES).split() if SHORTEST <= len(word) <= LONGEST)
    write(Path(sys.argv[2]), to_bytes(word_graph(word.upper() for word in accepted)))
