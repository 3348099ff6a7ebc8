// @ts-check
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * The proof: lists the contents of a folder with node's own calls and no code of Savepoint. Names are bytes.
 * @param {string} folder
 * @returns {Map<string, string>} by path (latin1, one character per byte): kind, permissions, SHA-256 of every byte
 */
export function walk(folder) {
  /** @type {Map<string, string>} */
  const found = new Map();
  const visit = (/** @type {Buffer} */ path, /** @type {string} */ inside) => {
    for (const name of readdirSync(path, { encoding: 'buffer' })) {
      const full = Buffer.concat([path, Buffer.from('/'), name]);
      const shown = inside === '' ? name.toString('latin1') : `${inside}/${name.toString('latin1')}`;
      const stat = lstatSync(full);
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isDirectory()) {
        found.set(shown, `folder ${mode}`);
        visit(full, shown);
      } else if (stat.isSymbolicLink()) {
        found.set(shown, `link ${sha256(readlinkSync(full, { encoding: 'buffer' }))}`);
      } else if (stat.isFile()) found.set(shown, `file ${mode} ${sha256(readFileSync(full))}`);
      else found.set(shown, `special ${mode}`);
    }
  };
  visit(Buffer.from(folder), '');
  return found;
}

/** Returns the paths that differ between two walks. @param {Map<string, string>} a @param {Map<string, string>} b */
export function difference(a, b) {
  return [...new Set([...a.keys(), ...b.keys()])].filter((path) => a.get(path) !== b.get(path)).sort();
}

/** @param {Buffer} bytes */
function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
