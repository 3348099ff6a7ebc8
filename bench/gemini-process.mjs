// @ts-check
/**
 * Gemini CLI's own checkpoints in a process that stays: `node bench/gemini-process.mjs FOLDER`, with GEMINI_CLI_HOME for what
 * it keeps. Asked and answered as bench/staying-process.mjs is.
 */
import { createInterface } from 'node:readline';
import { GEMINI } from './gemini.mjs';

const [dir = ''] = process.argv.slice(2);
const { GitService } = await import(GEMINI.service);
const { Storage } = await import(GEMINI.storage);
const service = new GitService(dir, new Storage(dir));

/** @type {Record<string, () => Promise<unknown>>} */
const work = {
  initialize: () => service.initialize(),
  checkpoint: () => service.createFileSnapshot('checkpoint'),
};

for await (const line of createInterface({ input: process.stdin })) {
  const started = performance.now();
  await work[line]?.();
  const ms = performance.now() - started;
  console.log(JSON.stringify({ ms, peakMb: process.resourceUsage().maxRSS / 1024 }));
}
