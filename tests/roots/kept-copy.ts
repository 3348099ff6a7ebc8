import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { World } from '@savepoint/testkit';
import { onTestFinished } from 'vitest';

/** @returns a function that restores everything in a world to its current state */
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
