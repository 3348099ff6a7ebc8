/** Splits a patch in git's format into the parts of its files, for front ends that show it. */

import { unescapeBytes } from './c-quote.ts';

export interface PatchPart {
  /** The bytes of the path, one character each. */
  readonly path: string;
  /** From the line `diff --git` to the next one. */
  readonly text: string;
}

export function patchParts(patch: string): readonly PatchPart[] {
  return patch.split(/^(?=diff --git )/m).flatMap((text) => {
    const path = pathOf(text);
    return path === null ? [] : [{ path, text }];
  });
}

/** In git's first line, both names are the same. A quoted name is ASCII, with escapes for everything else. */
function pathOf(part: string): string | null {
  const first = part.slice(0, part.indexOf('\n'));
  const [, plain, quoted] = /^diff --git (?:a\/(.*) b\/\1|"a\/((?:[^"\\]|\\.)*)" ".*")$/s.exec(first) ?? [];
  return plain ?? (quoted === undefined ? null : unescapeBytes(quoted));
}
