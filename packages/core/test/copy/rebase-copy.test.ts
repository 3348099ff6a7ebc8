/** A copy that goes on from the workspace as it is now: what both changed, one after the other. */

import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FaultyFs, type FsCall, realPorts, whyNoOverlays } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { Place } from '../place.ts';

const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\n';
const RUNGS: readonly ('overlay' | 'copy')[] = whyNoOverlays() === null ? ['copy', 'overlay'] : ['copy'];
const OPTIONS = { description: 'a turn' };

async function openedIn(p: Place, rung: 'overlay' | 'copy', ports = realPorts()) {
  p.write('a', LINES);
  p.write('b', 'b\n');
  p.write('dir/c', 'c\n');
  p.write('ignored', 'built\n');
  p.write('.gitignore', 'ignored\n');
  const savepoint = p.open({ ports, places: { ...p.world.places, searchPath: process.env['PATH'] ?? '' } });
  const made = await savepoint.openCopy({ purpose: 'isolated', isLong: true, rungs: [rung] });
  expect(made.copy.record.rung).toBe(rung);
  const at = (name: string): string => join(made.copy.files, name);
  return { savepoint, made, at, read: (name: string) => readFileSync(at(name), 'utf8') };
}

describe.each(RUNGS)('%s', (rung) => {
  test('each turn is applied, and the next proposal has only what is new', async () => {
    const p = new Place();
    const { savepoint, made, at, read } = await openedIn(p, rung);
    writeFileSync(at('a'), LINES.replace('one', 'ONE'));
    writeFileSync(at('new'), 'new\n');
    // The person, meanwhile.
    p.write('a', LINES.replace('six', 'SIX'));
    p.write('dir/person', 'person\n');
    rmSync(p.at('b'));
    const { rebased: first } = await savepoint.applyTurn(made, OPTIONS);
    expect([first.outcome, [...first.paths].sort()]).toEqual(['moved', ['a', 'b', 'dir/person']]);
    expect(read('a')).toBe(LINES.replace('one', 'ONE').replace('six', 'SIX'));
    expect([read('dir/person'), existsSync(at('b')), read('ignored')]).toEqual(['person\n', false, 'built\n']);
    const next = first.copy;
    expect((await savepoint.diffCopy(next)).changes).toEqual([]);

    // The person takes a change back, and nothing of the next turn concerns it.
    p.write('a', LINES.replace('six', 'SIX'));
    rmSync(p.at('new'));
    writeFileSync(at('dir/c'), 'C\n');
    rmSync(at('dir/person'));
    const { changes } = await savepoint.diffCopy(next);
    expect(changes.map(({ path }) => path).sort()).toEqual(['dir/c', 'dir/person']);
    const { rebased: second } = await savepoint.applyTurn(next, OPTIONS);
    expect([...second.paths].sort()).toEqual(['a', 'new']);
    expect([p.read('a'), p.read('dir/c'), existsSync(p.at('new'))]).toEqual([
      LINES.replace('six', 'SIX'),
      'C\n',
      false,
    ]);
    expect([read('a'), existsSync(at('new'))]).toEqual([LINES.replace('six', 'SIX'), false]);

    // The new base is that of the copy also for another process.
    const { record } = second.copy.copy;
    await second.copy.copy.close();
    const again = await savepoint.reopenCopy(record.id);
    expect(again.base.id).toBe(second.copy.base.id);
    expect((await savepoint.diffCopy(again)).changes).toEqual([]);
    await again.copy.drop();
  });

  test('what is not applied yet stays in the copy, merged', async () => {
    const p = new Place();
    const { savepoint, made, at, read } = await openedIn(p, rung);
    writeFileSync(at('a'), LINES.replace('one', 'ONE'));
    symlinkSync(p.at('b'), at('link'));
    p.write('a', LINES.replace('six', 'SIX'));
    const rebased = await savepoint.rebaseCopy(made);
    expect(rebased.outcome).toBe('moved');
    expect(read('a')).toBe(LINES.replace('one', 'ONE').replace('six', 'SIX'));
    const { changes } = await savepoint.diffCopy(rebased.copy);
    expect(changes.map(({ path }) => path).sort()).toEqual(['a', 'link']);
    await savepoint.applyCopy(rebased.copy, OPTIONS);
    expect(p.read('a')).toBe(LINES.replace('one', 'ONE').replace('six', 'SIX'));
    await made.copy.drop();
  });

  test('a conflict changes nothing, and discarding gives up what the copy has', async () => {
    const p = new Place();
    const { savepoint, made, at, read } = await openedIn(p, rung);
    writeFileSync(at('a'), LINES.replace('one', 'agent'));
    mkdirSync(at('more'));
    writeFileSync(at('more/file'), 'more\n');
    p.write('a', LINES.replace('one', 'person'));
    p.write('dir/person', 'person\n');
    const conflict = await savepoint.rebaseCopy(made);
    expect(conflict).toMatchObject({ outcome: 'conflict', paths: ['a'], copy: made });
    expect([read('a'), existsSync(at('more/file'))]).toEqual([LINES.replace('one', 'agent'), true]);
    const discarded = await savepoint.rebaseCopy(made, { discard: true });
    expect(discarded.outcome).toBe('moved');
    expect([read('a'), existsSync(at('more')), read('dir/person')]).toEqual([p.read('a'), false, 'person\n']);
    expect((await savepoint.diffCopy(discarded.copy)).changes).toEqual([]);
    await made.copy.drop();
  });
});

test('a program that writes in the copy meanwhile loses nothing', async () => {
  const p = new Place();
  const ports = realPorts();
  let files = '';
  let looks = 0;
  const counts = ({ operation, path }: FsCall): boolean => {
    if (files === '' || operation !== 'list' || path !== files) return false;
    looks++;
    // Between the first look at the copy and the second.
    if (looks === 2) writeFileSync(join(files, 'b'), 'just written\n');
    return false;
  };
  const fs = new FaultyFs(ports.fs, { at: 1, fault: { fail: 'EIO' }, counts });
  const { savepoint, made, at, read } = await openedIn(p, 'copy', { ...ports, fs });
  writeFileSync(at('a'), 'agent\n');
  p.write('b', 'person\n');
  files = made.copy.files;
  const rebased = await savepoint.rebaseCopy(made);
  expect(looks).toBe(2);
  expect([rebased.outcome, rebased.copy, read('b')]).toEqual(['busy', made, 'just written\n']);
  await made.copy.drop();
});

test('a program that goes on while a turn is applied: what it writes then is the next proposal', async () => {
  const p = new Place();
  const ports = realPorts();
  let goOn = (): void => undefined;
  const counts = ({ operation, path }: FsCall): boolean => {
    if (operation === 'rename' && path.startsWith(p.at(''))) goOn();
    return false;
  };
  const fs = new FaultyFs(ports.fs, { at: 1, fault: { fail: 'EIO' }, counts });
  const { savepoint, made, at, read } = await openedIn(p, 'copy', { ...ports, fs });
  writeFileSync(at('a'), 'agent\n');
  writeFileSync(at('new'), 'first\n');
  p.write('b', 'person\n');
  let went = 0;
  goOn = () => {
    went++;
    writeFileSync(at('a'), 'agent, later\n');
    rmSync(at('new'), { force: true });
  };
  const { rebased } = await savepoint.applyTurn(made, OPTIONS);
  goOn = () => undefined;
  expect(went).toBeGreaterThan(0);
  expect([p.read('a'), p.read('new')]).toEqual(['agent\n', 'first\n']);
  expect([rebased.outcome, read('a'), read('b')]).toEqual(['moved', 'agent, later\n', 'person\n']);
  const changes = (await savepoint.diffCopy(rebased.copy)).changes.map(({ path, operation }) => `${operation} ${path}`);
  expect(changes.sort()).toEqual(['delete new', 'write a']);
  await savepoint.applyTurn(rebased.copy, OPTIONS);
  expect([p.read('a'), existsSync(p.at('new')), p.read('b')]).toEqual(['agent, later\n', false, 'person\n']);
  await made.copy.drop();
});
