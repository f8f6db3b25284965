// Steps through the search of a game tree, forward and back. The JSON in #data describes each step (docs/stepping.md);
// this script does not search. The state after k steps is computed from the first k steps, also when stepping back.
"use strict";
{
  const data = JSON.parse(document.getElementById("data").textContent);
  const steps = data.steps;
  const element = (id) => document.getElementById(id);
  const svg = element("tree").querySelector("svg");
  const MIN_ZOOM = 0.6; // larger trees are scrolled instead of being made smaller
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)");

  let count = 0; // number of steps taken
  let isAsked = false; // whether the question about the next step is shown
  let timer = 0; // of automatic play; 0 for none
  let zoom = 1; // size of the picture relative to its natural size

  // The elements of each node, by index, parents first. A collapsed group has the index of its first node.
  const parts = new Map();
  const indices = [...Object.keys(data.nodes), ...Object.keys(data.folds)].map(Number);
  for (const index of indices.sort((one, other) => one - other)) {
    const node = element(`n${index}`) ?? element(`f${index}`);
    const part = (name) => node.querySelector(`.${name}`);
    parts.set(index, { node, arc: element(`a${index}`), window: part("window"), value: part("value") });
    if (index in data.nodes) node.addEventListener("click", () => visit(index));
  }

  // ---- state after a number of steps ------------------------------------------------------------------------

  /** Window and value of each visited node, the nodes whose arcs are crossed out, and the nodes with cutoffs. */
  function stateAfter(taken) {
    const nodes = new Map();
    const crossed = new Set();
    const cuts = new Set();
    for (const step of steps.slice(0, taken)) {
      if (!nodes.has(step.node)) nodes.set(step.node, { window: "", value: "" });
      const seen = nodes.get(step.node);
      if (step.window !== undefined) seen.window = step.window;
      if (step.value !== undefined) seen.value = step.value;
      for (const child of step.skipped ?? []) crossed.add(child);
      if (step.cut !== undefined) cuts.add(step.node);
    }
    return { nodes, crossed, cuts };
  }

  /** A node and its ancestors, the root first. */
  function pathTo(index) {
    const path = [];
    for (let at = index; at !== undefined; at = data.nodes[at].parent) path.unshift(at);
    return path;
  }

  // ---- display ----------------------------------------------------------------------------------------------

  function write(place, text) {
    if (place && place.textContent !== text) place.textContent = text;
  }

  function show() {
    const { nodes, crossed, cuts } = stateAfter(count);
    const step = count ? steps[count - 1] : undefined;
    const here = step?.node;
    const path = here === undefined ? [] : pathTo(here);
    const isAbove = new Set(path);
    const isPruned = new Set(); // at or below a crossed-out arc; parents come first
    const isDone = count === steps.length;
    for (const [index, part] of parts) {
      const node = data.nodes[index];
      const seen = nodes.get(index);
      const parent = node ? node.parent : data.folds[index];
      if (crossed.has(index) || isPruned.has(parent)) isPruned.add(index);
      const is = {
        visited: Boolean(seen),
        pruned: isPruned.has(index),
        crossed: crossed.has(index),
        line: isDone && Boolean(node?.line),
        open: isAbove.has(index),
        cut: cuts.has(index),
      };
      for (const group of [part.node, part.arc]) {
        for (const [word, isTrue] of Object.entries(is)) group?.classList.toggle(word, isTrue);
      }
      if (!node) continue;
      write(part.window, seen?.window ?? "");
      if (node.value === undefined) write(part.value, seen?.value ?? "");
      part.node.classList.toggle("current", index === here);
      if (index === here) part.node.setAttribute("aria-current", "step");
      else part.node.removeAttribute("aria-current");
    }
    for (const [number, item] of [...element("cuts").children].entries()) {
      item.hidden = !(step && data.cuts[number].step <= step.number);
    }
    element("no-cuts").hidden = [...element("cuts").children].some((item) => !item.hidden);
    mark(here);
    showPanels(step, path, nodes);
  }

  /** Draw a frame around the current node, so that colour is not the only mark. */
  function mark(index) {
    svg.querySelector("#here")?.remove();
    if (index === undefined) return;
    const { node } = parts.get(index);
    const seen = [...node.querySelectorAll(".shape, text")].filter(
      (part) => getComputedStyle(part).visibility === "visible" && part.getBBox().width,
    );
    const boxes = seen.map((part) => part.getBBox());
    const gap = 3.5;
    const x = Math.min(...boxes.map((box) => box.x)) - gap;
    const y = Math.min(...boxes.map((box) => box.y)) - gap;
    const width = Math.max(...boxes.map((box) => box.x + box.width)) + gap - x;
    const height = Math.max(...boxes.map((box) => box.y + box.height)) + gap - y;
    const frame = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of Object.entries({ id: "here", x, y, width, height, rx: 6 })) {
      frame.setAttribute(name, value);
    }
    svg.append(frame);
    follow(frame);
  }

  /** Scroll the current node into view. */
  function follow(frame) {
    const view = element("tree");
    const [outer, inner] = [view.getBoundingClientRect(), frame.getBoundingClientRect()];
    const by = (low, high, from, to) => (low < from ? low - from - 24 : high > to ? high - to + 24 : 0);
    view.scrollBy({
      left: by(inner.left, inner.right, outer.left, outer.right),
      top: by(inner.top, inner.bottom, outer.top, outer.bottom),
      behavior: isCalm.matches || timer ? "instant" : "smooth",
    });
  }

  function showPanels(step, path, nodes) {
    const last = steps.length;
    write(element("sentence"), step ? step.sentence : data.before);
    write(element("count"), `${count} of ${last}`);
    const slider = element("slider");
    slider.value = String(count);
    slider.setAttribute("aria-valuetext", `step ${count} of ${last}`);
    for (const id of ["first", "back"]) element(id).setAttribute("aria-disabled", String(count === 0));
    for (const id of ["forward", "last"]) element(id).setAttribute("aria-disabled", String(count === last));
    for (const [number, line] of [...element("code").children].entries()) {
      const isThis = step?.line === number;
      line.classList.toggle("now", isThis);
      if (isThis) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
    }
    element("path").replaceChildren(
      ...path.map((index) => {
        const row = document.createElement("tr");
        const { id, player = "leaf" } = data.nodes[index];
        const { window = "", value = "" } = nodes.get(index) ?? {};
        const cells = [id, player, ...(data.hasWindows ? [window] : []), value];
        row.append(...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
        return row;
      }),
    );
  }

  // ---- navigation -------------------------------------------------------------------------------------------

  function go(to) {
    count = Math.max(0, Math.min(to, steps.length));
    isAsked = false;
    show();
    try {
      history.replaceState(null, "", count ? `#step=${steps[count - 1].number}` : "#step=0");
    } catch {
      // A page in an iframe may have no URL of its own.
    }
  }

  /** Step forward; in quiz mode first ask what happens next. */
  function forward() {
    const question = element("ask").checked && !isAsked && count < steps.length ? questionBefore(steps[count]) : "";
    if (!question) return go(count + 1);
    isAsked = true;
    write(element("sentence"), `${question} Step forward for the answer.`);
  }

  function questionBefore(step) {
    const { id } = data.nodes[step.node];
    if (step.kind === "leave") return `What does ${id} return?`;
    if (step.kind === "bound" || step.kind === "cut") {
      return `Does a bound at ${id} change, or is there a cutoff?`;
    }
    return "";
  }

  /** Go to the step in the URL, #step=12. Return false if there is none. */
  function goToHash() {
    const match = /^#step=(\d{1,9})$/.exec(location.hash);
    if (match) reach(Number(match[1]));
    return Boolean(match);
  }

  /** Go to a step by its number in the search, or to the last step before it if its node is collapsed. */
  function reach(number) {
    const next = steps.findIndex((step) => step.number > number);
    go(next < 0 ? steps.length : next);
  }

  /** Go to the first visit of a node, or to the cutoff that pruned it. */
  function visit(index) {
    pause();
    const first = steps.findIndex((step) => step.kind === "enter" && step.node === index);
    const above = pathTo(index);
    const cut = steps.findIndex((step) => step.skipped?.some((child) => above.includes(child)));
    if (first >= 0 || cut >= 0) go((first >= 0 ? first : cut) + 1);
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    write(element("play"), "Play");
  }

  function play() {
    if (count === steps.length) go(0);
    clearInterval(timer);
    timer = setInterval(() => (count < steps.length ? go(count + 1) : pause()), Number(element("pace").value));
    write(element("play"), "Pause");
  }

  /** Set the zoom of the picture. */
  function setZoom(to) {
    zoom = Math.max(0.05, Math.min(to, 8));
    svg.style.width = `${zoom * svg.viewBox.baseVal.width}px`;
  }

  /** The zoom at which the whole tree fits, at most 1.5. */
  function fitZoom() {
    const { width, height } = svg.viewBox.baseVal;
    return Math.min((element("tree").clientWidth - 2) / width, (0.7 * innerHeight) / height, 1.5);
  }

  const actions = {
    first: () => go(0),
    back: () => go(count - 1),
    forward,
    last: () => go(steps.length),
  };
  const keys = {
    Home: actions.first,
    ArrowLeft: actions.back,
    ArrowRight: actions.forward,
    End: actions.last,
    "+": () => setZoom(zoom * 1.25),
    "-": () => setZoom(zoom * 0.8),
    0: () => setZoom(fitZoom()),
  };
  for (const [id, act] of Object.entries(actions)) {
    element(id).addEventListener("click", () => {
      pause();
      act();
    });
  }
  element("play").addEventListener("click", () => (timer ? pause() : play()));
  element("pace").addEventListener("change", () => timer && play());
  element("slider").addEventListener("input", (event) => {
    pause();
    go(Number(event.target.value));
  });
  element("smaller").addEventListener("click", keys["-"]);
  element("larger").addEventListener("click", keys["+"]);
  element("fit").addEventListener("click", keys[0]);
  for (const [number, item] of [...element("cuts").children].entries()) {
    item.querySelector("button").addEventListener("click", () => {
      pause();
      go(steps.findIndex((step) => step.cut === number) + 1);
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const on = event.target.closest("button, input, select, a");
    if (on && (on.matches("select, [type=range]") || event.key === " " || event.key === "Enter")) return; // the control handles its own keys
    if (event.key === " ") {
      if (timer) pause();
      else play();
    } else if (Object.hasOwn(keys, event.key)) {
      pause();
      keys[event.key]();
    } else {
      return;
    }
    event.preventDefault();
  });
  addEventListener("hashchange", goToHash);

  for (const id of ["controls", "zoom", "now"]) element(id).hidden = false;
  element("slider").max = String(steps.length);
  document.documentElement.classList.add("steps");
  setZoom(Math.max(fitZoom(), MIN_ZOOM));
  if (!goToHash()) reach(data.start);
}
