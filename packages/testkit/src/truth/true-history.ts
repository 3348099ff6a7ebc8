/**
 * Records who really added and removed each line of a folder. Nearly every line that anybody writes has a text of its
 * own, so it is known by its path and its text. Equal lines are counted.
 */

import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** A name on the timeline: an agent, or `outside` for the person. */
export type TrueAuthor = string;

export interface LineEvent {
  readonly path: string;
  readonly line: string;
  readonly added: boolean;
  readonly author: TrueAuthor;
  /** The action that did it, such as `edit, replace all`. */
  readonly kind: string;
  /** The line was in another file before, or went to another file. */
  readonly isMoved: boolean;
}

type BareEvent = Pick<LineEvent, 'path' | 'line' | 'added'>;

/** The only line of a file without lines. */
export const NO_LINES = '(no lines)';

/** A line of every file that may be executed. */
export const EXECUTABLE = '(executable)';

/** The lines of each file by its path. A file without lines has one line that says so. */
export type Lines = ReadonlyMap<string, readonly string[]>;

export class TrueHistory {
  readonly #dir: string;
  #now: Lines;
  readonly events: LineEvent[] = [];
  #last: readonly BareEvent[] = [];
  /** Actions that changed a file. */
  actions = 0;

  constructor(dir: string) {
    this.#dir = dir;
    this.#now = linesBelow(dir);
  }

  get now(): Lines {
    return this.#now;
  }

  /** Runs what somebody does to the files, and notes it as theirs. */
  did(author: TrueAuthor, kind: string, work: () => void): void {
    work();
    const next = linesBelow(this.#dir);
    const between = eventsBetween(this.#now, next);
    const isMoved = ({ line, added }: (typeof between)[number]): boolean =>
      between.some((other) => other.line === line && other.added !== added);
    const found = between.map((event) => ({ ...event, author, kind, isMoved: isMoved(event) }));
    if (found.length > 0) this.actions += 1;
    this.events.push(...found);
    this.#now = next;
    this.#last = found;
  }

  /**
   * Notes that the last action was of a tool that replaced lines that it had read, although somebody changed them before
   * it wrote: it is the tool that decided what is there instead.
   */
  replaced(author: TrueAuthor, kind: string, { path, found, written }: ReadAndWritten): void {
    const decided = eventsBetween(new Map([[path, linesOf(found)]]), new Map([[path, linesOf(written)]]));
    for (const added of [true, false]) {
      const linesIn = (events: readonly BareEvent[]): readonly string[] =>
        events.filter((event) => event.path === path && event.added === added).map(({ line }) => line);
      const unseen = without(linesIn(decided), linesIn(this.#last));
      this.events.push(...unseen.map((line) => ({ path, line, added, author, kind, isMoved: false })));
    }
  }
}

/** What a tool read and what it wrote. */
interface ReadAndWritten {
  readonly path: string;
  readonly found: string;
  readonly written: string;
}

export function eventsBetween(before: Lines, after: Lines): readonly BareEvent[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((path) => {
    const [old, current] = [before.get(path) ?? [], after.get(path) ?? []];
    return [
      ...without(old, current).map((line) => ({ path, line, added: false })),
      ...without(current, old).map((line) => ({ path, line, added: true })),
    ];
  });
}

/** The first list without the elements of the second one, each of which removes one. */
export function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

/** With its mode, if that may be executed. A binary file has one line with its digest. */
export function linesOfFile(bytes: Buffer, mode: number): readonly string[] {
  const lines = bytes.includes(0)
    ? [`(binary, ${createHash('sha256').update(bytes).digest('hex').slice(0, 12)})`]
    : linesOf(bytes.toString('utf8'));
  return (mode & 0o100) === 0 ? lines : [...lines, EXECUTABLE];
}

export function linesOfLink(target: string): readonly string[] {
  return [`(link to ${target})`];
}

/** Line ends are not part of a line. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.at(-1) === '') lines.pop();
  return lines.length === 0 ? [NO_LINES] : lines;
}

/** Without hidden ones, such as the settings of agents. */
export function filesBelow(dir: string, below = ''): readonly string[] {
  return readdirSync(join(dir, below))
    .filter((name) => !name.startsWith('.'))
    .sort()
    .flatMap((name) => {
      const path = below === '' ? name : `${below}/${name}`;
      return lstatSync(join(dir, path)).isDirectory() ? filesBelow(dir, path) : [path];
    });
}

function linesBelow(dir: string): Lines {
  return new Map(
    filesBelow(dir).map((path) => {
      const at = join(dir, path);
      const stat = lstatSync(at);
      if (stat.isSymbolicLink()) return [path, linesOfLink(readlinkSync(at))];
      return [path, linesOfFile(readFileSync(at), stat.mode)];
    }),
  );
}
