// Games that are dropped on a page as a file, or pasted as text.

import { ApiError } from "./api.js";

/** The largest file, in bytes; the server refuses larger ones. */
const MOST_BYTES = 4_500_000;

/** The text of a file: UTF-8, or else Latin-1. @param {File} file */
export async function textOf(file) {
  if (file.size > MOST_BYTES) {
    throw new ApiError(`${file.name} has ${(file.size / 1e6).toFixed(1)} MB; expected at most ${MOST_BYTES / 1e6} MB`);
  }
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
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
