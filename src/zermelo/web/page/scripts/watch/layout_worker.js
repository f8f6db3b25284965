// Places the nodes of a large tree, away from the page's main thread.

import { layout } from "/scripts/teaching/view.js";

addEventListener("message", ({ data: { job, parents, half, height, gaps } }) => {
  const places = layoutOf(parents, half, height, gaps);
  postMessage({ job, ...places }, { transfer: [places.x.buffer, places.y.buffer] });
});

/** The places of nodes in preorder that all have one size, by their parents. */
function layoutOf(parents, half, height, gaps) {
  const nodes = Array.from(parents, (parent, index) => ({ index, parent, depth: 0, children: [] }));
  for (const node of nodes) {
    if (node.parent < 0) continue;
    node.depth = nodes[node.parent].depth + 1;
    nodes[node.parent].children.push(node.index);
  }
  const size = { left: half, right: half, height };
  const places = layout(/** @type {any} */ ({ nodes }), () => size, gaps);
  return { ...places, x: Float64Array.from(places.x), y: Float64Array.from(places.y) };
}
