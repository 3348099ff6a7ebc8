/**
 * Parses a unified patch of one text file, as `diff -u`, git and content/unified-patch.ts write it. File names in it
 * are ignored, because the file is known. Everything else outside the hunks must be something that an edit can do.
 */

import type { EditBound } from './edits.ts';
import { editRefusal } from './failures.ts';
import { BOM, encodeText, isAllCrLf } from './text-file.ts';

export interface PatchLine {
  readonly kind: ' ' | '-' | '+';
  /** Includes its line feed, unless the patch says that there is none. */
  readonly text: string;
}

export interface PatchHunk {
  /** The number of lines before the hunk, according to the patch. */
  readonly start: number;
  readonly lines: readonly PatchLine[];
}

export interface LinePatch {
  /** `delete`: the file must be empty afterwards and is removed. */
  readonly kind: 'change' | 'delete';
  readonly hunks: readonly PatchHunk[];
  /** Whether the patch contains a CR. If so, line endings are taken literally. */
  readonly literal: boolean;
  /** Whether an old line in it starts with a byte-order mark. */
  readonly hasBom: boolean;
}

export type ParsedPatch =
  | LinePatch
  | { readonly kind: 'create'; readonly content: string; readonly mode: number | null };

/** @throws EditRefusedError BAD_PATCH, BAD_STRING, TOO_LARGE */
export function parsePatch(given: string, fuzz: number, bound: EditBound): ParsedPatch {
  const text = encodeText('patch', given, bound);
  if (!Number.isSafeInteger(fuzz) || fuzz < 0)
    throw badPatchError(1, `The fuzz must be a whole number from 0 up, not ${fuzz}.`);
  return new PatchReader(text, bound).read();
}

/** Header lines for changes that this layer does not support in a patch. */
const UNSUPPORTED: readonly (readonly [RegExp, string])[] = [
  [/^(?:old|new) mode /, 'changes the mode; use a mode edit for that'],
  [/^(?:rename|copy|similarity|dissimilarity) /, 'renames or copies; use a rename edit for that'],
  [/^GIT binary patch|^(?:Binary files|Files) .* differ$/, 'is not of a text file'],
];
const IGNORED_LINE = /^(?:index |Index: |=+$|# |#?$)/;
const NEXT_FILE = /^(?:diff --git |Index: |--- )/;
const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: .*)?$/;
const NO_NEWLINE = /^\\ /;

class PatchReader {
  readonly #lines: readonly string[];
  #at = 0;
  #mode: { readonly what: 'new' | 'deleted'; readonly mode: number } | null = null;
  #old: string | null = null;
  #new: string | null = null;

  constructor(text: string, bound: EditBound) {
    // If all lines of a patch end in CRLF, some tool converted it.
    const lines = (isAllCrLf(text) ? text.replaceAll('\r\n', '\n') : text).split('\n', bound.maxLines + 1);
    if (lines.length > bound.maxLines) {
      throw editRefusal('TOO_LARGE', `The patch has more than ${bound.maxLines} lines.`, {
        limit: bound.maxLines,
        unit: 'lines',
      });
    }
    if (lines.at(-1) === '') lines.pop();
    this.#lines = lines;
  }

  read(): ParsedPatch {
    this.#parseHeader();
    const kind = this.#patchKind();
    const hunks: PatchHunk[] = [];
    let end = 0;
    while (this.#at < this.#lines.length) {
      const line = this.#at + 1;
      const hunk = this.#parseHunk();
      if (hunk.start < end) throw badPatchError(line, 'This hunk starts before the end of the previous one.');
      end = hunk.start + hunk.lines.filter(({ kind }) => kind !== '+').length;
      hunks.push(hunk);
      if (this.#isAtEnd()) break;
    }
    if (hunks.length === 0 && this.#mode === null) {
      throw badPatchError(this.#at + 1, 'The patch has no hunk (a line like `@@ -1,3 +1,4 @@` with lines below it).');
    }
    if (kind === 'create') return this.#newFile(hunks);
    const lines = hunks.flatMap((hunk) => hunk.lines);
    return {
      kind,
      hunks,
      literal: lines.some(({ text }) => text.includes('\r')),
      hasBom: lines.some(({ kind, text }) => kind !== '+' && text.startsWith(BOM)),
    };
  }

  #parseHeader(): void {
    let git = false;
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#line();
      if (line.startsWith('@@')) return;
      if (line.startsWith('diff --git ')) {
        if (git) throw this.#error('The patch is for several files. Use one patch per file.');
        git = true;
      } else if (line.startsWith('--- ')) {
        this.#parseNames(line);
      } else {
        this.#parseHeaderLine(line);
      }
    }
  }

  #parseHeaderLine(line: string): void {
    const notDone = UNSUPPORTED.find(([form]) => form.test(line));
    if (notDone !== undefined) throw this.#error(`The patch ${notDone[1]}.`);
    const mode = /^(new|deleted) file mode (\d{6})$/.exec(line);
    if (mode === null) {
      if (IGNORED_LINE.test(line)) return;
      throw this.#error(
        'This line is neither a patch header nor `@@ … @@`. Send only the patch, without a code fence.',
      );
    }
    if (this.#mode !== null) throw this.#error('The patch has more than one header for a new or deleted file.');
    if (!/^100(?:644|755)$/.test(mode[2]!)) throw this.#error('The patch is not for a regular file.');
    this.#mode = { what: mode[1] as 'new' | 'deleted', mode: Number.parseInt(mode[2]!, 8) & 0o777 };
  }

  #parseNames(line: string): void {
    const next = this.#lines[this.#at + 1] ?? '';
    if (!next.startsWith('+++ ')) throw this.#error('A `+++` line must follow the `---` line.');
    if (this.#old !== null) throw this.#error('The patch is for several files. Use one patch per file.');
    this.#old = nameFromHeader(line);
    this.#new = nameFromHeader(next);
    const [old, now] = [this.#old, this.#new];
    if (old.startsWith('a/') && now.startsWith('b/') && old.slice(2) !== now.slice(2)) {
      throw this.#error('The two names differ. Use a rename edit, and one name in the patch.');
    }
    this.#at++;
  }

  /** What the patch does according to its header. */
  #patchKind(): 'change' | 'create' | 'delete' {
    const isNew = this.#old === NO_FILE;
    const isGone = this.#new === NO_FILE;
    const what = this.#mode?.what;
    const contradicts =
      (isNew && isGone) ||
      (isNew && what === 'deleted') ||
      (isGone && what === 'new') ||
      (this.#old !== null && ((what === 'new' && !isNew) || (what === 'deleted' && !isGone)));
    if (contradicts) throw badPatchError(1, 'The header is contradictory: the file cannot be both new and deleted.');
    if (isNew || what === 'new') return 'create';
    return isGone || what === 'deleted' ? 'delete' : 'change';
  }

  #parseHunk(): PatchHunk {
    const headerAt = this.#at + 1;
    const header = HUNK.exec(this.#line());
    if (header === null) throw this.#error('A hunk must start like `@@ -1,3 +1,4 @@`, with start and number of lines.');
    const [start = 1, oldCount = 1, , newCount = 1] = header.slice(1).map((number) => Number(number ?? '1'));
    if (start === 0 && oldCount > 0) throw this.#error('Line numbers start at 1.');
    const left = { old: oldCount, new: newCount };
    const says = `its header says ${oldCount} old and ${newCount} new lines`;
    const lines: PatchLine[] = [];
    for (this.#at++; left.old > 0 || left.new > 0; this.#at++) {
      if (this.#at >= this.#lines.length) throw badPatchError(headerAt, `The patch ends inside of this hunk: ${says}.`);
      const line = this.#line();
      if (NO_NEWLINE.test(line)) {
        this.#dropNewline(lines);
        continue;
      }
      // Some programs strip the space from an empty context line.
      const kind = line === '' ? ' ' : line[0]!;
      if (kind !== ' ' && kind !== '-' && kind !== '+') {
        throw this.#error(
          `A line of a hunk must start with a space, - or +. The hunk of line ${headerAt} is incomplete: ${says}.`,
        );
      }
      if ((kind !== '+' && left.old === 0) || (kind !== '-' && left.new === 0)) {
        throw this.#error(`The hunk of line ${headerAt} has a wrong number of lines: ${says}. Fix the counts.`);
      }
      if (kind !== '+') left.old--;
      if (kind !== '-') left.new--;
      lines.push({ kind, text: `${line.slice(1)}\n` });
    }
    if (NO_NEWLINE.test(this.#lines[this.#at] ?? '')) {
      this.#dropNewline(lines);
      this.#at++;
    }
    if (lines.length === 0) throw badPatchError(headerAt, 'This hunk has no lines.');
    this.#assertNewlines(lines, headerAt);
    return { start: oldCount === 0 ? start : start - 1, lines };
  }

  /** Removes the line feed from the line above. */
  #dropNewline(lines: PatchLine[]): void {
    const last = lines.pop();
    if (last === undefined || !last.text.endsWith('\n'))
      throw this.#error('This line does not follow a line of the hunk.');
    lines.push({ kind: last.kind, text: last.text.slice(0, -1) });
  }

  #assertNewlines(lines: readonly PatchLine[], headerAt: number): void {
    for (const side of ['-', '+'] as const) {
      const other = side === '-' ? '+' : '-';
      const ofSide = lines.filter(({ kind }) => kind !== other);
      if (ofSide.slice(0, -1).some(({ text }) => !text.endsWith('\n'))) {
        throw badPatchError(
          headerAt,
          'Only the last line of a file can lack a line feed, but another line of this hunk does.',
        );
      }
    }
  }

  /** Skips what may be between hunks. Returns true at the end of the patch. */
  #isAtEnd(): boolean {
    while ((this.#lines[this.#at] ?? '').startsWith('# ')) this.#at++;
    const rest = this.#lines.slice(this.#at, this.#at + 1)[0];
    if (rest === undefined || rest === '-- ') return true;
    if (rest.startsWith('@@')) return false;
    if (NEXT_FILE.test(rest) && !this.#isRemovedLine(rest)) {
      throw this.#error('The patch is for several files. Use one patch per file.');
    }
    if (rest === '') {
      let at = this.#at;
      while (this.#lines[at] === '') at++;
      if (at === this.#lines.length) return true;
    }
    throw this.#error(
      'The hunk above has more lines than its header counts, or is followed by other text. Fix the counts.',
    );
  }

  /** A removed line that starts with `-- ` looks like a header. */
  #isRemovedLine(line: string): boolean {
    return line.startsWith('--- ') && !(this.#lines[this.#at + 1] ?? '').startsWith('+++ ');
  }

  #newFile(hunks: readonly PatchHunk[]): ParsedPatch {
    const [hunk, more] = hunks;
    const lines = hunk?.lines ?? [];
    if (more !== undefined || (hunk?.start ?? 0) !== 0 || lines.some(({ kind }) => kind !== '+')) {
      throw badPatchError(
        1,
        'The patch of a new file has one hunk, `@@ -0,0 +1,n @@`, and all its lines start with +.',
      );
    }
    const mode = this.#mode?.mode === 0o755 ? 0o755 : null;
    return { kind: 'create', content: lines.map(({ text }) => text).join(''), mode };
  }

  #line(): string {
    return this.#lines[this.#at]!;
  }

  #error(message: string) {
    return badPatchError(this.#at + 1, message);
  }
}

const NO_FILE = '/dev/null';

function nameFromHeader(line: string): string {
  return line
    .slice(4)
    .replace(/\t.*$/, '')
    .replace(/^"(.*)"$/, '$1');
}

function badPatchError(line: number, message: string) {
  return editRefusal('BAD_PATCH', `Line ${line} of the patch: ${message}`, { line });
}
