// Drawings that the server makes, as SVG inside the page.

/**
 * An SVG of `zermelo.drawing` as an element. Its colours come from the page's style sheets.
 *
 * @param {string} text
 * @returns {SVGSVGElement}
 */
export function drawingOf(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const svg = parsed.documentElement;
  if (svg.localName !== "svg") throw new Error("the drawing is not SVG");
  return /** @type {any} */ (document.importNode(svg, true));
}
