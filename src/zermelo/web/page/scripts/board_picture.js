// A position as a small picture: the board alone, without labels, captions and moves.

import { element, svgElement } from "/scripts/teaching/dom.js";
import { GridView } from "./board_grid.js";
import { PointsView } from "./board_points.js";

/**
 * Draw a picture without labels; a text board as text.
 *
 * @param {import("./board.js").Picture} picture
 * @param {{isFlipped?: boolean, last?: number[]}} [options]
 */
export function boardPicture(picture, { isFlipped = false, last = [] } = {}) {
  if (picture.kind === "text") return element("pre", { text: picture.lines.join("\n") });
  const board = picture.kind === "points"
    ? new PointsView(picture, isFlipped)
    : new GridView({ ...picture, column_labels: [], row_labels: [] }, isFlipped);
  const svg = svgElement("svg", { class: "zermelo-board", viewBox: `0 0 ${board.width.toFixed(1)} ${board.height.toFixed(1)}` });
  svg.append(board.ground(), ...board.marks(last), board.rules(), ...board.notes());
  for (const square of board.signatures().keys()) {
    const piece = board.piece(square);
    piece.setAttribute("transform", `translate(${board.corner(square).join(" ")})`);
    svg.append(piece);
  }
  return svg;
}
