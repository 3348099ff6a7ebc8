/**
 * Applies the hunks of a patch. A hunk is first tried at the line in its header, shifted by the offset of the previous
 * hunk. If its lines are not there, it is applied in the only matching place after the previous hunk. Two matching
 * places are a mismatch. With fuzz, context lines at the ends of a hunk are left out of the comparison, as few as
 * possible. Like GNU patch, it starts with the longer end. A hunk is never placed by position alone, unless it has no
 * old lines.
 *
 * Line endings: a patch without CR also matches lines that end in CRLF. Added lines get the line ending of the line
 * before them. Unchanged lines stay byte for byte as in the file.
 */

import { lineCount } from '../content/changed-span.ts';
import type { EditBound } from './edits.ts';
import { editRefusal } from './failures.ts';
import { findSequenceOccurrences } from './find.ts';
import { excerpt } from './nearest.ts';
import { CRLF_KEPT, type NewBody } from './new-body.ts';
import type { LinePatch, PatchHunk, PatchLine } from './patch-parse.ts';
import { tooLargeError } from './text-file.ts';

/** The total number of lines that all searches for misplaced hunks may scan. */
const MAX_SEARCHED_LINES = 2 ** 27;
const SHOWN_PLACES = 5;
const SHOWN_NOTES = 10;

/** @throws EditRefusedError PATCH_MISMATCH, TOO_LARGE */
export function applyPatch(body: string, patch: LinePatch, fuzz: number, bound: EditBound): NewBody {
  if (lineCount(body) > bound.maxLines) {
    throw editRefusal('TOO_LARGE', `The file has more than ${bound.maxLines} lines, too many for a patch.`, {
      limit: bound.maxLines,
      unit: 'lines',
    });
  }
  const target = new PatchTarget(body, patch.literal);
  const notes: string[] = [];
  patch.hunks.forEach((hunk, i) => {
    const { moved, used } = target.applyHunk(hunk, i + 1, fuzz);
    if (notes.length >= SHOWN_NOTES) return;
    const how = used === 0 ? '' : ` without ${used === 1 ? 'a line' : `${used} lines`} of context at its ends`;
    const where =
      moved === 0
        ? ''
        : ` ${Math.abs(moved)} ${Math.abs(moved) === 1 ? 'line' : 'lines'} ${moved > 0 ? 'below' : 'above'} the stated line`;
    if (how + where !== '') notes.push(`Hunk ${i + 1} applied${where}${how}.`);
  });
  const result = target.finish();
  if (result.length > bound.maxBytes) throw tooLargeError('result', bound);
  return {
    body: result,
    sameStart: 0,
    sameEnd: 0,
    replacements: null,
    notes: target.keptCrLf ? [...notes, CRLF_KEPT] : notes,
  };
}

class PatchTarget {
  readonly #lines: readonly string[];
  readonly #numberedLines: Int32Array;
  readonly #numbers = new Map<string, number>();
  readonly #literal: boolean;
  readonly #out: string[] = [];
  /** Lines of the file that are in `#out` or dropped. */
  #consumed = 0;
  /** The offset of the last hunk from its stated line. */
  #drift = 0;
  #searched = 0;
  keptCrLf = false;

  constructor(body: string, literal: boolean) {
    this.#lines = body.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    this.#literal = literal;
    this.#numberedLines = this.#numberLines(this.#lines);
  }

  applyHunk(hunk: PatchHunk, number: number, fuzz: number): { readonly moved: number; readonly used: number } {
    const context = contextOf(hunk);
    const stated = hunk.start + this.#drift;
    const most = Math.min(fuzz, Math.max(context.lead, context.trail));
    let several: number[] = [];
    for (let used = 0; used <= most; used++) {
      const shorter = Math.max(context.lead, context.trail) - used;
      const lead = Math.max(0, context.lead - shorter);
      const trail = Math.max(0, context.trail - shorter);
      const lines = hunk.lines.slice(lead, hunk.lines.length - trail);
      const old = this.#numberLines(lines.filter(({ kind }) => kind !== '+').map(({ text }) => text));
      if (old.length === 0 && (used > 0 || !this.#isValidPosition(stated))) break;
      const places = this.#matchesAt(old, stated + lead) ? [stated + lead] : this.#search(old, number);
      if (places.length === 1) {
        const at = places[0]!;
        this.#applyLines(lines, at, number);
        const moved = at - lead - stated;
        this.#drift += moved;
        return { moved, used };
      }
      if (used === 0) several = places;
    }
    throw this.#mismatchError(hunk, number, stated, several);
  }

  finish(): string {
    for (const line of this.#lines.slice(this.#consumed)) this.#out.push(line);
    this.#consumed = this.#lines.length;
    return this.#out.join('');
  }

  #numberLines(lines: readonly string[]): Int32Array {
    return Int32Array.from(lines, (line) => {
      const seen = this.#literal ? line : line.replace(/\r\n$/, '\n');
      const number = this.#numbers.get(seen) ?? this.#numbers.size;
      this.#numbers.set(seen, number);
      return number;
    });
  }

  #isValidPosition(at: number): boolean {
    return at >= this.#consumed && at <= this.#lines.length;
  }

  #matchesAt(old: Int32Array, at: number): boolean {
    return (
      this.#isValidPosition(at) &&
      at + old.length <= this.#lines.length &&
      old.every((line, i) => this.#numberedLines[at + i] === line)
    );
  }

  #search(old: Int32Array, number: number): number[] {
    this.#searched += this.#lines.length - this.#consumed;
    if (this.#searched > MAX_SEARCHED_LINES) {
      throw editRefusal(
        'PATCH_MISMATCH',
        `Too many hunks have wrong line numbers; hunk ${number} was not searched for. Recreate the patch from the current file.`,
        { hunk: number, line: this.#consumed + 1, expected: null, found: null, places: [] },
      );
    }
    return findSequenceOccurrences(this.#numberedLines, old, true, SHOWN_PLACES, this.#consumed);
  }

  #applyLines(lines: readonly PatchLine[], at: number, number: number): void {
    for (; this.#consumed < at; this.#consumed++) this.#out.push(this.#lines[this.#consumed]!);
    for (const { kind, text } of lines) {
      const there = this.#lines[this.#consumed]!;
      if (kind !== '+') this.#consumed++;
      if (kind === '-') continue;
      if (this.#out.length > 0 && !this.#out.at(-1)!.endsWith('\n')) throw this.#missingNewlineError(number);
      this.#out.push(kind === ' ' ? there : this.#withEnding(text));
    }
    if (this.#consumed < this.#lines.length && !(this.#out.at(-1) ?? '\n').endsWith('\n'))
      throw this.#missingNewlineError(number);
  }

  /** Uses the line ending of the nearest earlier line of the file that has one, else that of the next line. */
  #withEnding(text: string): string {
    if (this.#literal || !text.endsWith('\n')) return text;
    const around = [this.#consumed - 1, this.#consumed - 2, this.#consumed].map((at) => this.#lines[at]);
    const near = around.find((line) => line?.endsWith('\n'));
    if (near === undefined || !near.endsWith('\r\n')) return text;
    this.keptCrLf = true;
    return `${text.slice(0, -1)}\r\n`;
  }

  #missingNewlineError(number: number) {
    const line = Math.min(this.#consumed + 1, this.#lines.length);
    return editRefusal(
      'PATCH_MISMATCH',
      `Hunk ${number} has a line without a line feed in the middle of the file, or adds text after a last line without one. ` +
        'Check the lines `\\ No newline at end of file`.',
      { hunk: number, line, expected: null, found: null, places: [] },
    );
  }

  #mismatchError(hunk: PatchHunk, number: number, stated: number, places: readonly number[]) {
    const old = hunk.lines.filter(({ kind }) => kind !== '+').map(({ text }) => text);
    const wanted = this.#numberLines(old);
    const start = Math.max(stated, this.#consumed);
    let i = 0;
    while (i < wanted.length - 1 && wanted[i] === this.#numberedLines[start + i]) i++;
    const [want, there] = [old[i], this.#lines[start + i]];
    const [expected, found] = [excerptOrNull(want, there), excerptOrNull(there, want)];
    const line = start + i + 1;
    if (places.length > 1) {
      const lines = places.map((at) => at + 1);
      return editRefusal(
        'PATCH_MISMATCH',
        `Hunk ${number} does not apply at line ${stated + 1}, and matches in several places (lines ${lines.join(', ')}). ` +
          'Fix its line number, or add context.',
        { hunk: number, line, expected, found, places: lines },
      );
    }
    const what = there === undefined ? 'the file ends before it' : `the file has \`${found}\``;
    const feed =
      want !== undefined && there !== undefined && want.replace(/\r?\n$/, '') === there.replace(/\r?\n$/, '')
        ? ' Only the line endings differ.'
        : '';
    return editRefusal(
      'PATCH_MISMATCH',
      `Hunk ${number} does not apply: the patch expects \`${expected ?? ''}\` in line ${line}, ${what}.${feed} ` +
        'Its old lines are nowhere else after the hunk above. Read the file again and recreate the hunk.',
      { hunk: number, line, expected, found, places: [] },
    );
  }
}

function excerptOrNull(line: string | undefined, other: string | undefined): string | null {
  return line === undefined ? null : excerpt(line.replace(/\n$/, ''), (other ?? '').replace(/\n$/, ''));
}

/** The number of context lines at both ends of the hunk. */
function contextOf({ lines }: PatchHunk): { readonly lead: number; readonly trail: number } {
  const lead = lines.findIndex(({ kind }) => kind !== ' ');
  if (lead < 0) return { lead: 0, trail: 0 };
  return { lead, trail: lines.length - 1 - lines.findLastIndex(({ kind }) => kind !== ' ') };
}
