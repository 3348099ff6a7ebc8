import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DiskPath, TreePath } from '@savepoint/core';
import { whyNoOverlays } from '@savepoint/testkit';
import { test as always, expect, onTestFinished } from 'vitest';
import type { OverlayRequest } from '../../../src/copy/overlay/launch.ts';
import { type OverlayCopy, openOverlayCopy, reopenOverlayCopy } from '../../../src/copy/overlay/overlay-copy.ts';
import { ENV, type Scene, scene } from './scene.ts';

const test = always.skipIf(whyNoOverlays() !== null);
const UID = process.getuid?.() ?? 0;

function requestOf(s: Scene, layers: readonly string[] = []): OverlayRequest {
  const [root, place, home] = [s.root, s.place, s.home] as DiskPath[] as [DiskPath, DiskPath, DiskPath];
  return { id: place.slice(place.lastIndexOf('/') + 1), root, place, home, layers: layers as DiskPath[] };
}

async function openCopy(s: Scene, request: OverlayRequest): Promise<OverlayCopy> {
  const copy = await openOverlayCopy(s.ports, ENV.PATH, dirname(s.place) as DiskPath, request);
  if ('why' in copy) throw new Error(copy.why);
  onTestFinished(() => copy.close());
  return copy;
}

async function run(s: Scene, copy: OverlayCopy, script: string, cwd = ''): Promise<string> {
  const command = copy.command({
    file: 'sh',
    args: ['-c', script],
    cwd: cwd as TreePath,
    env: { ...ENV, 'a.b-c': 'kept' },
  });
  const { stdout, stderr } = await s.ports.programs.run(command);
  return `${stdout}${stderr}`;
}

test('runs commands in any folder of it, with exactly the given variables', async () => {
  const s = scene(UID, { 'sub/file': 'old' });
  const copy = await openCopy(s, requestOf(s));
  expect(await run(s, copy, 'pwd', 'sub')).toBe(`${s.root}/sub\n`);
  // A shell drops such a variable.
  const given = { PATH: ENV.PATH, 'a.b-c': 'kept' };
  const { stdout } = await s.ports.programs.run(copy.command({ file: 'env', args: [], env: given }));
  expect(`${stdout}`).toBe(`PATH=${ENV.PATH}\na.b-c=kept\n`);
  const other = Buffer.from([0x66, 0xff]);
  mkdirSync(Buffer.concat([Buffer.from(`${s.root}/`), other]));
  expect(await run(s, copy, 'echo x > new; ls', other.toString('latin1'))).toBe('new\n');
  expect(copy.touched()?.paths).toEqual(['f\xff/new']);
});

test('another process uses a mounted copy, and mounts one again', async () => {
  const s = scene(UID, { file: 'old' });
  const request = requestOf(s);
  const copy = await openCopy(s, request);
  await run(s, copy, 'echo new > file');
  const again = reopenOverlayCopy(s.ports, ENV.PATH, request, copy.holder);
  if (again === null) throw new Error('not mounted');
  expect(await run(s, again, 'cat file')).toBe('new\n');
  expect(again.touched()?.paths).toEqual(['file']);
  await again.close();
  expect(s.ports.processes.state(copy.holder)).toBe('dead');
  expect(reopenOverlayCopy(s.ports, ENV.PATH, request, copy.holder)).toBeNull();
  expect(await run(s, await openCopy(s, request), 'cat file')).toBe('new\n');
  expect(readFileSync(join(s.root, 'file'), 'utf8')).toBe('old');
});

test('folders over the real one hide its files from commands', async () => {
  const s = scene(UID, { file: 'live', other: 'live' });
  const layers = ['one', 'two'].map((name) => join(s.top, `${name}:,`));
  for (const layer of layers) mkdirSync(layer);
  writeFileSync(join(layers[0] as string, 'file'), 'first\n');
  writeFileSync(join(layers[1] as string, 'file'), 'second\n');
  writeFileSync(join(layers[1] as string, 'third'), 'second\n');
  const copy = await openCopy(s, requestOf(s, layers));
  expect(await run(s, copy, 'cat file third other; rm third')).toBe('first\nsecond\nlive');
  expect(copy.touched()?.paths).toEqual(['third']);
  expect(readFileSync(join(layers[1] as string, 'third'), 'utf8')).toBe('second\n');
});
