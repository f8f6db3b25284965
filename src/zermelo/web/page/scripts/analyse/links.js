// Links that hold a whole game: its record as JSON, compressed by the browser, in the fragment of the address.

/** @typedef {import("./game_tree.js").GameRecord} GameRecord */
/** @typedef {{ game: string, record: GameRecord, at: number[] }} LinkedGame */

const PREFIX = "#game=";
/** A link's text may be short and its content huge: the most bytes that are unpacked. */
const MOST_BYTES = 4_000_000;

/** The fragment for a game. @param {LinkedGame} linked */
export async function toFragment(linked) {
  const bytes = new TextEncoder().encode(JSON.stringify(linked));
  const packed = await all(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw")));
  let text = "";
  for (let at = 0; at < packed.length; at += 8192) text += String.fromCharCode(...packed.subarray(at, at + 8192));
  return PREFIX + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * The game of a fragment; null if it holds none.
 * @param {string} fragment @returns {Promise<LinkedGame | null>} @throws {Error} if it is damaged
 */
export async function fromFragment(fragment) {
  if (!fragment.startsWith(PREFIX)) return null;
  try {
    const text = atob(fragment.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const unpacked = await all(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")));
    const linked = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(unpacked));
    if (typeof linked.game !== "string" || !Array.isArray(linked.record?.moves)) throw Error();
    const at = Array.isArray(linked.at) ? linked.at : [];
    return { game: linked.game, record: linked.record, at };
  } catch {
    throw new Error("the link is damaged: it does not hold a game; copy it again, all of it");
  }
}

/** All bytes of a stream. @param {ReadableStream<Uint8Array>} stream */
async function all(stream) {
  /** @type {Uint8Array[]} */
  const chunks = [];
  let size = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MOST_BYTES) {
      await reader.cancel();
      throw new Error("the link holds too much text");
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
