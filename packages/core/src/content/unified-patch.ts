/**
 * Writes patches in git's format: `git apply` turns `before` into `after`, as far as git can represent the change.
 *
 * Lines that start with `# `, which `git apply` ignores, show what git cannot represent: folders, and permissions other
 * than the executable bit. If a content is not given in full (binary, too long, over the limit), `git apply` refuses
 * the whole patch. It accepts the patch only if its repository has the content under the id that the patch names. So
 * half a change is never applied. With `COMPLETE_PATCH`, every content is given in full.
 */
import type { ObjectId } from '../model/ids.ts';
import type { TreePath } from '../model/names.ts';
import { quoteLikeGit } from './c-quote.ts';
import { gitBinaryPatch } from './git-binary-patch.ts';
import { diffLines, type Hunk, LINE_BOUND, type LineBound } from './line-diff.ts';

/** The state of a path on one side. `read` is only called when the content is needed; null: it is damaged. */
export type PatchSide =
  | {
      readonly kind: 'file';
      readonly mode: number;
      readonly id: ObjectId;
      readonly size: number;
      readonly read: () => Buffer | null;
    }
  /** `read` returns the target. */
  | { readonly kind: 'link'; readonly id: ObjectId; readonly size: number; readonly read: () => Buffer | null }
  | { readonly kind: 'folder'; readonly mode: number };

export interface PatchChange {
  readonly path: TreePath;
  /** Null if the path does not exist on this side. */
  readonly before: PatchSide | null;
  readonly after: PatchSide | null;
}

export interface PatchBound {
  /** Maximum number of bytes for the lines of one path. */
  readonly fileBytes: number;
  /** Maximum number of bytes in total. A few more are used to say what was left out. */
  readonly totalBytes: number;
  readonly lines: LineBound;
  /** Whether contents that cannot be compared by line are given as git's binary patches. Default: they are only named. */
  readonly hasBinaries?: boolean;
}

export const PATCH_BOUND: PatchBound = { fileBytes: 256 * 1024, totalBytes: 4 * 1024 * 1024, lines: LINE_BOUND };

/** Only a damaged content is missing from such a patch. */
export const COMPLETE_PATCH: PatchBound = {
  fileBytes: Number.POSITIVE_INFINITY,
  totalBytes: Number.POSITIVE_INFINITY,
  lines: LINE_BOUND,
  hasBinaries: true,
};

/**
 * A change that the patch does not show in full.
 * - `binary`, `too-long`: the patch only says that the contents differ
 * - `cut`: it shows only the first lines
 * - `left-out`: the patch was already full
 * - `damaged`: a content cannot be read
 */
export interface PatchGap {
  readonly path: TreePath;
  readonly why: 'binary' | 'too-long' | 'cut' | 'left-out' | 'damaged';
}

export interface Patch {
  readonly text: Buffer;
  readonly gaps: readonly PatchGap[];
}

/** Returns the patch of all changes, in the given order. */
export function unifiedPatch(changes: Iterable<PatchChange>, bound: PatchBound = PATCH_BOUND): Patch {
  const writer = new PatchWriter(bound);
  for (const change of changes) writer.add(change);
  return writer.finish();
}

/** Writes a patch change by change, for callers that yield in between. */
export class PatchWriter {
  #text: string[] = [];
  #bytes = 0;
  readonly #gaps: PatchGap[] = [];

  constructor(private readonly bound: PatchBound = PATCH_BOUND) {}

  /** Adds a change. Once the patch is full, changes are only counted and their contents are not read. */
  add(change: PatchChange): void {
    if (this.#bytes >= this.bound.totalBytes) {
      this.#gaps.push({ path: change.path, why: 'left-out' });
      return;
    }
    const { path, before, after } = change;
    if (before?.kind === 'folder' || after?.kind === 'folder') this.#write(folderNote(path, before, after));
    const old = before?.kind === 'folder' ? null : before;
    const now = after?.kind === 'folder' ? null : after;
    if (old !== null && now !== null && old.kind !== now.kind) {
      this.#section(path, old, null);
      this.#section(path, null, now);
    } else if (old !== null || now !== null) {
      this.#section(path, old, now);
    }
  }

  /** Returns what was written since the last time. For callers that write a large patch piece by piece. */
  take(): Buffer {
    const text = this.#text;
    this.#text = [];
    return Buffer.from(text.join(''), 'latin1');
  }

  finish(): Patch {
    const leftOut = this.#gaps.find((gap) => gap.why === 'left-out');
    if (leftOut !== undefined) {
      const { path } = leftOut;
      const count = this.#gaps.filter((gap) => gap.why === 'left-out').length;
      this.#write(fileHeader(path) + linesHeader(prefixedName('a', path), prefixedName('b', path)));
      this.#write(truncationLine(`${count} more changed ${count === 1 ? 'path is' : 'paths are'} left out`));
    }
    return { text: this.take(), gaps: this.#gaps };
  }

  #section(path: TreePath, old: PatchContent | null, now: PatchContent | null): void {
    if (old !== null && now !== null) this.#write(permissionsNote(path, old, now));
    const modes = modeLines(old, now);
    const same = old !== null && now !== null && old.id === now.id;
    if (same && modes === '') return;
    this.#write(fileHeader(path) + modes);
    if (same) return;
    this.#write(indexLine(old, now));
    const names = { old: old && prefixedName('a', path), now: now && prefixedName('b', path) };
    const longest = Math.max(old?.size ?? 0, now?.size ?? 0);
    const diff = longest > this.bound.lines.maxBytes ? { kind: 'too-long' as const } : this.#compare(old, now);
    if (diff.kind === 'lines') {
      if (diff.hunks.length > 0) this.#hunks(path, diff.hunks, names);
      return;
    }
    if (this.bound.hasBinaries === true && diff.kind !== 'damaged') {
      const [a, b] = [contentOf(old), contentOf(now)];
      if (a !== null && b !== null) {
        this.#write(gitBinaryPatch(a, b));
        return;
      }
    }
    const label = diff.kind === 'binary' ? 'Binary files' : 'Files';
    this.#write(`${label} ${names.old ?? NO_FILE} and ${names.now ?? NO_FILE} differ\n`);
    this.#write(`# ${GAP_NOTES[diff.kind]}: ${sizeOf(old)} -> ${sizeOf(now)}\n`);
    this.#gaps.push({ path, why: diff.kind });
  }

  #compare(old: PatchContent | null, now: PatchContent | null): ReturnType<typeof diffLines> | typeof DAMAGED {
    const a = contentOf(old);
    const b = contentOf(now);
    return a === null || b === null ? DAMAGED : diffLines(a, b, this.bound.lines);
  }

  #hunks(path: TreePath, hunks: readonly Hunk[], names: { old: string | null; now: string | null }): void {
    this.#write(linesHeader(names.old, names.now));
    const full = Math.min(this.#bytes + this.bound.fileBytes, this.bound.totalBytes);
    let shown = 0;
    for (const hunk of hunks) {
      this.#write(hunkHeader(hunk));
      for (const line of hunk.lines) {
        if (this.#bytes + line.length > full) {
          const all = hunks.reduce((sum, { lines }) => sum + lines.length, 0);
          this.#write(truncationLine(`${shown} of ${all} lines of this file's patch are shown`));
          this.#gaps.push({ path, why: 'cut' });
          return;
        }
        this.#write(line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`);
        shown++;
      }
    }
  }

  #write(text: string): void {
    this.#text.push(text);
    this.#bytes += text.length;
  }
}

type PatchContent = Exclude<PatchSide, { readonly kind: 'folder' }>;

const DAMAGED = { kind: 'damaged' } as const;
const GAP_NOTES = { binary: 'binary', 'too-long': 'too long to compare by line', damaged: 'cannot be read' } as const;
const NOTHING = Buffer.alloc(0);
const NO_FILE = '/dev/null';
const NO_ID = '0'.repeat(40);

/** @returns null if it is damaged */
function contentOf(content: PatchContent | null): Buffer | null {
  return content === null ? NOTHING : content.read();
}

function prefixedName(side: 'a' | 'b', path: TreePath): string {
  return quoteLikeGit(`${side}/${path}`);
}

function linesHeader(old: string | null, now: string | null): string {
  return `--- ${old === null ? NO_FILE : headerName(old)}\n+++ ${now === null ? NO_FILE : headerName(now)}\n`;
}

/** Returns a hunk header that no parser accepts, so that a truncated patch cannot be mistaken for a complete one. */
function truncationLine(what: string): string {
  return `@@ -cut- ${what} @@\n`;
}

/** Appends a tab if the name has a space, because a parser could otherwise take the end of the name for a date. */
function headerName(name: string): string {
  return name.includes(' ') ? `${name}\t` : name;
}

function fileHeader(path: TreePath): string {
  return `diff --git ${prefixedName('a', path)} ${prefixedName('b', path)}\n`;
}

function gitMode(content: PatchContent): string {
  if (content.kind === 'link') return '120000';
  return content.mode & 0o100 ? '100755' : '100644';
}

function modeLines(old: PatchContent | null, now: PatchContent | null): string {
  if (old === null) return now === null ? '' : `new file mode ${gitMode(now)}\n`;
  if (now === null) return `deleted file mode ${gitMode(old)}\n`;
  return gitMode(old) === gitMode(now) ? '' : `old mode ${gitMode(old)}\nnew mode ${gitMode(now)}\n`;
}

function indexLine(old: PatchContent | null, now: PatchContent | null): string {
  const mode = old !== null && now !== null && gitMode(old) === gitMode(now) ? ` ${gitMode(now)}` : '';
  return `index ${old?.id ?? NO_ID}..${now?.id ?? NO_ID}${mode}\n`;
}

function hunkHeader({ beforeStart, beforeCount, afterStart, afterCount }: Hunk): string {
  return `@@ -${range(beforeStart, beforeCount)} +${range(afterStart, afterCount)} @@\n`;
}

/** Lines are counted from 1 here. An empty range names the line before it. */
function range(start: number, count: number): string {
  if (count === 0) return `${start},0`;
  return count === 1 ? `${start + 1}` : `${start + 1},${count}`;
}

function sizeOf(content: PatchContent | null): string {
  return content === null ? 'nothing' : `${content.size} bytes`;
}

function permissionsNote(path: TreePath, old: PatchContent, now: PatchContent): string {
  if (old.kind !== 'file' || now.kind !== 'file' || old.mode === now.mode) return '';
  if ((old.mode ^ now.mode) === 0o111) return '';
  return `# permissions of ${quoteLikeGit(path)}: ${octal(old.mode)} -> ${octal(now.mode)}\n`;
}

function folderNote(path: TreePath, before: PatchSide | null, after: PatchSide | null): string {
  const name = path === '' ? 'the workspace itself' : `folder ${quoteLikeGit(path)}`;
  if (before?.kind !== 'folder') return after?.kind === 'folder' ? `# new ${name}: ${octal(after.mode)}\n` : '';
  if (after?.kind !== 'folder') return `# deleted ${name}\n`;
  return before.mode === after.mode ? '' : `# permissions of ${name}: ${octal(before.mode)} -> ${octal(after.mode)}\n`;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
