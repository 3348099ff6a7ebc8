/** The lines of the diff pane: what is visible with some files folded, and the places to jump to. */
import type { PatchFile, PatchLine } from './patch-file.ts';

/** A line of the pane, by what it shows. */
export type DiffLine =
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'file'; readonly file: PatchFile; readonly isFolded: boolean }
  | { readonly kind: 'line'; readonly file: PatchFile; readonly line: PatchLine; readonly index: number }
  | { readonly kind: 'space' };

interface Shown {
  readonly heading: readonly string[];
  readonly files: readonly PatchFile[];
  readonly folded: ReadonlySet<string>;
}

const known = new WeakMap<readonly PatchFile[], { readonly shown: Shown; readonly lines: readonly DiffLine[] }>();

/** Made once for as long as nothing is folded or unfolded: scrolling must not depend on the size of the diff. */
export function diffLines(shown: Shown): readonly DiffLine[] {
  const last = known.get(shown.files);
  if (last !== undefined && last.shown.folded === shown.folded && last.shown.heading === shown.heading) {
    return last.lines;
  }
  const lines: DiffLine[] = shown.heading.map((text) => ({ kind: 'heading', text }));
  for (const file of shown.files) {
    const isFolded = shown.folded.has(file.path);
    if (lines.length > 0) lines.push({ kind: 'space' });
    lines.push({ kind: 'file', file, isFolded });
    if (isFolded) continue;
    for (const [index, line] of file.lines.entries()) lines.push({ kind: 'line', file, line, index });
  }
  known.set(shown.files, { shown, lines });
  return lines;
}

/** The file at a line; null above the first. */
export function fileAt(lines: readonly DiffLine[], cursor: number): PatchFile | null {
  for (let at = Math.min(cursor, lines.length - 1); at >= 0; at--) {
    const line = lines[at];
    if (line?.kind === 'file' || line?.kind === 'line') return line.file;
  }
  return null;
}

/** @returns the line of the next or previous file or hunk; the same line if there is none */
export function jump(
  lines: readonly DiffLine[],
  cursor: number,
  { to, by }: { readonly to: 'file' | 'hunk'; readonly by: 1 | -1 },
): number {
  for (let at = cursor + by; at >= 0 && at < lines.length; at += by) {
    const line = lines[at];
    if (line?.kind === 'file' && (to === 'file' || line.isFolded)) return at;
    if (to === 'hunk' && line?.kind === 'line' && line.line.kind === 'hunk') return at;
  }
  return cursor;
}
