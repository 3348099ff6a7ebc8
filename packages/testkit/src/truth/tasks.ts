/** Chooses what an agent does next, from what it has seen of the files. */

import type { SeededRandom } from '../seeded-random.ts';
import { type Files, unixLines } from './files.ts';
import { joinLines, markOf, type NewLines, repeatedWords, retouched, splitLines } from './lines.ts';
import type { PatchedFile, Protocol, Replacement, Task } from './protocols.ts';

export interface Chance {
  readonly random: SeededRandom;
  readonly fresh: NewLines;
}

/** Null: there is nothing to do with this tool now. */
export function chooseTask(protocol: Pick<Protocol, 'name' | 'can'>, files: Files, chance: Chance): Task | null {
  const { random } = chance;
  const { name: author, can } = protocol;
  const way = random.pick(can);
  if (way === 'shell' || way === 'background') {
    const commands = Array.from({ length: 1 + random.integer(3) }, () => shellCommand(author, files, chance));
    return { kind: 'shell', commands, background: way === 'background' && random.integer(2) === 0 };
  }
  const path = random.pick(files.paths());
  const seen = unixLines(files.read(path) ?? '');
  switch (way) {
    case 'write':
      return random.integer(3) === 0 || (author === 'copilot' && random.integer(8) > 0)
        ? { kind: 'write', path: newName(author, chance), text: wholeText(author, chance) }
        : { kind: 'write', path, text: retouched(seen, author, random, chance.fresh) };
    case 'edit':
      return oneEdit(path, seen, author, chance, 1);
    case 'several':
      return oneEdit(path, seen, author, chance, 2 + random.integer(2));
    case 'all': {
      const words = repeatedWords(seen);
      if (words.length === 0) return null;
      const edit = { old: random.pick(words), new: `${chance.fresh.mark(author).slice(0, -1)}x`, all: true };
      return { kind: 'edit', path, edits: [edit] };
    }
    case 'patch':
      return patchTask(author, files, chance);
  }
}

export function newName(author: string, { fresh, random }: Chance): string {
  const name = `${fresh.mark(author).slice(0, -1)}.txt`;
  return random.integer(3) === 0 ? `made/${name}` : name;
}

export function newBinary(author: string, fresh: NewLines): string {
  return `${fresh.mark(author).slice(0, -1)}.bin`;
}

function wholeText(author: string, { random, fresh }: Chance): string {
  const count = random.integer(7);
  const text = joinLines(fresh.several(author, count));
  return random.integer(4) === 0 ? text.trimEnd() : text;
}

function oneEdit(path: string, seen: string, author: string, chance: Chance, count: number): Task | null {
  const lines = splitLines(seen);
  if (lines.length < 2 * count) return null;
  const edits: Replacement[] = [];
  for (let nth = 0; nth < count; nth++) {
    // Apart from each other, so that no edit changes what another one looks for.
    const [low, high] = [Math.floor((nth * lines.length) / count), Math.floor(((nth + 1) * lines.length) / count)];
    edits.push(replacementAt(lines, low + chance.random.integer(high - low - 1), author, chance));
  }
  return { kind: 'edit', path, edits };
}

/** Changes the line at this place, or this line and the next. */
function replacementAt(lines: readonly string[], at: number, author: string, { random, fresh }: Chance): Replacement {
  const [line = '', next = ''] = lines.slice(at, at + 2);
  const mark = markOf(line);
  const way = mark === null ? 3 : random.integer(6);
  switch (way) {
    case 0:
      return { old: `${line}\n`, new: `${line}\n${fresh.line(author)}\n`, all: false };
    case 1:
      return { old: `${line}\n${next}\n`, new: `${line}\n`, all: false };
    case 2:
      return { old: `${line}\n`, new: '', all: false };
    case 3:
      return { old: `${line}\n${next}`, new: fresh.several(author, 1 + random.integer(3)).join('\n'), all: false };
    case 4:
      if (mark !== null) return { old: mark, new: fresh.mark(author), all: false };
      break;
  }
  return { old: line, new: fresh.line(author), all: false };
}

function patchTask(author: string, files: Files, chance: Chance): Task | null {
  const { random, fresh } = chance;
  const chosen = random.sample(files.paths(), 1 + random.integer(3));
  const patched = chosen.flatMap((path): PatchedFile[] => {
    const lines = splitLines(unixLines(files.read(path) ?? ''));
    if (random.integer(8) === 0) return [{ path }];
    if (random.integer(5) === 0)
      return [{ path: newName(author, chance), lines: fresh.several(author, 1 + random.integer(5)) }];
    if (lines.length < 3) return [];
    const at = random.integer(lines.length - 2);
    const old = lines.slice(at, at + 3);
    if (new Set(old).size < 3) return [];
    const [first = '', middle = '', last = ''] = old;
    const added = fresh.several(author, 1 + random.integer(2));
    const ways = [
      [first, ...added, last],
      [first, middle, ...added, last],
      [first, last],
      [...added, middle, last],
    ];
    return [{ path, old, lines: random.pick(ways) }];
  });
  return patched.length === 0 ? null : { kind: 'patch', files: patched };
}

function shellCommand(author: string, files: Files, chance: Chance): string {
  const { random, fresh } = chance;
  const path = random.pick(files.paths());
  const lines = splitLines(unixLines(files.read(path) ?? ''));
  const fresh1 = fresh.line(author);
  const mark = lines.length === 0 ? null : markOf(random.pick(lines));
  switch (random.integer(12)) {
    case 0:
    case 1:
      if (mark !== null) return `sed -i 's/^${mark}.*/${fresh1}/' ${path}`;
      break;
    case 2:
      if (mark !== null) return `sed -i '/^${mark}/d' ${path}`;
      break;
    case 3:
      return `printf '%s\\n' '${fresh1}' '${fresh.line(author)}' > ${path}`;
    case 4:
      return `mkdir -p made; mv ${path} ${newName(author, chance)}`;
    case 5:
      return `rm ${path}`;
    case 6:
      return `mkdir -p made; printf '%s\\n' '${fresh1}' > ${newName(author, chance)}`;
    case 7:
      return `cat > ${newName(author, chance)} <<'END'\n${fresh1}\n}\n${fresh.line(author)}\nEND\n:`;
    case 8: {
      const binaries = files.binaries();
      const binary = binaries.length > 0 && random.integer(2) === 0 ? random.pick(binaries) : newBinary(author, fresh);
      return `printf '${fresh.binary(author)}' > ${binary}`;
    }
    case 9:
      return `chmod ${random.integer(2) === 0 ? '+x' : '-x'} ${path}`;
  }
  return `printf '%s\\n' '${fresh1}' >> ${path}`;
}
