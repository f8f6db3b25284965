// Steps through the search of a game tree, forward and back. What happens at each step is told in the JSON in #data
// (docs/stepping.md describes it); nothing is searched or computed here. After k steps the page shows what
// the first k of them say, so going back is going there again from the beginning.
"use strict";
{
  const data = JSON.parse(document.getElementById("data").textContent);
  const steps = data.steps;
  const element = (id) => document.getElementById(id);
  const svg = element("tree").querySelector("svg");
  const LEGIBLE = 0.6; // a tree that would be smaller than so is scrolled instead
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)");

  let count = 0; // how many steps have been taken
  let isAsked = false; // whether the question about the next step stands on the page
  let timer = 0; // of the steps that follow by themselves; 0: none
  let zoom = 1; // the picture's size over its natural one

  // The parts of the picture, by the node's index; parents come before their children. A fold goes by its first node.
  const parts = new Map();
  const indices = [...Object.keys(data.nodes), ...Object.keys(data.folds)].map(Number);
  for (const index of indices.sort((one, other) => one - other)) {
    const node = element(`n${index}`) ?? element(`f${index}`);
    const part = (name) => node.querySelector(`.${name}`);
    parts.set(index, { node, arc: element(`a${index}`), window: part("window"), value: part("value") });
    if (index in data.nodes) node.addEventListener("click", () => visit(index));
  }

  // ---- what is known after so many steps -------------------------------------------------------------------

  /** For each node visited its window and value, for each crossed arc the node below it, and where cuts were made. */
  function known(taken) {
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

  /** A node and those above it, the root first. */
  function pathTo(index) {
    const path = [];
    for (let at = index; at !== undefined; at = data.nodes[at].parent) path.unshift(at);
    return path;
  }

  // ---- showing it ------------------------------------------------------------------------------------------

  function write(place, text) {
    if (place && place.textContent !== text) place.textContent = text;
  }

  function show() {
    const { nodes, crossed, cuts } = known(count);
    const step = count ? steps[count - 1] : undefined;
    const here = step?.node;
    const path = here === undefined ? [] : pathTo(here);
    const isAbove = new Set(path);
    const isGone = new Set(); // below a crossed arc; parents come first
    const isDone = count === steps.length;
    for (const [index, part] of parts) {
      const node = data.nodes[index];
      const seen = nodes.get(index);
      const parent = node ? node.parent : data.folds[index];
      if (crossed.has(index) || isGone.has(parent)) isGone.add(index);
      const is = {
        visited: Boolean(seen),
        pruned: isGone.has(index),
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
    tell(step, path, nodes);
  }

  /** A frame around the node where the search is, so that it does not depend on colours. */
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

  /** Scroll so that the node is seen, if it is not. */
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

  function tell(step, path, nodes) {
    const last = steps.length;
    write(element("say"), step ? step.say : data.before);
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
        const { id, moves = "leaf" } = data.nodes[index];
        const { window = "", value = "" } = nodes.get(index) ?? {};
        const cells = [id, moves, ...(data.hasWindows ? [window] : []), value];
        row.append(...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
        return row;
      }),
    );
  }

  // ---- going about -----------------------------------------------------------------------------------------

  function go(to) {
    count = Math.max(0, Math.min(to, steps.length));
    isAsked = false;
    show();
    try {
      history.replaceState(null, "", count ? `#step=${steps[count - 1].number}` : "#step=0");
    } catch {
      // A page within another one may have no address of its own.
    }
  }

  /** One step on; or first the question that it answers, if questions are wanted. */
  function forward() {
    const question = element("ask").checked && !isAsked && count < steps.length ? questionBefore(steps[count]) : "";
    if (!question) return go(count + 1);
    isAsked = true;
    write(element("say"), `${question} One step more tells.`);
  }

  function questionBefore(step) {
    const { id } = data.nodes[step.node];
    if (step.kind === "leave") return `What does ${id} give back?`;
    if (step.kind === "bound" || step.kind === "cut") {
      return `Does a bound of ${id} move now, or are its other children cut off?`;
    }
    return "";
  }

  /** To the step that the address tells: #step=12. False where it tells none. */
  function goToAddress() {
    const said = /^#step=(\d{1,9})$/.exec(location.hash);
    if (said) reach(Number(said[1]));
    return Boolean(said);
  }

  /** To a step by its number in the search; where that is folded away, to the last one before it. */
  function reach(number) {
    const next = steps.findIndex((step) => step.number > number);
    go(next < 0 ? steps.length : next);
  }

  /** To the first visit of a node; of one that is never visited, to the cut that takes it away. */
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

  /** Draw the picture so many times its natural size. */
  function size(to) {
    zoom = Math.max(0.05, Math.min(to, 8));
    svg.style.width = `${zoom * svg.viewBox.baseVal.width}px`;
  }

  /** The size at which the whole tree is seen, up to half as large again as is natural. */
  function whole() {
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
    "+": () => size(zoom * 1.25),
    "-": () => size(zoom * 0.8),
    0: () => size(whole()),
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
    if (on && (on.matches("select, [type=range]") || event.key === " " || event.key === "Enter")) return; // its own keys
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
  addEventListener("hashchange", goToAddress);

  for (const id of ["controls", "zoom", "now"]) element(id).hidden = false;
  element("slider").max = String(steps.length);
  document.documentElement.classList.add("steps");
  size(Math.max(whole(), LEGIBLE));
  if (!goToAddress()) reach(data.start);
}
