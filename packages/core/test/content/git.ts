import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A folder for the tests of one file, removed after them. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-content-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs git in a folder outside any repository. The caller checks the status. */
export function git(folder: string, args: readonly string[], input?: Buffer): SpawnSyncReturns<Buffer> {
  const result = spawnSync('git', args, {
    cwd: folder,
    env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() },
    maxBuffer: 64 * 1024 * 1024,
    ...(input === undefined ? {} : { input }),
  });
  if (result.error !== undefined) throw result.error;
  return result;
}
