// The board at a node of a tree, as SVG also where the game has none but text.

import { svgElement } from "/scripts/teaching/dom.js";
import { boardPicture } from "../board_picture.js";

/** Most lines of a text board, and characters of a line. */
const [LINES, CHARACTERS] = [24, 48];

/** @param {import("../board.js").Picture} picture */
export function nodeBoard(picture) {
  if (picture.kind !== "text") return boardPicture(picture);
  const lines = picture.lines.slice(0, LINES).map((line) => [...line].slice(0, CHARACTERS).join(""));
  const width = 8 * Math.max(8, ...lines.map((line) => [...line].length)) + 8;
  const texts = lines.map((text, row) => svgElement("text", { class: "state", x: 4, y: 16 + 16 * row, text }));
  return svgElement("svg", { class: "zermelo-board", viewBox: `0 0 ${width} ${16 * lines.length + 10}` }, ...texts);
}
