import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bytesFromText, type DiskPath, open, type Savepoint } from '@savepoint/core';
import { realPorts, testEffort } from '@savepoint/testkit';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, onTestFinished, test } from 'vitest';

/**
 * Checkpoints while another process never stops writing. Every captured file must be a state that really existed, or be
 * reported as unsettled. `writer.mjs` is the writer.
 */
const ROUNDS = testEffort({ quick: 25, ci: 300, long: 500 });
const WRITER = fileURLToPath(new URL('./writer.mjs', import.meta.url));
const PART = 4096;

const disk = (path: string): DiskPath => bytesFromText(path) as DiskPath;

function engine(p: Project): Savepoint {
  return open({
    dir: disk(p.dir),
    places: { home: disk(p.store), userHome: disk(p.home), globalIgnore: null },
    ports: realPorts(),
  });
}

async function writing(p: Project): Promise<ChildProcess> {
  const child = spawn(process.execPath, [WRITER, p.dir], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  return child;
}

/** The number in each part; every part is filled with one number. */
function parts(content: Buffer): readonly number[] {
  const numbers: number[] = [];
  for (let at = 0; at < content.length; at += PART) {
    const part = content.subarray(at, at + PART).toString('latin1');
    const number = Number(part.slice(0, 8));
    if (part !== part.slice(0, 8).repeat(part.length / 8)) return [Number.NaN];
    numbers.push(number);
  }
  return numbers;
}

/** The possible states of each file: overwritten from the start, replaced as a whole, or growing. */
const IS_STATE: Readonly<Record<string, (numbers: readonly number[]) => boolean>> = {
  'over.bin': (numbers) => {
    const [first = 0] = numbers;
    const turn = numbers.findIndex((number) => number !== first);
    return numbers.length === 256 && (turn < 0 || numbers.slice(turn).every((number) => number === first - 1));
  },
  'renamed.bin': (numbers) => numbers.length === 16 && new Set(numbers).size === 1,
  'grown.bin': (numbers) => numbers.every((number) => number === numbers[0]),
};

interface Captured {
  readonly round: number;
  readonly path: string;
  readonly id: string;
}

test('checkpoints against a writer', { timeout: 600_000 }, async () => {
  const p = project();
  const writer = await writing(p);
  const savepoint = engine(p);
  const captured: Captured[] = [];
  let unsettled = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { checkpoint } = await savepoint.checkpoint();
    const named = new Set<string>([...checkpoint.unsettled, ...checkpoint.partial.map(({ path }) => path)]);
    unsettled += named.size;
    for (const { path, after } of checkpoint.changes ?? []) {
      if (after?.kind === 'file' && !named.has(path)) captured.push({ round, path, id: after.id });
    }
  }
  writer.kill('SIGKILL');
  await new Promise((resolve) => writer.once('close', resolve));
  const { workspace } = await savepoint.status();
  const contents = blobs(`${workspace.store}/objects.git`, new Set(captured.map(({ id }) => id)));
  const wrong = captured.filter(({ path, id }) => IS_STATE[path]?.(contents.get(id) ?? [Number.NaN]) !== true);
  expect(wrong.map(({ round, path, id }) => `round ${round}, ${path}: ${contents.get(id)?.join(' ')}`)).toEqual([]);
  // Otherwise there was no race.
  console.info(`${contents.size} states were captured, ${unsettled} times a file was named as unsettled`);
  expect(contents.size).toBeGreaterThan(ROUNDS / 60);
  expect(unsettled).toBeGreaterThan(ROUNDS / 60);

  const { checkpoint } = await savepoint.checkpoint();
  expect(checkpoint.unsettled).toEqual([]);
  const before = new Map(Object.keys(IS_STATE).map((name) => [name, readFileSync(p.at(name))]));
  p.write('over.bin', 'something else');
  await savepoint.restore(checkpoint.id);
  for (const [name, content] of before) expect(readFileSync(p.at(name)).equals(content), name).toBe(true);
});

/** The numbers in each blob, as git reads it. */
function blobs(repository: string, ids: ReadonlySet<string>): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, readonly number[]>();
  for (const id of ids) {
    const args = ['--git-dir', repository, 'cat-file', 'blob', id];
    found.set(id, parts(execFileSync('git', args, { maxBuffer: 1 << 26 })));
  }
  return found;
}
