// Requests to the server: JSON, and streams of Server-Sent Events.

/** A refused or failed request. */
export class ApiError extends Error {
  /**
   * @param {string} message One line for the reader.
   * @param {string} [field] The field of the request that is wrong.
   * @param {number} [status] HTTP status; 0 if the server was not reached.
   */
  constructor(message, field = "", status = 0) {
    super(message);
    this.name = "ApiError";
    this.field = field;
    this.status = status;
  }
}

/**
 * @param {string} path
 * @param {RequestInit} options
 */
async function request(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError("the server does not answer: is `zermelo serve` still running?");
  }
  if (response.ok) return response;
  /** @type {{error?: string, field?: string}} */
  const problem = await response.json().catch(() => ({}));
  throw new ApiError(problem.error ?? `the server answered ${response.status}`, problem.field, response.status);
}

/** @param {unknown} body */
const jsonBody = (body) => ({ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/**
 * Get JSON.
 *
 * @param {string} path
 * @param {{signal?: AbortSignal}} [options]
 * @returns {Promise<any>}
 */
export async function get(path, { signal } = {}) {
  return (await request(path, { signal })).json();
}

/**
 * Get a text.
 *
 * @param {string} path
 * @returns {Promise<string>}
 */
export async function getText(path) {
  return (await request(path, {})).text();
}

/**
 * Post JSON; return the answer.
 *
 * @param {string} path
 * @param {unknown} [body]
 * @param {{signal?: AbortSignal}} [options]
 * @returns {Promise<any>}
 */
export async function post(path, body = {}, { signal } = {}) {
  const response = await request(path, { ...jsonBody(body), signal });
  return response.status === 204 ? null : response.json();
}

/**
 * Post JSON and read the answer as Server-Sent Events, until it ends, the page is left, or `signal` aborts it (no error
 * then). A browser that keeps a page for "back" keeps its connections too: without the end on `pagehide`, the search of
 * a page that was left would go on.
 *
 * @param {string} path
 * @param {unknown} body
 * @param {{signal?: AbortSignal} & Record<string, any>} options A handler for each event by its name, called with the
 *   event's data. An event `error` without a handler is thrown as `ApiError`.
 */
export async function stream(path, body, { signal: given, ...handlers }) {
  const left = new AbortController();
  const leave = () => left.abort();
  const signal = given ? AbortSignal.any([given, left.signal]) : left.signal;
  addEventListener("pagehide", leave);
  try {
    const response = await request(path, { ...jsonBody(body), signal });
    if (!response.body) return;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      const blocks = text.split(/\r?\n\r?\n/);
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        if (signal.aborted) return;
        dispatch(block, handlers);
      }
    }
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof TypeError) throw new ApiError("the connection to the server was lost");
    throw error;
  } finally {
    removeEventListener("pagehide", leave);
  }
}

/**
 * @param {string} block An event: lines `event: NAME` and `data: JSON`; others are comments.
 * @param {Record<string, (data: any) => void>} handlers
 */
function dispatch(block, handlers) {
  let name = "message";
  const data = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  if (!data.length) return;
  const value = JSON.parse(data.join("\n"));
  if (handlers[name]) handlers[name](value);
  else if (name === "error") throw new ApiError(value.error, value.field);
}

/**
 * Open a WebSocket to a path of this server; messages are JSON.
 *
 * @param {string} path
 * @param {(message: any) => void} onMessage
 * @param {(isOpen: boolean) => void} [onChange] Called when the connection opens or is lost.
 * @returns {{send: (message: unknown) => void, close: () => void}} It reconnects until it is closed.
 */
export function live(path, onMessage, onChange = () => {}) {
  /** @type {WebSocket} */
  let socket;
  let pause = 250;
  let isClosed = false;
  const open = () => {
    const url = new URL(path, location.href);
    url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    socket = new WebSocket(url);
    socket.onopen = () => {
      pause = 250;
      onChange(true);
    };
    socket.onmessage = ({ data }) => onMessage(JSON.parse(data));
    socket.onclose = () => {
      if (isClosed) return;
      onChange(false);
      setTimeout(() => isClosed || open(), pause);
      pause = Math.min(2 * pause, 5000);
    };
  };
  open();
  return {
    send: (message) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message)),
    close: () => {
      isClosed = true;
      socket.close();
    },
  };
}
