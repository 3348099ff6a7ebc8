/** The built page: its files, by the paths under which they are served. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';

export interface PageFile {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly type: string;
}

const INDEX = '/index.html';
const ASSETS = '/assets/';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

export class PageFiles {
  /** Only files that were there at the start are served, so no path leads anywhere else. */
  readonly #files: ReadonlyMap<string, string>;

  /** @param folder of the built page */
  constructor(folder: string) {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    this.#files = new Map(
      files.map((entry) => {
        const file = join(entry.parentPath, entry.name);
        return [
          file
            .slice(folder.length)
            .replace(/^[/\\]*/, '/')
            .split(sep)
            .join('/'),
          file,
        ];
      }),
    );
  }

  /** Every path outside of the assets is a view of the page: its address may contain the path of a file. */
  find(path: string): PageFile | null {
    const file = this.#files.get(path) ?? (path.startsWith(ASSETS) ? undefined : this.#files.get(INDEX));
    if (file === undefined) return null;
    return { bytes: readFileSync(file), type: TYPES[extname(file)] ?? 'application/octet-stream' };
  }
}
