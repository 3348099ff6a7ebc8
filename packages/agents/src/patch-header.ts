/** Header lines of a patch in the format of Codex, which takes them with any white space around them. */

export interface PatchHeader {
  readonly kind: 'Add' | 'Update' | 'Delete' | 'Move';
  readonly path: string;
}

/** What Unicode, and so Codex, calls white space. That of JavaScript lacks U+0085 and has U+FEFF. */
const SPACE = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const AROUND = new RegExp(`^${SPACE}+|${SPACE}+$`, 'g');
const HEADER = /^\*\*\* (?:(Add|Update|Delete) File|Move to): ([\s\S]+)$/;

/** @returns null for another line */
export function patchHeader(line: string): PatchHeader | null {
  const [, kind = 'Move', path] = HEADER.exec(trimmed(line)) ?? [];
  return path === undefined ? null : { kind: kind as PatchHeader['kind'], path };
}

export function isPatchEnd(line: string): boolean {
  return trimmed(line) === '*** End Patch';
}

export function isBlank(line: string): boolean {
  return trimmed(line) === '';
}

function trimmed(line: string): string {
  return line.replace(AROUND, '');
}
