/** Identifies this build. Builds do not share a daemon, because their state in memory may be incompatible. */
import { readFileSync } from 'node:fs';
import { STORE_FORMAT } from '@savepoint/core/frontend';

/** Written by `scripts/bundle.mjs`: a digest of all files of the command. */
const FILE = new URL('./build.txt', import.meta.url);

export interface Build {
  readonly build: string;
  readonly format: number;
}

/** The build on disk; null if the command is not bundled, or is being replaced. */
export function buildOnDisk(): Build | null {
  try {
    const build = readFileSync(FILE, 'utf8').trim();
    return /^[0-9a-f]{16}$/.test(build) ? { build, format: STORE_FORMAT } : null;
  } catch {
    return null;
  }
}

/** The form in the header of a request. */
export function handshake({ build, format }: Build): string {
  return `${build} ${format}`;
}

export function isHandshake(text: string): boolean {
  return /^[0-9a-f]{16} \d{1,6}$/.test(text);
}
