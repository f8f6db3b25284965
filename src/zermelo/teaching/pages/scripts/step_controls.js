// The buttons, the slider and the keys that step through a search: first, back, play, forward, last, next cutoff and change.

import { questionBefore } from "./playback.js";

/** Milliseconds between the steps of automatic play, if the page has no choice. */
const PACE = 1200;

/** Binds the elements of a page by their ids; those that a page lacks are left out. */
export class StepControls {
  /**
   * @param {{show: (question: string) => void, nameOf: (node: number) => string, keys?: Record<string, () => void>,
   *   nextCut?: () => void}} page `show` displays the state of `playback`, or a question about the next step; `keys` are
   *   further keys; `nextCut` goes to the next cutoff, by default of `playback`.
   */
  constructor({ show, nameOf, keys = {}, nextCut = () => this.go(this.playback.nextCut()) }) {
    this.show = show;
    this.nameOf = nameOf;
    /** @type {import("./playback.js").Playback | null} */
    this.playback = null;
    this.timer = 0; // of automatic play; 0 for none
    this.isAsked = false; // whether the question about the next step is shown
    this.actions = {
      first: () => this.go(0),
      back: () => this.go(this.count - 1),
      forward: () => this.forward(),
      last: () => this.go(Infinity),
      "next-cut": nextCut,
      "next-change": () => this.go(this.playback.nextChange()),
    };
    const { first, back, forward, last } = this.actions;
    this.keys = {
      Home: first, ArrowLeft: back, ArrowRight: forward, End: last, c: this.actions["next-cut"], x: this.actions["next-change"],
      ...keys,
    };
    for (const [id, act] of Object.entries(this.actions)) this.#on(id, "click", () => this.#act(act));
    this.#on("play", "click", () => (this.timer ? this.pause() : this.play()));
    this.#on("pace", "change", () => this.timer && this.play());
    this.#on("slider", "input", (event) => this.#act(() => this.go(Number(event.target.value))));
    document.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** @returns {any} */
  #element(id) {
    return document.getElementById(id);
  }

  #on(id, type, listener) {
    this.#element(id)?.addEventListener(type, listener);
  }

  #act(act) {
    if (!this.playback) return;
    this.pause();
    act();
  }

  get count() {
    return this.playback?.count ?? 0;
  }

  /** Step through another search. */
  use(playback) {
    this.pause();
    this.playback = playback;
    this.isAsked = false;
    const slider = this.#element("slider");
    slider.max = String(playback.steps.length);
  }

  go(to) {
    this.playback.go(to);
    this.isAsked = false;
    this.show("");
    this.update();
  }

  /** Step forward; in quiz mode first ask what happens next. */
  forward() {
    const step = this.playback.steps.at(this.count);
    const isQuiz = this.#element("ask")?.checked && !this.isAsked && step;
    const question = isQuiz ? questionBefore(step, this.nameOf(step.node)) : "";
    if (!question) return this.go(this.count + 1);
    this.isAsked = true;
    this.show(`${question} Step forward for the answer.`);
  }

  play() {
    if (!this.playback) return;
    if (this.playback.isDone) this.go(0);
    clearInterval(this.timer);
    const pace = Number(this.#element("pace")?.value) || PACE;
    this.timer = setInterval(() => (this.playback.isDone ? this.pause() : this.go(this.count + 1)), pace);
    this.#element("play").textContent = "Pause";
  }

  pause() {
    clearInterval(this.timer);
    this.timer = 0;
    this.#element("play").textContent = "Play";
  }

  /** Show the number of the step. */
  update() {
    const { length } = this.playback.steps;
    this.#element("count").textContent = `${this.count.toLocaleString("en")} of ${length.toLocaleString("en")}`;
    const slider = this.#element("slider");
    slider.value = String(this.count);
    slider.setAttribute("aria-valuetext", `step ${this.count} of ${length}`);
    for (const id of ["first", "back"]) this.#element(id).setAttribute("aria-disabled", String(this.count === 0));
    for (const id of ["forward", "last", "next-cut", "next-change"]) {
      this.#element(id)?.setAttribute("aria-disabled", String(this.count === length));
    }
  }

  #onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !this.playback) return;
    const on = event.target.closest("button, input, select, textarea, a, summary");
    if (on && isOwnKey(on, event.key)) return;
    if (event.key === " ") {
      if (this.timer) this.pause();
      else this.play();
    } else if (Object.hasOwn(this.keys, event.key)) {
      this.#act(this.keys[event.key]);
    } else {
      return;
    }
    event.preventDefault();
  }
}

/** Whether a control handles a key itself: text fields and choices all, a slider those that move it, others space and Enter. */
function isOwnKey(control, key) {
  if (control.matches("[type=range]")) return /^(Arrow|Page|Home|End)/.test(key);
  return control.matches("select, textarea, input:not([type=checkbox])") || key === " " || key === "Enter";
}

/** Scroll a box so that it shows a line, without scrolling the page. */
function reveal(line, box) {
  const end = line.offsetTop + line.offsetHeight;
  if (line.offsetTop < box.scrollTop) box.scrollTop = line.offsetTop;
  else if (end > box.scrollTop + box.clientHeight) box.scrollTop = end - box.clientHeight;
}

/** Light the line of the pseudocode at which a step happens. */
export function lightLine(code, current) {
  for (const [number, line] of [...code.children].entries()) {
    const isThis = current === number;
    line.classList.toggle("now", isThis);
    if (isThis) line.setAttribute("aria-current", "step");
    else line.removeAttribute("aria-current");
    if (isThis) reveal(line, code);
  }
}

/** Fill a table with the nodes from the root to the current one: name, player, window (if any), value. */
export function fillPath(body, path, playback, { nameOf, playerOf, hasWindows }) {
  body.replaceChildren(
    ...path.map((index) => {
      const row = document.createElement("tr");
      const { window = "", value = "" } = playback.nodes.get(index) ?? {};
      const cells = [nameOf(index), playerOf(index), ...(hasWindows ? [window] : []), value];
      row.append(...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
      return row;
    }),
  );
}
