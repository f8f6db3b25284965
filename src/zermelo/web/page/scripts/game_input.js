// Games that are dropped on a page as a file, or pasted as text.

import { ApiError } from "./api.js";

/** The largest file, in bytes; the server refuses larger ones. */
const MOST_BYTES = 4_500_000;

/**
 * The content of a file for `/api/import`: its text, UTF-8 or else Latin-1, or in base64 the bytes of one that is not text.
 *
 * @param {File} file
 * @returns {Promise<{ text: string, data?: string }>}
 */
export async function contentOf(file) {
  if (file.size > MOST_BYTES) {
    throw new ApiError(`${file.name} has ${(file.size / 1e6).toFixed(1)} MB; expected at most ${MOST_BYTES / 1e6} MB`);
  }
  const bytes = await file.arrayBuffer();
  if (new Uint8Array(bytes).includes(0)) return { text: "", data: await base64Of(file) }; // no text has NUL
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { text: new TextDecoder("windows-1252").decode(bytes) };
  }
}

/** The bytes of a file in base64. @param {File} file @returns {Promise<string>} */
async function base64Of(file) {
  const reader = new FileReader();
  const done = new Promise((resolve, reject) => Object.assign(reader, { onload: resolve, onerror: reject }));
  reader.readAsDataURL(file);
  await done;
  return String(reader.result).split(",")[1];
}

/**
 * Call `onFile` for a file that is dropped anywhere on the page, and `onText` for a text that is pasted anywhere but in
 * a field or a dialog.
 *
 * @param {(file: File) => void} onFile
 * @param {(text: string) => void} onText
 */
export function watchGameInput(onFile, onText) {
  const hasFile = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files");
  addEventListener("dragover", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => event.relatedTarget === null && document.body.classList.remove("dropping"));
  addEventListener("drop", (event) => {
    document.body.classList.remove("dropping");
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    onFile(file);
  });
  addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!text.trim() || (event.target instanceof Element && event.target.closest("input, textarea, dialog"))) return;
    event.preventDefault();
    onText(text);
  });
}
