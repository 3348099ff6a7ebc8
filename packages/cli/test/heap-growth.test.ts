import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

/** Fills the space for young objects when the command is done, and writes how far it has grown, in bytes. */
const FILL = `
import { writeFileSync } from 'node:fs';
import { getHeapSpaceStatistics } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
let threads = 0;
process.on('worker', () => { threads += 1; });
if (isMainThread) process.on('exit', () => {
  const kept = [];
  for (let at = 0; at < 4_000_000; at++) {
    const one = { at, list: [at] };
    if (at % 20 === 0) kept.push(one);
  }
  const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  writeFileSync(process.env.SEEN, JSON.stringify({ threads, bytes: space_size, kept: kept.length }));
});
`;

it('the space for young objects stays small, also after threads have compressed', async () => {
  const p = project();
  for (let at = 0; at < 1_500; at++) p.write(`src/${at % 50}/${at}.txt`, randomBytes(3_000).toString('hex'));
  const [fill, seen] = [join(p.dir, '../fill.mjs'), join(p.dir, '../seen')];
  writeFileSync(fill, FILL);
  const { status } = await p.start(['checkpoint'], { env: { NODE_OPTIONS: `--import=${fill}`, SEEN: seen } }).done;
  expect(status).toBe(0);
  const { threads, bytes } = JSON.parse(readFileSync(seen, 'utf8')) as { threads: number; bytes: number };
  expect(threads).toBeGreaterThan(0);
  // Usually 1 to 4 MB; more than 8 without the limit.
  expect(bytes).toBeLessThan(8_000_000);
});
