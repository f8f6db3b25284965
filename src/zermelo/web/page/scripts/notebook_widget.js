// The widget of a notebook (anywidget): a frame with a page of one file, which keeps its styles and elements to itself.
//
// `page` is the page, `view` what its viewer shows (none for a page that has its data), `chosen` the last move that was
// chosen there, with a number so that the same move twice is two changes.

/** @typedef {{get(name: string): any, set(name: string, value: any): void, save_changes(): void,
 *   on(event: string, listener: () => void): void, off(event: string, listener: () => void): void}} Model */

/** Pixels, until a page says how high it is; pages that do not are scrolled. */
const HEIGHT = 640;

/** The colours of the notebook, where it names them: JupyterLab, VS Code, Colab; else those of the system. */
function colourScheme() {
  const { body, documentElement: root } = document;
  const lab = body.dataset.jpThemeLight;
  if (lab) return lab === "true" ? "light" : "dark";
  if (body.classList.contains("vscode-light") || root.getAttribute("theme") === "light") return "light";
  if (body.classList.contains("vscode-dark") || root.getAttribute("theme") === "dark") return "dark";
  return "";
}

/** @param {{model: Model, el: HTMLElement}} context */
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.title = model.get("title");
  const theme = colourScheme();
  frame.srcdoc = model.get("page");
  Object.assign(frame.style, { width: "100%", height: `${HEIGHT}px`, border: "0", display: "block", colorScheme: theme || "light dark" });
  let isReady = false;
  const show = () => {
    const view = model.get("view");
    if (isReady && view) frame.contentWindow?.postMessage({ view, theme }, "*"); // a sandboxed page has no origin
  };
  const listen = (/** @type {MessageEvent} */ { source, data }) => {
    if (source !== frame.contentWindow || !data) return;
    if (data.ready) {
      isReady = true;
      show();
    }
    if (typeof data.height === "number") frame.style.height = `${Math.min(Math.max(data.height, 40), 5000)}px`;
    if (typeof data.ply === "number") {
      model.set("chosen", { ply: data.ply, move: data.move ?? null, number: (model.get("chosen").number ?? 0) + 1 });
      model.save_changes();
    }
  };
  addEventListener("message", listen);
  model.on("change:view", show);
  el.append(frame);
  return () => {
    removeEventListener("message", listen);
    model.off("change:view", show);
  };
}

export default { render };
