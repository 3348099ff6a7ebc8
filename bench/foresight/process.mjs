// @ts-check
/**
 * A process that stays and analyses code: `node bench/foresight/process.mjs FOLDER HOME`. Each line on stdin is a request as
 * JSON. The answer is a line of JSON with its milliseconds.
 */
import { createInterface } from 'node:readline';
import { open } from '@savepoint/core/node';

const [dir = '', home = ''] = process.argv.slice(2);
const savepoint = open({ dir, home, watch: true });

/** @type {Record<string, (argument: any) => Promise<unknown>>} */
const work = {
  checkpoint: () => savepoint.checkpoint(),
  findings: (query) => savepoint.findings(query),
  map: (request) => savepoint.map(request),
  cancel: cancelled,
};

for await (const line of createInterface({ input: process.stdin })) {
  const { verb, argument } = JSON.parse(line);
  const started = performance.now();
  const found = await work[verb]?.(argument);
  const ms = verb === 'cancel' ? found : performance.now() - started;
  console.log(JSON.stringify({ ms, found: sizeOf(found) }));
}
savepoint.close();

/** Cancels an analysis. @param {number} after milliseconds @returns {Promise<number>} how long it ran on */
async function cancelled(after) {
  const controller = new AbortController();
  let aborted = 0;
  setTimeout(() => {
    aborted = performance.now();
    controller.abort();
  }, after);
  const ended = await savepoint.findings({}, { signal: controller.signal }).then(
    () => false,
    () => true,
  );
  if (!ended || aborted === 0) throw new Error('the analysis ended before it was cancelled');
  return performance.now() - aborted;
}

/** @param {any} found */
function sizeOf(found) {
  return found?.findings?.length ?? found?.files?.length ?? null;
}
