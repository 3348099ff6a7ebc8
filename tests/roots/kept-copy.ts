import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { World } from '@savepoint/testkit';
import { onTestFinished } from 'vitest';

/** @returns what brings all of a world back as it is now */
export function remember(world: World): () => void {
  const folder = Buffer.from(world.folder, 'latin1').toString();
  const copy = `${folder}.copy`;
  execFileSync('cp', ['-a', folder, copy]);
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  return () => {
    rmSync(folder, { recursive: true, force: true });
    execFileSync('cp', ['-a', copy, folder]);
  };
}
