/** Reads and writes the files of the folder in which everybody works. */

import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesBelow } from './true-history.ts';

export class Files {
  readonly dir: string;

  constructor(dir: string) {
    this.dir = dir;
  }

  /** Without links and binary files. */
  paths(): readonly string[] {
    return filesBelow(this.dir).filter((path) => !/\.(bin|link)$/.test(path));
  }

  binaries(): readonly string[] {
    return filesBelow(this.dir).filter((path) => path.endsWith('.bin'));
  }

  /** Null: no such file. */
  read(path: string): string | null {
    try {
      return readFileSync(join(this.dir, path), 'utf8');
    } catch {
      return null;
    }
  }

  /** In place, as most tools do. */
  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.dir, path)), { recursive: true });
    writeFileSync(join(this.dir, path), text);
  }

  /** Through a temporary file, as many editors do. */
  replace(path: string, text: string): void {
    const temporary = join(this.dir, `${path}.tmp`);
    mkdirSync(dirname(temporary), { recursive: true });
    writeFileSync(temporary, text);
    renameSync(temporary, join(this.dir, path));
  }

  rename(from: string, to: string): void {
    renameSync(join(this.dir, from), join(this.dir, to));
  }

  /** Makes a file executable, or takes that away. */
  flipMode(path: string): void {
    const at = join(this.dir, path);
    chmodSync(at, statSync(at).mode ^ 0o111);
  }

  link(path: string, target: string): void {
    symlinkSync(target, join(this.dir, path));
  }

  delete(path: string): void {
    rmSync(join(this.dir, path), { force: true });
  }
}

/** As tools show texts to models. */
export function unixLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Keeps the line ends that a file has at its beginning. @param model the file before; null if it is new */
export function withLineEndsOf(model: string | null, text: string): string {
  return model !== null && /^[^\n]*\r\n/.test(model) ? unixLines(text).replaceAll('\n', '\r\n') : text;
}
