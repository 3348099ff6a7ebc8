import { expect, test } from 'vitest';
import { engine, verifyDeep } from '../simulated.ts';
import { LINKING, prepared, SCENES, TAKING_OVER } from './scenes.ts';

test('the adoption scene adopts a pack: no file is read, and the pack is in the store', async () => {
  const scene = SCENES.find(({ name }) => name === TAKING_OVER);
  const disk = await prepared(scene!);
  const copied: string[] = [];
  disk.onCall = ({ operation, path }) => {
    if (operation === 'copyFile') copied.push(path);
  };
  const { scan } = await engine(disk, 100).checkpoint();
  expect(scan.filesRead).toBe(0);
  expect(copied.length).toBe(1);
  await verifyDeep(engine(disk, 200));
});

test('the linking scene links the pack, and clean-up replaces it', async () => {
  const scene = SCENES.find(({ name }) => name === LINKING);
  const disk = await prepared(scene!);
  const calls: string[] = [];
  disk.onCall = ({ operation, path }) => {
    calls.push(`${operation} ${path}`);
  };
  const { scan } = await engine(disk, 100).checkpoint();
  expect(scan.filesRead).toBe(0);
  const packs = (operation: string): number =>
    calls.filter((call) => call.startsWith(operation) && /objects\/pack\/[^/]*\.pack$/.test(call)).length;
  expect([packs('copyFile'), packs('hardLink')]).toEqual([0, 1]);
  calls.length = 0;
  await engine(disk, 100).tidyUp();
  expect(packs('unlink')).toBe(1);
  await verifyDeep(engine(disk, 200));
});
