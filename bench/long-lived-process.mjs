// @ts-check
/**
 * A long-lived process that watches a workspace: `node bench/long-lived-process.mjs FOLDER HOME`. Each line on stdin names
 * an operation, and its target if it has one. The answer is a line of JSON with its milliseconds, and the peak memory.
 */
import { createInterface } from 'node:readline';
import { open } from '@savepoint/core';
import { nodePorts } from '@savepoint/core/node';

const [dir = '', home = ''] = process.argv.slice(2);
/** @typedef {import('@savepoint/core').DiskPath} DiskPath */
const savepoint = open({
  dir: /** @type {DiskPath} */ (dir),
  ports: nodePorts(),
  places: {
    home: /** @type {DiskPath} */ (home),
    userHome: null,
    globalIgnore: null,
    gitAttributes: () => [],
  },
  watch: process.env['BENCH_WATCH'] !== 'off',
  retention: { maxCheckpoints: 20_000 },
});
const session = savepoint.session({ agent: 'bench' });
let calls = 0;

/** @type {Record<string, (target: string) => Promise<unknown>>} */
const work = {
  checkpoint: () => savepoint.checkpoint(),
  // What a hook does before a call: take a checkpoint if something changed.
  look: () => session.begin({ id: `call-${calls++}`, tool: 'Read', kind: 'shell', paths: [] }),
  status: () => savepoint.status(),
  restore: (target) => savepoint.restore(target),
  list: () => savepoint.list({ limit: 20 }),
  show: () => savepoint.show('last'),
  diff: () => savepoint.diff({ from: 'last~1', to: 'last' }),
  idle: () => savepoint.idle(),
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name = '', target = 'last'] = line.split(' ');
  const started = performance.now();
  await work[name]?.(target);
  const ms = performance.now() - started;
  console.log(JSON.stringify({ ms, peakMb: process.resourceUsage().maxRSS / 1024 }));
}
savepoint.close();
