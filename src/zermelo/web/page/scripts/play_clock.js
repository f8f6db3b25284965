// The clocks of both sides, counted down between the server's messages.

/**
 * @typedef {object} ClockState
 * @property {[number, number]} left Seconds of MAX and MIN.
 * @property {"max" | "min" | null} running
 */

/** Seconds below which tenths are shown, and below which the clock is red. */
const TENTHS = 20;
const URGENT = 10;

/** Shows the time of both sides in two elements. */
export class Clocks {
  /** @param {{max: HTMLElement, min: HTMLElement}} places */
  constructor(places) {
    this.places = places;
    /** @type {ClockState | null} */
    this.state = null;
    this.since = 0;
    this.timer = 0;
  }

  /** @param {ClockState | null} state As the server sent it just now. */
  show(state) {
    this.state = state;
    this.since = performance.now();
    this.#draw();
  }

  #draw() {
    clearTimeout(this.timer);
    for (const [place, side] of /** @type {[number, "max" | "min"][]} */ ([[0, "max"], [1, "min"]])) {
      const element = this.places[side];
      element.hidden = this.state === null;
      if (this.state === null) continue;
      const isRunning = this.state.running === side;
      const passed = isRunning ? (performance.now() - this.since) / 1000 : 0;
      const left = Math.max(0, this.state.left[place] - passed);
      element.textContent = clockText(left);
      element.classList.toggle("running", isRunning);
      element.classList.toggle("urgent", left < URGENT);
      if (isRunning) this.timer = setTimeout(() => this.#draw(), left < TENTHS ? 50 : 200);
    }
  }
}

/** Seconds as minutes and seconds; below 20 seconds with tenths. */
export function clockText(/** @type {number} */ seconds) {
  if (seconds < TENTHS) {
    const tenths = Math.ceil(10 * seconds) / 10;
    return `0:${tenths.toFixed(1).padStart(4, "0")}`;
  }
  const whole = Math.ceil(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
