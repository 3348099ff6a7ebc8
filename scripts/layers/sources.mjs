// @ts-check
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Studio has two kinds of sources: for Node and for a browser. */
const FOLDERS = ['src', 'server', 'web'];

/**
 * Returns the paths of all TypeScript sources of the packages, with slashes, sorted. @param {string} top the project's
 * folder
 */
export function sources(top) {
  return readdirSync(join(top, 'packages'))
    .flatMap((name) => FOLDERS.flatMap((folder) => below(top, `packages/${name}/${folder}`)))
    .sort();
}

/** @param {string} top @param {string} folder @returns {string[]} */
function below(top, folder) {
  let entries;
  try {
    entries = readdirSync(join(top, folder), { withFileTypes: true });
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return [];
    throw error;
  }
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return below(top, path);
    return /\.[cm]?tsx?$/.test(entry.name) ? [path] : [];
  });
}
