// @ts-check
/**
 * An hour of an agent's work in one long-lived process, as the daemon would record it: `node bench/hour-process.mjs FOLDER
 * HOME EDITS`, with the limits that the daemon gives its heap. The calls follow one another as fast as they can. Prints a
 * line of JSON after each eighth.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '@savepoint/core';
import { nodePorts } from '@savepoint/core/node';
import { trackedFiles } from './repository.mjs';

/** A prompt begins after this many edits. */
const PROMPT_EVERY = 20;
/** Coprime to any usual number of files, so that neighbouring edits are in different folders. */
const STRIDE = 7_919;

const [dir = '', home = '', count = '3600'] = process.argv.slice(2);
const edits = Number(count);
/** @typedef {import('@savepoint/core').DiskPath} DiskPath */
const savepoint = open({
  dir: /** @type {DiskPath} */ (dir),
  ports: nodePorts(),
  places: { home: /** @type {DiskPath} */ (home), userHome: null, globalIgnore: null, gitAttributes: () => [] },
  watch: true,
  retention: { maxCheckpoints: Math.max(1_000, 4 * edits) },
});
const files = trackedFiles(dir);
const session = savepoint.session({ agent: 'bench', id: 'hour' });
await savepoint.checkpoint();
report(0);
for (let edit = 1; edit <= edits; edit++) {
  const file = /** @type {string} */ (files[(edit * STRIDE) % files.length]);
  if (edit % PROMPT_EVERY === 1) {
    // An agent pauses. Then the process does what it does in the background.
    await savepoint.idle();
    await session.prompt(`Step ${edit}`);
  }
  await session.call({ tool: 'Edit', kind: 'edit', paths: [/** @type {never} */ (file)] }, () =>
    appendFileSync(join(dir, file), `// edit ${edit}\n`),
  );
  if (edit % Math.ceil(edits / 8) === 0) report(edit);
}
await savepoint.idle();
report(edits);
savepoint.close();

/** @param {number} edit */
function report(edit) {
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  const mb = (/** @type {number} */ bytes) => Math.round(bytes / 1e6);
  const peakMb = mb(process.resourceUsage().maxRSS * 1024);
  console.log(JSON.stringify({ edit, rssMb: mb(rss), heapMb: mb(heapUsed), buffersMb: mb(arrayBuffers), peakMb }));
}
