/** Compares what the timeline says of each line with what really happened. */

import { execFileSync } from 'node:child_process';
import { type Checkpoint, type Entry, textFromBytes } from '@savepoint/core';
import { markOf } from './lines.ts';
import type { Played } from './play.ts';
import { eventsBetween, type LineEvent, type Lines, linesOfFile, linesOfLink } from './true-history.ts';

export const VERDICTS = ['right', 'likely-right', 'likely-wrong', 'open', 'open, not named', 'wrong and sure'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Judged {
  readonly verdict: Verdict;
  /** The action that really changed the line. */
  readonly kind: string;
  readonly change: string;
  readonly path: string;
  readonly line: string;
  readonly added: boolean;
  readonly truth: readonly LineEvent[];
  readonly recorded: string;
}

/** What the timeline shows and no author did. */
export const NEVER = 'it never happened';

/**
 * @param checkpoints oldest first
 * @param objects the git repository with the contents
 */
export function judge(
  checkpoints: readonly Checkpoint[],
  objects: string,
  { truth, windows }: Played,
): readonly Judged[] {
  const contentOf = contentsOf(objects, checkpoints);
  const judged: Judged[] = [];
  const happened = new Map<string, LineEvent[]>();
  let [from, lastNumber] = [0, 1];
  for (const { checkpoint: upTo, events } of windows) {
    // What no checkpoint has shown yet stays: a report may show later what was undone before a capture.
    for (const event of truth.events.slice(from, events)) {
      happened.set(keyOf(event), [...(happened.get(keyOf(event)) ?? []), event]);
    }
    const shown = checkpoints
      .filter(({ number }) => number > lastNumber && number <= upTo)
      .flatMap((checkpoint) => (checkpoint.changes ?? []).flatMap((change) => shownBy(change, contentOf)));
    [from, lastNumber] = [events, upTo];
    // The newest first: what a capture found is what was done last.
    for (const one of [...shown].reverse()) {
      const left = happened.get(keyOf(one)) ?? [];
      const isNamed = ({ author }: LineEvent): boolean =>
        one.change.by.authors.some(({ actor }) => actor.name === author);
      const named = left.findLastIndex((event) => event.added === one.added && isNamed(event));
      // Of equal lines by several authors, it is unknown which one this is. A report also shows what was done before
      // somebody undid it and somebody else did it again.
      const isSeveral = markOf(one.line) === null || left.some((event) => event.added !== one.added);
      const at = isSeveral && named >= 0 ? named : left.findLastIndex(({ added }) => added === one.added);
      judged.push(verdictOn(one, left[at] ?? null, [...left]));
      if (at >= 0) left.splice(at, 1);
    }
  }
  return judged;
}

type RecordedChange = NonNullable<Checkpoint['changes']>[number];

interface Shown {
  readonly path: string;
  readonly line: string;
  readonly added: boolean;
  readonly change: RecordedChange;
}

function verdictOn({ path, line, added, change }: Shown, event: LineEvent | null, truth: readonly LineEvent[]): Judged {
  const { authors, grade, evidence } = change.by;
  const names = authors.map(({ actor }) => actor.name);
  const isNamed = event !== null && names.includes(event.author);
  const verdict: Verdict =
    grade === 'open'
      ? isNamed
        ? 'open'
        : 'open, not named'
      : grade === 'likely'
        ? isNamed
          ? 'likely-right'
          : 'likely-wrong'
        : isNamed
          ? 'right'
          : 'wrong and sure';
  const recorded = `${names.join(' or ')} (${grade}, ${evidence})`;
  return { verdict, kind: event?.kind ?? NEVER, change: change.id, path, line, added, truth, recorded };
}

function shownBy(change: RecordedChange, contentOf: (entry: Entry) => Buffer): readonly Shown[] {
  const [from, to] = [nameOf(change.from ?? change.path), nameOf(change.path)];
  if (to.startsWith('.')) return [];
  const state = (path: string, entry: Entry | null): Lines => {
    if (entry === null || entry.kind === 'folder') return new Map();
    const content = contentOf(entry);
    return new Map([
      [path, entry.kind === 'link' ? linesOfLink(content.toString()) : linesOfFile(content, entry.mode)],
    ]);
  };
  return eventsBetween(state(from, change.before), state(to, change.after)).map((event) => ({ ...event, change }));
}

function keyOf({ path, line }: { readonly path: string; readonly line: string }): string {
  return `${path}\n${line}`;
}

function nameOf(path: RecordedChange['path']): string {
  return textFromBytes(path) ?? String(path);
}

/** Reads all contents at once, with git, and so without the code that is judged. */
function contentsOf(objects: string, checkpoints: readonly Checkpoint[]): (entry: Entry) => Buffer {
  const entries = checkpoints.flatMap(({ changes }) => (changes ?? []).flatMap(({ before, after }) => [before, after]));
  const ids = [...new Set(entries.flatMap((entry) => (entry === null || entry.kind === 'folder' ? [] : [entry.id])))];
  const input = ids.map((id) => `${id}\n`).join('');
  const out = execFileSync('git', ['--git-dir', objects, 'cat-file', '--batch'], { input, maxBuffer: 1 << 28 });
  const contents = new Map<string, Buffer>();
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf('\n', at);
    const [id = '', , size] = out.toString('latin1', at, end).split(' ');
    contents.set(id, out.subarray(end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
  return (entry) => {
    const content = entry.kind === 'folder' ? undefined : contents.get(entry.id);
    if (content === undefined) throw new Error(`the store lacks the content of ${JSON.stringify(entry)}`);
    return content;
  };
}
