// @ts-check
/**
 * Gemini CLI's own checkpoints in a long-lived process: `node bench/gemini-process.mjs FOLDER`. GEMINI_CLI_HOME is
 * where it stores its data. The protocol is that of bench/long-lived-process.mjs.
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
