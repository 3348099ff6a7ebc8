/** What a person does to the files while agents work: with an editor, a file manager and a terminal. */

import { type Files, unixLines, withLineEndsOf } from './files.ts';
import { joinLines, markOf, retouched, splitLines } from './lines.ts';
import { type Chance, newBinary, newName } from './tasks.ts';

/** A call of a tool that has begun. */
export interface OpenCall {
  /** The files that it names. */
  readonly paths: readonly string[];
  /** Its paths before it wrote. */
  readonly before: ReadonlyMap<string, string | null>;
  readonly hasWritten: boolean;
}

/** Runs what the person does to a path, and notes it as theirs. */
type Does = (path: string, work: () => void) => void;

const NAME = 'person';

export class Person {
  readonly #files: Files;
  readonly #chance: Chance;
  /** Texts in windows of an editor, which may be older than the files. */
  readonly #windows = new Map<string, string>();

  constructor(files: Files, chance: Chance) {
    this.#files = files;
    this.#chance = chance;
  }

  does(open: readonly OpenCall[], does: Does): void {
    const { random, fresh } = this.#chance;
    const files = this.#files;
    const near = open.flatMap(({ paths }) => paths).filter((path) => files.read(path) !== null);
    const all = files.paths();
    if (all.length === 0) {
      const name = newName(NAME, this.#chance);
      does(name, () => files.write(name, joinLines(fresh.several(NAME, 5))));
      return;
    }
    const path = near.length > 0 && random.integer(2) === 0 ? random.pick(near) : random.pick(all);
    const undone = open.filter(({ hasWritten, paths }) => hasWritten && paths.includes(path));
    if (undone.length > 0 && random.integer(3) === 0) {
      const before = random.pick(undone).before.get(path) ?? null;
      const text = before === null ? null : random.integer(2) === 0 ? before : `${before}${fresh.line(NAME)}\n`;
      does(path, () => (text === null ? files.delete(path) : files.write(path, text)));
      return;
    }
    const way = random.integer(20);
    if (way < 7 && this.#doesToFiles(way, path, does)) return;
    const raw = files.read(path) ?? '';
    const text = this.#edited(path, raw);
    does(path, () => (random.integer(2) === 0 ? files.write(path, text) : files.replace(path, text)));
    this.#windows.set(path, text);
  }

  /** @returns whether it did something */
  #doesToFiles(way: number, path: string, does: Does): boolean {
    const { random, fresh } = this.#chance;
    const files = this.#files;
    switch (way) {
      case 0: {
        const name = newName(NAME, this.#chance);
        const text = joinLines(fresh.several(NAME, random.integer(6)));
        does(name, () => files.write(name, text));
        return true;
      }
      case 1:
        if (files.paths().length <= 4) return false;
        does(path, () => files.delete(path));
        return true;
      case 2: {
        const name = `${fresh.mark(NAME).slice(0, -1)}.txt`;
        does(path, () => files.rename(path, name));
        return true;
      }
      case 3:
        does(path, () => files.flipMode(path));
        return true;
      case 4: {
        const binaries = files.binaries();
        const name = binaries.length > 0 && random.integer(3) > 0 ? random.pick(binaries) : newBinary(NAME, fresh);
        const content = `${fresh.mark(NAME)}\0\x01`;
        does(name, () => files.write(name, content));
        return true;
      }
      case 5: {
        if (random.integer(4) > 0) return false;
        const name = `${fresh.mark(NAME).slice(0, -1)}.link`;
        does(name, () => files.link(name, path));
        return true;
      }
      default:
        if (random.integer(6) > 0) return false;
        does(path, () => files.write(path, ''));
        return true;
    }
  }

  #edited(path: string, raw: string): string {
    const { random, fresh } = this.#chance;
    const lines = splitLines(unixLines(raw));
    const byAgents = lines.flatMap((line, at) => (isByAgent(line) ? [at] : []));
    switch (random.integer(9)) {
      case 0:
        lines.splice(random.integer(lines.length + 1), 1);
        return withLineEndsOf(raw, joinLines(lines));
      case 1:
      case 2:
        if (byAgents.length === 0) break;
        lines.splice(random.pick(byAgents) + random.integer(2), 0, ...fresh.several(NAME, 1 + random.integer(2)));
        return withLineEndsOf(raw, joinLines(lines));
      case 3:
        if (byAgents.length === 0) break;
        lines[random.pick(byAgents)] = fresh.line(NAME);
        return withLineEndsOf(raw, joinLines(lines));
      case 4: {
        // An editor that does not notice that the file has changed.
        const window = this.#windows.get(path);
        if (window === undefined || window === raw || random.integer(2) === 0) break;
        return `${window}${fresh.line(NAME)}\n`;
      }
      case 5:
        if (random.integer(4) > 0) break;
        return raw.includes('\r\n') ? unixLines(raw) : raw.replaceAll('\n', '\r\n');
    }
    return withLineEndsOf(raw, retouched(unixLines(raw), NAME, random, fresh));
  }
}

function isByAgent(line: string): boolean {
  const mark = markOf(line);
  return mark !== null && !mark.startsWith(NAME) && !mark.startsWith('seed');
}
