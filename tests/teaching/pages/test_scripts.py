"""The JavaScript search against the Python search: equal traces of the same trees, in Chromium."""

import json
from random import Random

import pytest
from browsers import chromium, watched_pages

from zermelo.errors import TreeError
from zermelo.teaching.pages.bundle import bundle
from zermelo.teaching.tree import Convention, random_tree, read, to_brackets, to_dict
from zermelo.teaching.tree.numbers import as_json
from zermelo.teaching.tree.trace import trace

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page with all functions of the modules as properties of `window.lib`."""
    names = (
        "trace boundsText principalVariation visitOrder parseTree treeFromJson treeToJson toBrackets toJson truncated"
    )
    path = tmp_path_factory.mktemp("pages") / "scripts.html"
    script = bundle("alphabeta") + f"\nwindow.lib = {{{', '.join(names.split())}}};"
    path.write_text(f"<!DOCTYPE html><title>scripts</title><script type=module>{script}</script>", "utf-8")
    with chromium() as browser, watched_pages(browser) as open_page:
        yield open_page(path)


TRACES = """(cases) => cases.map(({tree, convention, depth}) => {
    const searched = lib.trace(lib.treeFromJson(tree), convention, {depth});
    const { nodes } = searched.tree;
    const id = (index) => nodes[index].id;
    const pair = (window) => window && window.map(lib.toJson);
    return {
        value: lib.toJson(searched.value),
        best: searched.best === null ? null : id(searched.best),
        line: lib.principalVariation(searched).map(id),
        visit_order: lib.visitOrder(searched).map(id),
        cuts: searched.cuts.map((cut) => ({
            at: id(cut.node), after: id(cut.after), kind: cut.kind, alpha: lib.toJson(cut.alpha),
            beta: lib.toJson(cut.beta), pruned_children: cut.pruned.map(id), reason: cut.reason,
        })),
        records: searched.records.map((record, index) => [
            record.order, pair(record.entry), pair(record.exit), lib.toJson(record.own), lib.toJson(record.returned),
            record.best === null ? null : id(record.best), record.cut, record.isCutoff, lib.boundsText(searched, index),
        ]),
        steps: searched.steps.map((step) => [
            step.kind, id(step.node), lib.toJson(step.alpha), lib.toJson(step.beta), lib.toJson(step.value),
            step.child < 0 ? null : id(step.child), step.skipped.map(id),
        ]),
    };
})"""


def expected_trace(tree, convention, depth):
    searched = trace(tree, convention, depth=depth)

    def pair(window):
        return None if window is None else [as_json(end) for end in window]

    def name(index):
        return None if index is None or index < 0 else tree.nodes[index].id

    data = searched.as_json()
    return {
        **{key: data[key] for key in ("value", "best", "line", "visit_order", "cuts")},
        "records": [
            [
                record.order,
                pair(record.entry),
                pair(record.exit),
                as_json(record.own),
                as_json(record.returned),
                name(record.best),
                record.cut,
                record.is_cutoff,
                searched.bounds_text(index),
            ]
            for index, record in enumerate(searched.records)
        ],
        "steps": [
            [
                step.kind,
                name(step.node),
                as_json(step.alpha),
                as_json(step.beta),
                as_json(step.value),
                name(step.child),
                [name(child) for child in step.skipped],
            ]
            for step in searched.steps
        ],
    }


def conventions():
    for cut in ("equal", "strict"):
        for show in ("inherited", "own", "interval"):
            yield from (Convention("alphabeta", variant, cut, show) for variant in ("fail-soft", "fail-hard", "path"))
            yield Convention("negamax", "fail-soft", cut, show)
    yield Convention("minimax")
    yield Convention("expectiminimax")


def random_cases(count):
    random = Random(5)
    every = list(conventions())
    for seed in range(count):
        tree = random_tree(
            seed,
            branching=(1, 3),
            depth=(1, 4),
            values=(-3, 3),
            root=random.choice(("max", "min")),
            chance=random.choice((0, 0, 0.3)),
        )
        yield tree, every[seed % len(every)], random.choice((None, None, 2))


def test_traces_are_those_of_python(page):
    cases = list(random_cases(520))
    seen = page.evaluate(
        TRACES,
        [{"tree": to_dict(tree), "convention": vars(convention), "depth": depth} for tree, convention, depth in cases],
    )
    for (tree, convention, depth), found in zip(cases, seen, strict=True):
        assert found == expected_trace(tree, convention, depth), (to_brackets(tree), convention, depth)


def test_fractions_and_repeated_moves_of_one_side(page):
    texts = ["[[1/3,-2.5,7/6],[0.125,?]]", ":max[:max[1,2],:chance[1/3*4,2/3*:min[5,6]]]", "X[Y=1,X'=2,[3]]", "7"]
    every = [(text, convention) for text in texts for convention in conventions()]
    trees = [read(text) for text, _ in every]
    cases = [
        {"tree": to_dict(tree), "convention": vars(convention), "depth": None}
        for tree, (text, convention) in zip(trees, every, strict=True)
        if "?" not in text
    ]
    found = iter(page.evaluate(TRACES, cases))
    for tree, (text, convention) in zip(trees, every, strict=True):
        if "?" not in text:
            assert next(found) == expected_trace(tree, convention, None), (text, convention)


PARSED = """(texts) => texts.map((text) => {
    try {
        const tree = lib.parseTree(text);
        const back = lib.toBrackets(tree);
        return [lib.treeToJson(tree), back, lib.treeToJson(lib.parseTree(back))];
    } catch (error) {
        return error.constructor.name;
    }
})"""

GOOD = [
    "[[3,12,8],[2,4,6],[14,5,2]]",
    "A[B[N=4, O[W=-3, X=-5]], G=-5]",
    ":min[7, A:max[1, 2]]",
    ":chance[1/2*3, 1/2*[4, 5]]",
    ":chance[2*3, 4*[4, 5]]",
    '"next to \\"A\\""[1, "b[1]"=2]',
    "[[1,2],b1=3,A[4,:max[5,[6]]]]",
    "[?, −2.50, 1e3, 1.5e-2, 7/21]",
    '{"id": "A", "children": [{"value": 3}, {"value": "7/3"}, [1, 2]]}',
    "[[[[1]]]]",
    "5",
]
BAD = [
    "", "[", "]", "[]", "[1,]", "[1 2]", "[1]]", "A[A=1,2]", "[:max 3]", "[x]", "[2*3,4]", ":chance[1/3*1,1/3*2]",
    ":chance[0*1,2]", ":chance[2*1,2]", "[1/0]", "[1e99]", "[1.2.3]", '["a\nb"=1]', '[""=1]', "[<script>]", "{}x",
    '{"id": "A", "children": 3}', '{"id": "A", "children": []}', '{"childern": []}', "[" * 40 + "1" + "]" * 40,
]  # fmt: skip


def test_brackets_are_read_as_in_python(page):
    for text, (data, brackets, again) in zip(GOOD, page.evaluate(PARSED, GOOD), strict=True):
        assert data == json.loads(json.dumps(to_dict(read(text)))), text
        assert again == data
        assert to_dict(read(brackets)) == to_dict(read(text))


def test_bad_brackets_are_refused(page):
    assert page.evaluate(PARSED, BAD) == ["TreeError"] * len(BAD)
    for text in BAD[:-1]:
        with pytest.raises(TreeError):
            read(text)
