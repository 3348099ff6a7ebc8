/** Compares what the timeline says of each line with what really happened. */

import { execFileSync } from 'node:child_process';
import { type Checkpoint, type Entry, textFromBytes } from '@savepoint/core';
import type { Played } from './play.ts';
import { eventsBetween, type LineEvent, type Lines, linesOf } from './true-history.ts';

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
  const textOf = contentsOf(objects, checkpoints);
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
      .flatMap((checkpoint) => (checkpoint.changes ?? []).flatMap((change) => shownBy(change, textOf)));
    [from, lastNumber] = [events, upTo];
    // The newest first: what a capture found is what was done last.
    for (const one of [...shown].reverse()) {
      const left = happened.get(keyOf(one)) ?? [];
      const at = left.findLastIndex(({ added }) => added === one.added);
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

function shownBy(change: RecordedChange, textOf: (entry: Entry | null) => string | null): readonly Shown[] {
  const [from, to] = [nameOf(change.from ?? change.path), nameOf(change.path)];
  const state = (path: string, entry: Entry | null): Lines => {
    const text = textOf(entry);
    return new Map(text === null ? [] : [[path, new Set(linesOf(text))]]);
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
function contentsOf(objects: string, checkpoints: readonly Checkpoint[]): (entry: Entry | null) => string | null {
  const entries = checkpoints.flatMap(({ changes }) => (changes ?? []).flatMap(({ before, after }) => [before, after]));
  const ids = [...new Set(entries.flatMap((entry) => (entry?.kind === 'file' ? [entry.id] : [])))];
  const input = ids.map((id) => `${id}\n`).join('');
  const out = execFileSync('git', ['--git-dir', objects, 'cat-file', '--batch'], { input, maxBuffer: 1 << 28 });
  const texts = new Map<string, string>();
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf('\n', at);
    const [id = '', , size] = out.toString('latin1', at, end).split(' ');
    texts.set(id, out.toString('utf8', end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
  return (entry) => (entry?.kind === 'file' ? (texts.get(entry.id) ?? null) : null);
}
