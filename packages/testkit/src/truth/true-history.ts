/**
 * Records who really added and removed each line of a folder. Every line that anybody writes has a text of its own, so
 * a line is known by its path and its text.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
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

/** The lines of each file by its path. A file without lines has one line that says so. */
export type Lines = ReadonlyMap<string, ReadonlySet<string>>;

export class TrueHistory {
  readonly #dir: string;
  #now: Lines;
  readonly events: LineEvent[] = [];
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
  }

  /**
   * Notes that a tool replaced lines that it had read, although somebody removed them before it wrote: it is the tool
   * that decided what is there instead.
   */
  replaced(author: TrueAuthor, kind: string, { path, found, written }: ReadAndWritten): void {
    const left = new Set(linesOf(written));
    const noted = new Set(
      this.events.filter((event) => event.author === author && !event.added).map(({ line }) => line),
    );
    for (const line of linesOf(found)) {
      if (left.has(line) || noted.has(line)) continue;
      this.events.push({ path, line, added: false, author, kind, isMoved: false });
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
  const found: BareEvent[] = [];
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, current] = [before.get(path) ?? NONE, after.get(path) ?? NONE];
    for (const line of old) if (!current.has(line)) found.push({ path, line, added: false });
    for (const line of current) if (!old.has(line)) found.push({ path, line, added: true });
  }
  return found;
}

/** Line ends are not part of a line. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.at(-1) === '') lines.pop();
  return lines.length === 0 ? [NO_LINES] : lines;
}

export function filesBelow(dir: string, below = ''): readonly string[] {
  return readdirSync(join(dir, below))
    .sort()
    .flatMap((name) => {
      const path = below === '' ? name : `${below}/${name}`;
      return statSync(join(dir, path)).isDirectory() ? filesBelow(dir, path) : [path];
    });
}

const NONE: ReadonlySet<string> = new Set();

function linesBelow(dir: string): Lines {
  return new Map(filesBelow(dir).map((path) => [path, new Set(linesOf(readFileSync(join(dir, path), 'utf8')))]));
}
