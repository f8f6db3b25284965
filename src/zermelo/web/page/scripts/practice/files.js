// Files that are dropped on the page or saved from it.

import { element } from "/scripts/teaching/dom.js";

/** Offer bytes as a file to save. */
export function saveBytes(name, bytes, type) {
  const url = URL.createObjectURL(new Blob([bytes], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * The files of a drop, those of folders included, with their paths.
 *
 * @param {DataTransfer} transfer
 * @param {number} most Files beyond this number are left out.
 * @returns {Promise<{name: string, file: File}[]>}
 */
export async function droppedFiles(transfer, most) {
  const items = [...transfer.items].filter(({ kind }) => kind === "file");
  const found = [];
  const entries = [];
  for (const item of items) {
    const entry = item.webkitGetAsEntry?.();
    const file = entry ? null : item.getAsFile(); // what is not from the file system has no entry
    if (entry) entries.push(entry);
    else if (file) found.push({ name: file.name, file });
  }
  const visit = async (entry) => {
    if (found.length > most) return;
    if (entry.isFile) found.push({ name: entry.fullPath.replace(/^\//, ""), file: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
    else if (entry.isDirectory) {
      const reader = entry.createReader();
      for (;;) {
        const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        if (!some.length) return;
        for (const each of some) await visit(each);
      }
    }
  };
  for (const entry of entries) await visit(entry);
  return found;
}

/** The content of a file in base 64. */
export function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ""));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
