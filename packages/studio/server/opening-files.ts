/**
 * Files that lead a browser to the page. The command line of a browser can be seen by other users of the machine, so it
 * must not contain the token: it names such a file, which only its owner can read.
 */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { removeOlder, writePrivate } from './private-folder.ts';

const KEPT_MS = 60_000;
/** Files that are older are of servers that were killed. */
const STALE_MS = 10 * KEPT_MS;

export class OpeningFiles {
  readonly #folder: string;
  readonly #files = new Map<string, NodeJS.Timeout>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param address with a token. It has no characters that mean anything in HTML or in a script. */
  write(address: string): string {
    if (!/^http:\/\/[\w.:/#=-]+$/.test(address)) throw new Error('The address of the page has unexpected characters.');
    removeOlder(this.#folder, STALE_MS, Date.now());
    const file = join(this.#folder, `open-${randomBytes(8).toString('hex')}.html`);
    writePrivate(file, html(address));
    const removal = setTimeout(() => this.#remove(file), KEPT_MS);
    this.#files.set(file, removal.unref());
    return file;
  }

  removeAll(): void {
    for (const file of this.#files.keys()) this.#remove(file);
  }

  #remove(file: string): void {
    clearTimeout(this.#files.get(file));
    this.#files.delete(file);
    rmSync(file, { force: true });
  }
}

function html(address: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>Savepoint Studio</title>
<script>location.replace("${address}")</script>
<p><a href="${address}" rel="noreferrer">Open Savepoint Studio</a></p>
</html>
`;
}
