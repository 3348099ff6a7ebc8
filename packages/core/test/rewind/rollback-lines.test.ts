import { symlinkSync, unlinkSync } from 'node:fs';
import type { Savepoint } from '@savepoint/core';
import { type SeededRandom, seededRandom, testEffort } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { Place } from '../place.ts';

/** Chosen lines are taken back, whoever wrote them, and no other byte changes. */

const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** An agent writes the file in one call. */
async function agent(p: Place, savepoint: Savepoint, name: string, lines: readonly string[]): Promise<void> {
  const session = savepoint.session({ agent: name, id: `s-${name}` });
  await session.call({ tool: 'Write', kind: 'write', paths: ['a.txt'] }, () => p.write('a.txt', text(lines)));
}

async function authorsOf(savepoint: Savepoint, at?: string): Promise<ReadonlyMap<string, string>> {
  const { content, ranges } = await savepoint.blame({ path: 'a.txt', ...(at === undefined ? {} : { at }) });
  const lines = content.toString().split('\n').slice(0, -1);
  const named = ranges.flatMap(({ first, last, origin }) => {
    const who = 'change' in origin ? origin.change.by.authors.map(({ actor }) => actor.name).join() : origin.kind;
    return lines.slice(first - 1, last).map((line) => [line, who] as const);
  });
  return new Map(named);
}

describe('lines of a net difference', () => {
  test('go back to what they were then, over several changes of several authors', async () => {
    const p = Place.with({ 'a.txt': text(['a', 'b', 'c', 'd', 'e', 'f']), 'b.txt': 'b\n' });
    const savepoint = p.open();
    await savepoint.checkpoint();
    await agent(p, savepoint, 'claude', ['a', 'B', 'c', 'd', 'E', 'f']);
    await agent(p, savepoint, 'codex', ['a', 'BB', 'B2', 'c', 'd', 'E', 'f']);
    p.write('a.txt', text(['mine', 'a', 'BB', 'B2', 'c', 'd', 'E', 'f']));
    const selection = { lines: [{ path: 'a.txt', first: 3, last: 4 }], after: { checkpoint: 1 } };
    const preview = await savepoint.previewRollback(selection);
    expect(preview.details.results).toMatchObject([{ path: 'a.txt', result: 'restored' }]);
    const done = await savepoint.rollback(selection, { expected: preview.fingerprint });
    expect(p.read('a.txt')).toBe(text(['mine', 'a', 'b', 'c', 'd', 'E', 'f']));
    expect(done.checkpoint?.description).toMatch(/^Rolled back 2 lines of /);
    // All that codex did is gone, and of what claude did, one hunk of it in part: its hunk has both lines.
    expect(done.checkpoint?.rolledBackInPart.length).toBeGreaterThan(0);
    expect((await authorsOf(savepoint)).get('b')).toBe('older');
    await savepoint.undo();
    expect(p.read('a.txt')).toBe(text(['mine', 'a', 'BB', 'B2', 'c', 'd', 'E', 'f']));
  });

  test('count as rolled back by the ids of the changes if these are all that they did', async () => {
    const far = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
    const p = Place.with({ 'a.txt': text(far) });
    const savepoint = p.open();
    await savepoint.checkpoint();
    const changed = far.with(1, 'two').with(17, 'eighteen');
    await agent(p, savepoint, 'claude', changed);
    await agent(p, savepoint, 'codex', changed.with(1, 'TWO'));
    const done = await savepoint.rollback({ lines: [{ path: 'a.txt', first: 2, last: 2 }], after: { checkpoint: 1 } });
    expect(p.read('a.txt')).toBe(text(far.with(17, 'eighteen')));
    expect(done.checkpoint).toMatchObject({ rolledBack: ['cp_2.1:1', 'cp_3.1'], rolledBackInPart: [] });
    const { checkpoint } = await savepoint.rollback({ lines: [{ path: 'a.txt', first: 16, last: 20 }] });
    expect(p.read('a.txt')).toBe(text(far));
    expect(checkpoint?.description).toBe('Rolled back 1 line of claude: a.txt');
  });

  test('conflict if they were counted in a checkpoint and changed since; removed lines come back', async () => {
    const p = Place.with({ 'a.txt': text(['a', 'b', 'c', 'd', 'e']) });
    const savepoint = p.open();
    await savepoint.checkpoint();
    await agent(p, savepoint, 'claude', ['a', 'B', 'c', 'd']);
    p.write('a.txt', text(['a', 'mine', 'c', 'd']));
    await savepoint.checkpoint();
    const lines = [{ path: 'a.txt', first: 2, last: 2 }];
    await expect(savepoint.rollback({ lines, after: { checkpoint: 1 }, at: 'cp_2' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(p.read('a.txt')).toBe(text(['a', 'mine', 'c', 'd']));
    const removed = [{ path: 'a.txt', first: 5, last: 5, side: 'before' }] as const;
    await savepoint.rollback({ lines: removed, after: { checkpoint: 1 }, at: 'cp_2' });
    expect(p.read('a.txt')).toBe(text(['a', 'mine', 'c', 'd', 'e']));
    await expect(savepoint.rollback({ lines, agent: 'claude' })).rejects.toMatchObject({ code: 'USAGE' });
    await expect(savepoint.rollback({ lines: [{ ...lines[0]!, path: 'none' }] })).rejects.toMatchObject({
      code: 'USAGE',
    });
  });

  test('all lines of a new file take the file with them', async () => {
    const p = Place.with({ 'b.txt': 'b\n' });
    const savepoint = p.open();
    await savepoint.checkpoint();
    await agent(p, savepoint, 'claude', ['a', 'b']);
    await savepoint.rollback({ lines: [{ path: 'a.txt', first: 1, last: 2 }] });
    expect(() => p.read('a.txt')).toThrow('ENOENT');
    await savepoint.undo();
    expect(p.read('a.txt')).toBe('a\nb\n');
  });
});

test('at the end of a file without a line feed, only the chosen lines differ; what is not text is refused', async () => {
  const p = Place.with({ 'a.txt': 'a\nb', 'b.bin': 'a\0b\n' });
  const savepoint = p.open();
  await savepoint.checkpoint();
  p.write('a.txt', 'A\r\nB\nc');
  p.write('b.bin', 'a\0c\n');
  const back = async (first: number, last: number): Promise<string> => {
    await savepoint.rollback({ lines: [{ path: 'a.txt', first, last }], after: { checkpoint: 1 } });
    const now = p.read('a.txt');
    await savepoint.undo();
    return now;
  };
  expect(await back(1, 1)).toBe('a\nB\nc');
  expect(await back(2, 2)).toBe('A\r\nb\nc');
  expect(await back(2, 3)).toBe('A\r\nb');
  expect(await back(3, 3)).toBe('A\r\nB\n');
  await expect(back(3, 4)).rejects.toMatchObject({ code: 'USAGE' });
  await expect(savepoint.rollback({ lines: [{ path: 'b.bin', first: 1, last: 1 }] })).rejects.toMatchObject({
    code: 'USAGE',
  });
});

test('a file whose text before is not known, or was none, is refused', async () => {
  const p = Place.with({ 'a.txt': 'too large\n'.repeat(100) });
  symlinkSync('a.txt', p.at('b.txt'));
  const savepoint = p.open({ rules: { maxFileBytes: 100 } });
  await savepoint.checkpoint();
  p.write('a.txt', 'small\nfile\n');
  unlinkSync(p.at('b.txt'));
  p.write('b.txt', 'no link\n');
  await savepoint.checkpoint();
  for (const after of [{}, { after: { checkpoint: 1 } }]) {
    for (const [path, why] of [
      ['a.txt', 'a.txt '],
      ['b.txt', 'is a link'],
    ] as const) {
      const refused = savepoint.rollback({ lines: [{ path, first: 1, last: 1 }], ...after });
      await expect(refused).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining(why) });
    }
  }
  expect([p.read('a.txt'), p.read('b.txt')]).toEqual(['small\nfile\n', 'no link\n']);
});

const SEED = Number(process.env['SAVEPOINT_SEED'] ?? (process.env['CI'] === undefined ? Date.now() % 1e9 : 20261126));
const GAMES = testEffort({ quick: 2, ci: 4, long: 1_000 });
const ROUNDS = 4;

test('random lines after random edits of several authors: the others stay, and undo restores every byte', {
  timeout: 3_600_000,
}, async () => {
  for (let seed = SEED; seed < SEED + GAMES; seed++) await play(seededRandom(seed));
});

/** Every line is unique, so the lines themselves say what became of them. */
async function play(random: SeededRandom): Promise<void> {
  let made = 0;
  const fresh = (): string => `line ${++made} of ${random.seed}`;
  let lines = Array.from({ length: 12 }, fresh);
  const p = Place.with({ 'a.txt': text(lines), 'b.txt': 'other\n' });
  const savepoint = p.open();
  await savepoint.checkpoint();
  for (let round = 0; round < ROUNDS; round++) {
    for (let edits = 1 + random.integer(4); edits > 0; edits--) {
      lines = edited(random, lines, fresh);
      const who = random.pick(['claude', 'codex', 'user']);
      if (who !== 'user') await agent(p, savepoint, who, lines);
      else p.write('a.txt', text(lines));
    }
    const { checkpoints } = await savepoint.list({});
    const from = random.pick(checkpoints);
    const hint = `SAVEPOINT_SEED=${random.seed}, round ${round}, from ${from.id}`;
    const old = (await savepoint.cat(from.id, 'a.txt')).bytes.toString().split('\n').slice(0, -1);
    const isSelected = lines.map(() => random.integer(3) === 0);
    const selected = isSelected.flatMap((one, index) =>
      one ? [{ path: 'a.txt', first: index + 1, last: index + 1 }] : [],
    );
    if (selected.length === 0) continue;
    // Without a state, each line goes back to what its own author found; lines older than the timeline stay.
    const origins = await authorsOf(savepoint);
    if (selected.some(({ first }) => origins.get(lines[first - 1] ?? '') !== 'older')) {
      await savepoint.rollback({ lines: selected });
      const kept = lines.filter((line, index) => !isSelected[index] || origins.get(line) === 'older');
      const now = p.read('a.txt').split('\n').slice(0, -1);
      expect(
        now.filter((line) => lines.includes(line)),
        hint,
      ).toEqual(kept);
      await savepoint.undo();
      expect(p.read('a.txt'), hint).toBe(text(lines));
    }
    const known = await authorsOf(savepoint, from.id);
    const result = await savepoint.rollback({ lines: selected, after: { checkpoint: from.number } }).then(
      () => p.read('a.txt').split('\n').slice(0, -1),
      (error: unknown) => expect.fail(`${hint}: ${String(error)}`),
    );
    const isOld = (line: string): boolean => old.includes(line);
    const left = lines.filter((line, index) => !isSelected[index] || isOld(line));
    expect(
      result.filter((line) => lines.includes(line)),
      hint,
    ).toEqual(left);
    const back = result.filter((line) => !lines.includes(line));
    expect(back, hint).toEqual(old.filter((line) => back.includes(line)));
    // What came back is by whom it was before.
    const authors = await authorsOf(savepoint);
    for (const line of back) expect([line, authors.get(line)], hint).toEqual([line, known.get(line)]);
    expect(p.read('b.txt'), hint).toBe('other\n');
    if (result.join() !== lines.join()) await savepoint.undo();
    expect(p.read('a.txt'), hint).toBe(text(lines));

    const everything = [
      { path: 'a.txt', first: 1, last: Math.max(1, lines.length) },
      { path: 'a.txt', first: 1, last: Math.max(1, old.length), side: 'before' as const },
    ];
    const { plan } = await savepoint.rollback({ lines: everything, after: { checkpoint: from.number } });
    expect(p.read('a.txt'), hint).toBe(text(old));
    if (plan.paths.length > 0 && random.integer(2) === 0) await savepoint.undo();
    lines = p.read('a.txt').split('\n').slice(0, -1);
  }
}

function edited(random: SeededRandom, lines: readonly string[], fresh: () => string): string[] {
  const at = random.integer(lines.length + 1);
  const removed = random.integer(Math.min(3, Math.max(1, lines.length - 3)));
  const added = Array.from({ length: random.integer(3) + (removed === 0 ? 1 : 0) }, fresh);
  return [...lines.slice(0, at), ...added, ...lines.slice(at + removed)];
}
