// The moves of a game with its variations, comments and marks: a text in which each move is a button.

import { element } from "/scripts/teaching/dom.js";

/** @typedef {import("./game_tree.js").Node} Node @typedef {import("./game_tree.js").GameTree} GameTree */

/** The glyphs of moves, and the names that a screen reader says. @type {Record<number, [string, string]>} */
export const MARKS = {
  1: ["!", "good move"],
  2: ["?", "mistake"],
  3: ["!!", "brilliant move"],
  4: ["??", "blunder"],
  5: ["!?", "interesting move"],
  6: ["?!", "dubious move"],
};

export class MoveList {
  /**
   * @param {HTMLElement} root
   * @param {(node: Node) => void} choose called with the node of a move that the reader chooses
   */
  constructor(root, choose) {
    this.root = root;
    this.choose = choose;
    /** @type {Map<Node, HTMLElement>} */
    this.buttons = new Map();
    /** @type {HTMLElement | null} */
    this.current = null;
  }

  /**
   * Draw all moves.
   * @param {GameTree} tree
   * @param {{ isPaired: boolean, offset: number }} numbering whether two plies share a number, and the plies before
   *   the first one
   */
  draw(tree, numbering) {
    this.numbering = numbering;
    this.buttons.clear();
    this.current = null;
    const main = element("div", { class: "main-line" });
    this._comments(main, tree.root.comments);
    this._line(main, tree.root, true);
    if (!tree.root.children.length) main.append(element("p", { class: "soft", text: "No moves yet. Play one on the board." }));
    const result = tree.head.result;
    if (result && result !== "*") main.append(element("span", { class: "result strong", text: result }));
    this.root.replaceChildren(main);
  }

  /** Mark a node as the current one. @param {Node} node */
  select(node) {
    this.current?.removeAttribute("aria-current");
    this.current?.setAttribute("tabindex", "-1");
    const button = this.buttons.get(node) ?? this.buttons.values().next().value ?? null;
    this.current = button;
    if (!button) return;
    button.setAttribute("tabindex", "0");
    if (!this.buttons.has(node)) {
      this.root.scrollTop = 0;
      return;
    }
    button.setAttribute("aria-current", "true");
    if (this.root.contains(document.activeElement)) button.focus({ preventScroll: true });
    const [box, view] = [button.getBoundingClientRect(), this.root.getBoundingClientRect()];
    if (box.top < view.top || box.bottom > view.bottom) this.root.scrollTop += box.top - view.top - view.height / 3;
  }

  /** Draw a line after a node; without recursion along the line, so that long games do not overflow the stack.
   * @param {HTMLElement} into @param {Node} parent @param {boolean} isFirst @param {Node} [first] */
  _line(into, parent, isFirst, first = undefined) {
    let shown = isFirst; // whether the next move needs its number, also of the second side
    for (let node = first ?? parent.children[0]; node; node = node.children[0]) {
      this._comments(into, node.before);
      this._move(into, node, shown || node.before.length > 0);
      this._comments(into, node.comments);
      shown = node.comments.length > 0;
      const others = node === first ? [] : /** @type {Node} */ (node.parent).children.slice(1);
      if (!others.length) continue;
      const list = element("ul", { class: "variations", "aria-label": `Instead of ${node.text}` });
      for (const other of others) {
        const item = element("li", {});
        this._line(item, /** @type {Node} */ (other.parent), true, other);
        list.append(item);
      }
      into.append(list);
      shown = true;
    }
  }

  /** @param {HTMLElement} into @param {Node} node @param {boolean} isNumbered */
  _move(into, node, isNumbered) {
    const { isPaired, offset } = this.numbering ?? { isPaired: true, offset: 0 };
    const ply = node.ply + offset;
    const isSecond = isPaired && ply % 2 === 0;
    const number = isPaired ? Math.ceil(ply / 2) : ply;
    if (!isSecond || isNumbered) {
      into.append(element("span", { class: "number soft", text: isSecond ? `${number}…` : `${number}.` }));
    }
    const marks = node.nags.map((nag) => MARKS[nag]).filter(Boolean);
    const others = node.nags.filter((nag) => !MARKS[nag]);
    const button = element(
      "button",
      {
        type: "button",
        class: "move",
        tabindex: "-1",
        "aria-label": marks.length ? `${node.text}, ${marks.map((mark) => mark[1]).join(", ")}` : null,
        onclick: () => this.choose(node),
      },
      node.text,
      marks.length ? element("span", { class: `mark mark-${node.nags.find((nag) => MARKS[nag])}`, text: marks.map((mark) => mark[0]).join("") }) : null,
      others.length ? element("span", { class: "soft small", text: others.map((nag) => ` $${nag}`).join("") }) : null,
    );
    this.buttons.set(node, button);
    into.append(button);
  }

  /** @param {HTMLElement} into @param {string[]} comments */
  _comments(into, comments) {
    for (const text of comments) into.append(element("span", { class: "comment", text }));
  }
}
