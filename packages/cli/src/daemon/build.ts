/** Which build this is. Two builds never do each other's work: what the one remembers the other may not understand. */
import { readFileSync } from 'node:fs';
import { STORE_FORMAT } from '@savepoint/core/faces';

/** Written by `scripts/bundle.mjs`: a digest of all that the command is made of. */
const FILE = new URL('./build.txt', import.meta.url);

export interface Build {
  readonly build: string;
  readonly format: number;
}

/** As it stands on the disk now; null where the command is not bundled, or is just being replaced. */
export function buildOnDisk(): Build | null {
  try {
    const build = readFileSync(FILE, 'utf8').trim();
    return /^[0-9a-f]{16}$/.test(build) ? { build, format: STORE_FORMAT } : null;
  } catch {
    return null;
  }
}

/** As a request says it. */
export function handshake({ build, format }: Build): string {
  return `${build} ${format}`;
}

export function isHandshake(text: string): boolean {
  return /^[0-9a-f]{16} \d{1,6}$/.test(text);
}
