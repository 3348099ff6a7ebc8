/** What a report of a file tool proves if it leaves out what the tool found, and others wrote the file as well. */
import { appendFileSync, chmodSync } from 'node:fs';
import type { GivenWrite } from '@savepoint/core';
import { expect, test } from 'vitest';
import { linesOf, type TimelineWorld, tree, worldWith } from '../query/timeline-world.ts';

const OLD = linesOf(9);

/** Runs a call of a file tool, and returns `path by author (grade)` for each change. */
async function gradesOf(
  report: Omit<GivenWrite, 'path'>,
  work: (w: TimelineWorld) => void,
  { name = 'a.txt', before = { 'a.txt': OLD } as Readonly<Record<string, string>>, mode = 0o644 } = {},
): Promise<readonly string[]> {
  const { w, savepoint } = await worldWith(before);
  for (const file of Object.keys(before)) chmodSync(w.at(file), mode);
  await savepoint.checkpoint();
  const [path] = tree(name) as [ReturnType<typeof tree>[number]];
  const session = savepoint.session({ agent: 'one' });
  const { id } = await session.begin({ tool: 'write', kind: 'write', paths: [path] });
  work(w);
  const last = (await savepoint.list()).checkpoints[0]?.number ?? 0;
  await session.end(id, { writes: [{ ...report, path }] });
  const { checkpoints } = await savepoint.list();
  return [...checkpoints]
    .reverse()
    .filter(({ number }) => number > last)
    .flatMap(({ changes }) => changes ?? [])
    .map(({ path: changed, by: { authors, grade } }) => `${changed} by ${authors[0]?.actor.name} (${grade})`);
}

test.each([
  ['that replaces lines', 'whole\n'],
  ['that deletes the file', null],
  ['that empties the file', ''],
])('a write %s is only likely: a person may have removed some of the lines right before', async (_, result) => {
  const work = (w: TimelineWorld): void => {
    w.write('a.txt', linesOf(9).replace('line 3\n', ''));
    if (result === null) w.delete('a.txt');
    else w.write('a.txt', result);
  };
  expect(await gradesOf({ result }, work)).toEqual(['a.txt by one (likely)']);
  expect(await gradesOf({ result, found: OLD }, work)).toEqual(['a.txt by one (sure)']);
});

test('a write that keeps all lines is sure: only the tool added the others', async () => {
  const result = `new\n${OLD.replace('line 4\n', 'line 4\nmore\n')}`;
  expect(await gradesOf({ result }, (w) => w.write('a.txt', result))).toEqual(['a.txt by one (sure)']);
});

test('a write over a whole file leaves a person what they wrote afterwards', async () => {
  const work = (w: TimelineWorld): void => w.write('a.txt', 'whole\nmine\n');
  expect(await gradesOf({ result: 'whole\n' }, work)).toEqual(['a.txt by one (likely)', 'a.txt by outside (likely)']);
});

test('an edit of all occurrences is only likely if a person may have edited one of them before', async () => {
  const result = [{ old: 'line', new: 'row', all: true }];
  const work = (w: TimelineWorld): void => {
    w.write('a.txt', OLD.replace('line 3', 'mine').replaceAll('line', 'row'));
    appendFileSync(w.at('a.txt'), 'mine, too\n');
  };
  expect(await gradesOf({ result }, work)).toEqual(['a.txt by one (likely)', 'a.txt by outside (likely)']);
});

test('a person makes the new file of a tool executable', async () => {
  const work = (w: TimelineWorld): void => {
    w.write('new.sh', 'new\n');
    chmodSync(w.at('new.sh'), 0o755);
  };
  const grades = ['new.sh by one (sure)', 'new.sh by outside (likely)'];
  expect(await gradesOf({ result: 'new\n' }, work, { name: 'new.sh' })).toEqual(grades);
  // As on a file system that stores no permissions: it always is.
  const options = { name: 'new.sh', mode: 0o755 };
  expect(await gradesOf({ result: 'new\n' }, work, options)).toEqual(['new.sh by one (sure)']);
});

test.each([
  ['where it was before', 'f\n  old\ng\n  new\n', 'mine\ng\n  new\n'],
  ['that a person wrote over another line', 'f\n  old\ng\n  other\n', 'mine\ng\n  new\n'],
])('the text that a tool wrote, %s, is not its own after a person removed what it wrote', async (_, before, after) => {
  const result = [{ old: '  old', new: '  new', all: false }];
  const work = (w: TimelineWorld): void => w.write('a.txt', after);
  expect(await gradesOf({ result }, work, { before: { 'a.txt': before } })).toEqual([
    'a.txt by one (sure)',
    'a.txt by outside (likely)',
  ]);
});

test.each([
  ['a whole file', 'its\na\nmine\n', { 'a.txt': 'a\n' }],
  ['a new file', 'its\n', { 'b.txt': '' }],
  ['all occurrences', [{ old: 'a', new: 'its', all: true }], { 'a.txt': 'a\na\n' }],
] as const)(
  'without a capture before the call, a write of %s does not make a person’s lines its own',
  async (...row) => {
    const [, result, before] = row;
    const { w, savepoint } = await worldWith(before);
    const [path] = tree('a.txt') as [ReturnType<typeof tree>[number]];
    const session = savepoint.session({ agent: 'one' });
    const grade = async (report: Omit<GivenWrite, 'path'>, id: string): Promise<readonly (string | undefined)[]> => {
      const writes = [{ ...report, path }];
      await session.beginLate({ tool: 'write', kind: 'write', paths: [path], writes, id });
      w.write('a.txt', typeof result === 'string' ? result : 'its\nits\n');
      const { changes } = await session.end(id);
      return changes.map(({ by }) => by.grade);
    };
    expect(await grade({ result }, '1')).toEqual(['open']);
    if ('a.txt' in before) w.write('a.txt', before['a.txt']);
    else w.delete('a.txt');
    await savepoint.checkpoint();
    const found = 'a.txt' in before ? before['a.txt'] : null;
    expect(await grade({ result, found }, '2')).toEqual(['sure']);
  },
);

test('a proposal that the user changed before the tool wrote it is only likely', async () => {
  const result = `${OLD}its\nmine\n`;
  const work = (w: TimelineWorld): void => w.write('a.txt', result);
  expect(await gradesOf({ result, found: OLD, changedByUser: true }, work)).toEqual(['a.txt by one (likely)']);
});

test.each([
  [
    'what it was to write',
    [{ old: 'line 3', new: 'its', all: false }],
    OLD.replace('line 3', 'its'),
    'one or outside (open)',
  ],
  ['that and more', `${OLD}its\n`, `mine\n${OLD}its\n`, 'one or outside (open)'],
  ['something else', `${OLD}its\n`, `mine\n${OLD}`, 'outside (likely)'],
  ['nothing', 'its\n', null, 'outside (likely)'],
])('a tool that failed may have written a file all the same if it holds %s', async (_, result, now, by) => {
  const { w, savepoint } = await worldWith({ 'a.txt': OLD });
  const [path] = tree('a.txt') as [ReturnType<typeof tree>[number]];
  const session = savepoint.session({ agent: 'one' });
  const { id } = await session.begin({ tool: 'write', kind: 'write', paths: [path], writes: [{ path, result }] });
  if (now === null) w.delete('a.txt');
  else w.write('a.txt', now);
  const { changes } = await session.end(id, { writes: [] });
  const authors = changes.map((change) => change.by.authors.map(({ actor }) => actor.name).join(' or '));
  expect(authors.map((names, i) => `${names} (${changes[i]?.by.grade})`)).toEqual([by]);
});

test.each([
  ['line ends', OLD.replaceAll('\n', '\r\n'), OLD],
  ['byte order mark', OLD, `\ufeff${OLD}`],
])('an edit of a file whose %s a person changed before is only likely', async (_, before, now) => {
  const result = [{ old: 'line 3', new: 'its', all: false }];
  const work = (w: TimelineWorld): void => w.write('a.txt', now.replace('line 3', 'its'));
  const grades = await gradesOf({ result }, work, { before: { 'a.txt': before } });
  expect(grades).toEqual(['a.txt by one (likely)']);
});
