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
const format = AGENTS[/** @type {keyof typeof AGENTS} */ (agent)].transcript;
if (format === undefined) throw new Error(`the transcripts of ${agent} are not read`);
const { fs } = nodePorts();
/** @type {import('@savepoint/core').TranscriptMark | null} */
let mark = null;

const before = process.resourceUsage().maxRSS;
/** @type {number[]} */
const events = [];
while (mark?.isComplete !== true) events.push(follow());
/** @type {number[]} */
const later = [];
for (let i = 0; i < 20; i++) {
  appendFileSync(file, '{"type":"note"}\n');
  later.push(follow());
}
const memory = (process.resourceUsage().maxRSS - before) * 1024;
process.stdout.write(JSON.stringify({ events, later, memory, messages: mark?.messages, skipped: mark?.skipped }));

/** @returns {number} milliseconds */
function follow() {
  const started = performance.now();
  mark = followTranscript(fs, /** @type {import('@savepoint/core').DiskPath} */ (file), format, mark);
  const took = performance.now() - started;
  if (mark === null) throw new Error(`${file} cannot be read`);
  return took;
}
