/**
 * Reads a unified patch of one text file, as `diff -u`, git and content/unified-patch.ts write it. Names in it are not
 * looked at, as the file is known; what it says beside the lines has to be something that an edit can do.
 */

import type { EditBound } from './edits.ts';
import { refused } from './failures.ts';
import { allCrLf, givenText, MARK } from './text-file.ts';

export interface PatchLine {
  readonly kind: ' ' | '-' | '+';
  /** With its line feed, except where the patch says that there is none. */
  readonly text: string;
}

export interface PatchHunk {
  /** How many lines of the file are in front of it, as the patch says. */
  readonly start: number;
  readonly lines: readonly PatchLine[];
}

export interface LinePatch {
  /** `delete`: the file has to be empty after it, and goes. */
  readonly kind: 'change' | 'delete';
  readonly hunks: readonly PatchHunk[];
  /** True where the patch holds a CR: then line ends are meant as they are. */
  readonly literal: boolean;
  /** True where it has a line of the file that begins with a byte-order mark. */
  readonly marked: boolean;
}

export type ParsedPatch =
  | LinePatch
  | { readonly kind: 'create'; readonly content: string; readonly mode: number | null };

/** @throws EditRefused BAD_PATCH, BAD_STRING, TOO_LARGE */
export function parsePatch(given: string, fuzz: number, bound: EditBound): ParsedPatch {
  const text = givenText('patch', given, bound);
  if (!Number.isSafeInteger(fuzz) || fuzz < 0) throw bad(1, `The fuzz must be a whole number from 0 up, not ${fuzz}.`);
  return new PatchReader(text, bound).read();
}

/** Header lines that say what this room does not do by patch. */
const NOT_DONE: readonly (readonly [RegExp, string])[] = [
  [/^(?:old|new) mode /, 'changes the mode; use a mode edit for that'],
  [/^(?:rename|copy|similarity|dissimilarity) /, 'renames or copies; use a rename edit for that'],
  [/^GIT binary patch|^(?:Binary files|Files) .* differ$/, 'is not of a text file'],
];
const PASSED_OVER = /^(?:index |Index: |=+$|# |#?$)/;
const NEXT_FILE = /^(?:diff --git |Index: |--- )/;
const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: .*)?$/;
const NO_FEED = /^\\ /;

class PatchReader {
  readonly #lines: readonly string[];
  #at = 0;
  #mode: { readonly what: 'new' | 'deleted'; readonly mode: number } | null = null;
  #old: string | null = null;
  #new: string | null = null;

  constructor(text: string, bound: EditBound) {
    // A patch whose own lines all end in CRLF has been through something that made them so.
    const lines = (allCrLf(text) ? text.replaceAll('\r\n', '\n') : text).split('\n', bound.maxLines + 1);
    if (lines.length > bound.maxLines) {
      throw refused('TOO_LARGE', `The patch has more than ${bound.maxLines} lines.`, {
        limit: bound.maxLines,
        unit: 'lines',
      });
    }
    if (lines.at(-1) === '') lines.pop();
    this.#lines = lines;
  }

  read(): ParsedPatch {
    this.#header();
    const kind = this.#kind();
    const hunks: PatchHunk[] = [];
    let end = 0;
    while (this.#at < this.#lines.length) {
      const line = this.#at + 1;
      const hunk = this.#hunk();
      if (hunk.start < end) throw bad(line, 'This hunk starts before the end of the previous one.');
      end = hunk.start + hunk.lines.filter(({ kind }) => kind !== '+').length;
      hunks.push(hunk);
      if (this.#atEnd()) break;
    }
    if (hunks.length === 0 && this.#mode === null) {
      throw bad(this.#at + 1, 'The patch has no hunk (a line like `@@ -1,3 +1,4 @@` with lines below it).');
    }
    if (kind === 'create') return this.#creation(hunks);
    const lines = hunks.flatMap((hunk) => hunk.lines);
    return {
      kind,
      hunks,
      literal: lines.some(({ text }) => text.includes('\r')),
      marked: lines.some(({ kind, text }) => kind !== '+' && text.startsWith(MARK)),
    };
  }

  #header(): void {
    let git = false;
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#line();
      if (line.startsWith('@@')) return;
      if (line.startsWith('diff --git ')) {
        if (git) throw this.#bad('The patch is for several files. Use one patch per file.');
        git = true;
      } else if (line.startsWith('--- ')) {
        this.#names(line);
      } else {
        this.#headerLine(line);
      }
    }
  }

  #headerLine(line: string): void {
    const notDone = NOT_DONE.find(([form]) => form.test(line));
    if (notDone !== undefined) throw this.#bad(`The patch ${notDone[1]}.`);
    const mode = /^(new|deleted) file mode (\d{6})$/.exec(line);
    if (mode === null) {
      if (PASSED_OVER.test(line)) return;
      throw this.#bad('This line is neither a patch header nor `@@ … @@`. Send only the patch, without a code fence.');
    }
    if (this.#mode !== null) throw this.#bad('The patch has more than one header for a new or deleted file.');
    if (!/^100(?:644|755)$/.test(mode[2]!)) throw this.#bad('The patch is not for a regular file.');
    this.#mode = { what: mode[1] as 'new' | 'deleted', mode: Number.parseInt(mode[2]!, 8) & 0o777 };
  }

  #names(line: string): void {
    const next = this.#lines[this.#at + 1] ?? '';
    if (!next.startsWith('+++ ')) throw this.#bad('A `+++` line must follow the `---` line.');
    if (this.#old !== null) throw this.#bad('The patch is for several files. Use one patch per file.');
    this.#old = nameIn(line);
    this.#new = nameIn(next);
    const [old, now] = [this.#old, this.#new];
    if (old.startsWith('a/') && now.startsWith('b/') && old.slice(2) !== now.slice(2)) {
      throw this.#bad('The two names differ. Use a rename edit, and one name in the patch.');
    }
    this.#at++;
  }

  /** What the header says that the patch does. */
  #kind(): 'change' | 'create' | 'delete' {
    const isNew = this.#old === NO_FILE;
    const isGone = this.#new === NO_FILE;
    const what = this.#mode?.what;
    const contradicts =
      (isNew && isGone) ||
      (isNew && what === 'deleted') ||
      (isGone && what === 'new') ||
      (this.#old !== null && ((what === 'new' && !isNew) || (what === 'deleted' && !isGone)));
    if (contradicts) throw bad(1, 'The header is contradictory: the file cannot be both new and deleted.');
    if (isNew || what === 'new') return 'create';
    return isGone || what === 'deleted' ? 'delete' : 'change';
  }

  #hunk(): PatchHunk {
    const headerAt = this.#at + 1;
    const header = HUNK.exec(this.#line());
    if (header === null) throw this.#bad('A hunk must start like `@@ -1,3 +1,4 @@`, with start and number of lines.');
    const [start = 1, oldCount = 1, , newCount = 1] = header.slice(1).map((number) => Number(number ?? '1'));
    if (start === 0 && oldCount > 0) throw this.#bad('Line numbers start at 1.');
    const left = { old: oldCount, new: newCount };
    const says = `its header says ${oldCount} old and ${newCount} new lines`;
    const lines: PatchLine[] = [];
    for (this.#at++; left.old > 0 || left.new > 0; this.#at++) {
      if (this.#at >= this.#lines.length) throw bad(headerAt, `The patch ends inside of this hunk: ${says}.`);
      const line = this.#line();
      if (NO_FEED.test(line)) {
        this.#noFeed(lines);
        continue;
      }
      // Some programs take the space off an empty line of context.
      const kind = line === '' ? ' ' : line[0]!;
      if (kind !== ' ' && kind !== '-' && kind !== '+') {
        throw this.#bad(
          `A line of a hunk must start with a space, - or +. The hunk of line ${headerAt} is incomplete: ${says}.`,
        );
      }
      if ((kind !== '+' && left.old === 0) || (kind !== '-' && left.new === 0)) {
        throw this.#bad(`The hunk of line ${headerAt} has a wrong number of lines: ${says}. Fix the counts.`);
      }
      if (kind !== '+') left.old--;
      if (kind !== '-') left.new--;
      lines.push({ kind, text: `${line.slice(1)}\n` });
    }
    if (NO_FEED.test(this.#lines[this.#at] ?? '')) {
      this.#noFeed(lines);
      this.#at++;
    }
    if (lines.length === 0) throw bad(headerAt, 'This hunk has no lines.');
    this.#onlyLastWithoutFeed(lines, headerAt);
    return { start: oldCount === 0 ? start : start - 1, lines };
  }

  /** The line above has no line feed. */
  #noFeed(lines: PatchLine[]): void {
    const last = lines.pop();
    if (last === undefined || !last.text.endsWith('\n'))
      throw this.#bad('This line does not follow a line of the hunk.');
    lines.push({ kind: last.kind, text: last.text.slice(0, -1) });
  }

  #onlyLastWithoutFeed(lines: readonly PatchLine[], headerAt: number): void {
    for (const side of ['-', '+'] as const) {
      const other = side === '-' ? '+' : '-';
      const ofSide = lines.filter(({ kind }) => kind !== other);
      if (ofSide.slice(0, -1).some(({ text }) => !text.endsWith('\n'))) {
        throw bad(headerAt, 'Only the last line of a file can lack a line feed, but another line of this hunk does.');
      }
    }
  }

  /** Passes over what may stand between hunks; true at the end of the patch. */
  #atEnd(): boolean {
    while ((this.#lines[this.#at] ?? '').startsWith('# ')) this.#at++;
    const rest = this.#lines.slice(this.#at, this.#at + 1)[0];
    if (rest === undefined || rest === '-- ') return true;
    if (rest.startsWith('@@')) return false;
    if (NEXT_FILE.test(rest) && !this.#isLine(rest)) {
      throw this.#bad('The patch is for several files. Use one patch per file.');
    }
    if (rest === '') {
      let at = this.#at;
      while (this.#lines[at] === '') at++;
      if (at === this.#lines.length) return true;
    }
    throw this.#bad(
      'The hunk above has more lines than its header counts, or is followed by other text. Fix the counts.',
    );
  }

  /** A removed line that begins with `-- ` looks like a header. */
  #isLine(line: string): boolean {
    return line.startsWith('--- ') && !(this.#lines[this.#at + 1] ?? '').startsWith('+++ ');
  }

  #creation(hunks: readonly PatchHunk[]): ParsedPatch {
    const [hunk, more] = hunks;
    const lines = hunk?.lines ?? [];
    if (more !== undefined || (hunk?.start ?? 0) !== 0 || lines.some(({ kind }) => kind !== '+')) {
      throw bad(1, 'The patch of a new file has one hunk, `@@ -0,0 +1,n @@`, and all its lines start with +.');
    }
    const mode = this.#mode?.mode === 0o755 ? 0o755 : null;
    return { kind: 'create', content: lines.map(({ text }) => text).join(''), mode };
  }

  #line(): string {
    return this.#lines[this.#at]!;
  }

  #bad(message: string) {
    return bad(this.#at + 1, message);
  }
}

const NO_FILE = '/dev/null';

function nameIn(line: string): string {
  return line
    .slice(4)
    .replace(/\t.*$/, '')
    .replace(/^"(.*)"$/, '$1');
}

function bad(line: number, message: string) {
  return refused('BAD_PATCH', `Line ${line} of the patch: ${message}`, { line });
}
