/** Identifies this build. Builds do not share a daemon, because their state in memory may be incompatible. */
import { readFileSync } from 'node:fs';

/** Written by `scripts/bundle.mjs`: a digest of all files of the command, and the format of its stores. */
const FILE = new URL('./build.txt', import.meta.url);

export interface Build {
  readonly build: string;
  readonly format: number;
}

/** The build on disk; null if the command is not bundled, or is being replaced. */
export function buildOnDisk(): Build | null {
  try {
    const text = readFileSync(FILE, 'utf8').trim();
    if (!isHandshake(text)) return null;
    const [build = '', format] = text.split(' ');
    return { build, format: Number(format) };
  } catch {
    return null;
  }
}

/** The header with the caller's build and store format. */
export const BUILD_HEADER = 'savepoint-build';

/** The form in the header of a request. */
export function handshake({ build, format }: Build): string {
  return `${build} ${format}`;
}

export function isHandshake(text: string): boolean {
  return /^[0-9a-f]{16} \d{1,6}$/.test(text);
}
