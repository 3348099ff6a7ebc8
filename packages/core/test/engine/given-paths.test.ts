import { mkdirSync, symlinkSync } from 'node:fs';
import { type Checkpoint, exactName, nameToJson } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { failure } from '../failure.ts';
import { Place } from '../place.ts';

/** Paths as builders give them: plain strings, relative or absolute, with any characters. */

const NFC = 'caf\u00e9.txt';
const NFD = 'cafe\u0301.txt';
const OTHER = '\u6771\u4eac/\u{1f600}.md';

function authorsByPath(checkpoint: Checkpoint | undefined): Record<string, string> {
  return Object.fromEntries(
    (checkpoint?.changes ?? []).map(({ path, by }) => [
      nameToJson(path),
      `${by.grade} ${by.authors.map(({ actor }) => actor.name).join(', ')}`,
    ]),
  );
}

describe('a call of a session', () => {
  test.each(['./dot.txt', 'ABSOLUTE', NFC, NFD, OTHER, 'in//./folder.txt'])(
    'is the author of what it declares as %j',
    async (given) => {
      const p = new Place();
      const session = p.open().session({ agent: 'mine' });
      await session.start();
      const name = given === 'ABSOLUTE' ? 'whole.txt' : given;
      const declared = given === 'ABSOLUTE' ? p.at(name) : given;
      const writes = [{ path: declared, result: 'new\n' }];
      await session.call({ tool: 'Write', kind: 'write', paths: [declared], writes }, () => p.write(name, 'new\n'));
      const [last] = (await p.open().list()).checkpoints;
      const path = { './dot.txt': 'dot.txt', 'in//./folder.txt': 'in/folder.txt' }[name] ?? name;
      expect(authorsByPath(last)).toEqual({ [path]: 'sure mine' });
    },
  );

  test('is the author of what it writes anywhere, if it declares the workspace itself', async () => {
    const p = new Place();
    const session = p.open().session({ agent: 'mine' });
    await session.start();
    const { paths } = await session.declaredPaths(['.']);
    await session.call({ tool: 'Write', kind: 'write', paths }, () => p.write('in/a.txt', 'new\n'));
    expect(authorsByPath((await p.open().list()).checkpoints[0])).toEqual({ 'in/a.txt': 'likely mine' });
  });

  test('is the author of what a link that it declares leads to', async () => {
    const p = new Place();
    p.write('real.txt', 'old\n');
    symlinkSync('real.txt', p.at('link.txt'));
    const session = p.open().session({ agent: 'mine' });
    await session.start();
    await session.call({ tool: 'Write', kind: 'write', paths: ['link.txt'] }, () => p.write('real.txt', 'new\n'));
    expect(authorsByPath((await p.open().list()).checkpoints[0])).toEqual({ 'real.txt': 'likely mine' });
  });

  test.each([
    ['../elsewhere.txt', 'PATH_REFUSED'],
    ['/etc/passwd', 'PATH_REFUSED'],
    ['', 'PATH_REFUSED'],
    ['a/../../b', 'PATH_REFUSED'],
    ['out/x.txt', 'PATH_REFUSED'],
    ['caf\u00c3\u00a9.txt', 'PATH_REFUSED'],
    ['\ud800', 'PATH_REFUSED'],
    [7, 'USAGE'],
    [null, 'USAGE'],
    [{ path: 'a' }, 'USAGE'],
  ])('does not run with the path %j, and the error is %s', async (given, code) => {
    const p = new Place();
    symlinkSync('/tmp', p.at('out'));
    const session = p.open().session({ agent: 'mine' });
    await session.start();
    let ran = false;
    const running = session.call({ tool: 'Write', kind: 'write', paths: [given as string] }, () => {
      ran = true;
    });
    expect((await failure(running)).code).toBe(code);
    expect(ran).toBe(false);
    expect(await session.openCalls()).toEqual([]);
  });

  test('ends also if it reports a path outside', async () => {
    const p = new Place();
    const session = p.open().session({ agent: 'mine' });
    await session.start();
    const calling = session.call({ tool: 'Write', kind: 'write', paths: ['a.txt'] }, ({ report }) => {
      p.write('a.txt', 'new\n');
      report([{ path: '/etc/passwd', result: 'new\n' }]);
    });
    expect((await failure(calling)).code).toBe('PATH_REFUSED');
    expect(await session.openCalls()).toEqual([]);
    expect(authorsByPath((await p.open().list()).checkpoints[0])).toEqual({ 'a.txt': 'likely mine' });
  });
});

test('every call of the library takes the same paths', async () => {
  const p = new Place();
  const savepoint = p.open();
  mkdirSync(p.at('\u6771\u4eac'));
  for (const name of [NFC, NFD, OTHER, 'plain.txt']) p.write(name, 'old\n');
  const { checkpoint } = await savepoint.checkpoint();
  for (const name of [NFC, NFD, OTHER, 'plain.txt']) p.write(name, 'new\n');
  const session = savepoint.session({ agent: 'mine' });
  await session.call({ tool: 'Write', kind: 'write', paths: [NFC] }, () => p.write(NFC, 'newer\n'));
  for (const given of [NFC, p.at(NFC), `./${NFC}`, exactName(Buffer.from(NFC).toString('latin1'))]) {
    const { changes } = await savepoint.diff({ from: checkpoint.id, paths: [given] });
    expect(changes.map(({ path }) => nameToJson(path))).toEqual([NFC]);
    expect((await savepoint.cat(checkpoint.id, given)).bytes.toString()).toBe('old\n');
    expect((await savepoint.history({ limit: 9, path: given })).entries.length).toBe(2);
    expect((await savepoint.blame({ path: given })).total).toBe(1);
  }
  await savepoint.freeze([`./${OTHER}`]);
  expect(await savepoint.isFrozen(p.at(OTHER))).toBe(true);
  await savepoint.unfreeze([OTHER]);
  await savepoint.edit([{ path: p.at(NFD), edits: [{ op: 'replace', old: 'new', new: 'edited' }] }]);
  expect(p.read(NFD)).toBe('edited\n');
  const rolledBack = await savepoint.rollback({ files: [`./${NFC}`], agent: 'mine' }, { least: 'likely' });
  expect(rolledBack).toMatchObject({ restored: true, conversationRewound: false, error: null });
  expect([p.read(NFC), p.read(NFD)]).toEqual(['new\n', 'edited\n']);
  const result = await savepoint.restore(checkpoint.id, { paths: [OTHER, `./${NFC}`], mode: 'exact' });
  expect(result).toMatchObject({ restored: true, conversationRewound: false, error: null });
  for (const back of [() => savepoint.undo(), () => savepoint.redo()]) {
    expect(await back()).toMatchObject({ restored: true, conversationRewound: false, error: null });
  }
  expect([p.read(OTHER), p.read(NFC), p.read('plain.txt')]).toEqual(['old\n', 'old\n', 'new\n']);
  await savepoint.purge([p.at(OTHER)]);
  for (const outside of ['../x', '/etc/passwd']) {
    for (const refused of [
      () => savepoint.diff({ paths: [outside] }),
      () => savepoint.cat('last', outside),
      () => savepoint.history({ limit: 1, path: outside }),
      () => savepoint.blame({ path: outside }),
      () => savepoint.freeze([outside]),
      () => savepoint.edit([{ path: outside, edits: [{ op: 'delete' }] }]),
      () => savepoint.rollback({ files: [outside] }),
      () => savepoint.restore('last', { paths: [outside] }),
      () => savepoint.restore('last', { root: outside }),
      () => savepoint.purge([outside]),
    ]) {
      expect((await failure(refused())).code).toBe('PATH_REFUSED');
    }
  }
  expect((await failure(savepoint.createBundle('work.bundle'))).code).toBe('USAGE');
});
