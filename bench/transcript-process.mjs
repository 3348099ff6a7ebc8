// @ts-check
/**
 * Follows a transcript as hooks do, in a process of its own: `node bench/transcript-process.mjs AGENT FILE`. Prints as JSON
 * how long each event took and how much memory it needed.
 */
import { appendFileSync } from 'node:fs';
import { nodePorts } from '@savepoint/core/node';
import { AGENTS } from '../packages/agents/dist/table.js';
import { followTranscript } from '../packages/agents/dist/transcript/follow.js';

const [agent = '', file = ''] = process.argv.slice(2);
const { transcript: format } = AGENTS[/** @type {keyof typeof AGENTS} */ (agent)];
if (format === undefined) throw new Error(`the transcripts of ${agent} are not read`);
const { fs } = nodePorts();
const path = /** @type {import('@savepoint/core').DiskPath} */ (file);

const before = process.resourceUsage().maxRSS;
/** @type {number[]} */
const events = [];
let mark = timed(events, null);
while (!mark.isComplete) mark = timed(events, mark);
/** @type {number[]} */
const later = [];
for (let i = 0; i < 20; i++) {
  appendFileSync(file, '{"type":"note"}\n');
  mark = timed(later, mark);
}
const memory = (process.resourceUsage().maxRSS - before) * 1024;
process.stdout.write(JSON.stringify({ events, later, memory, messages: mark.messages, skipped: mark.skipped }));

/**
 * @param {number[]} times gets the milliseconds
 * @param {import('@savepoint/core').TranscriptMark | null} known
 */
function timed(times, known) {
  const started = performance.now();
  const next = followTranscript(fs, path, /** @type {NonNullable<typeof format>} */ (format), known);
  times.push(performance.now() - started);
  if (next === null) throw new Error(`${file} cannot be read`);
  return next;
}
