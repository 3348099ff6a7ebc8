import { expect, test } from 'vitest';
import { engine, verifyDeep } from '../simulated.ts';
import { prepared, SCENES, TAKING_OVER } from './scenes.ts';

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
