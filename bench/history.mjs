// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '@savepoint/core';
import { nodePorts } from '@savepoint/core/node';
import { showMs, timedAsync } from './measure.mjs';

/**
 * Listing changes: the newest 100 of 10,000 that several agents made. Measured in a process that has listed before (as
 * when paging) and in one that has not. Contents are never loaded; the cost is reading the checkpoint records.
 */

const CHECKPOINTS = 500;
const CHANGES_EACH = 20;
const AGENTS = ['one', 'two', 'three', 'four'];

/** @param {{ base: string, runs: number }} setting @returns {Promise<string>} a table */
export async function measureHistory({ base, runs }) {
  const dir = join(base, 'changed');
  mkdirSync(dir);
  for (let file = 0; file < CHANGES_EACH; file++) mkdirSync(join(dir, String(file)));
  const opened = () =>
    open({
      dir: /** @type {import('@savepoint/core').DiskPath} */ (dir),
      ports: nodePorts(),
      places: {
        home: /** @type {import('@savepoint/core').DiskPath} */ (join(base, 'changed-home')),
        userHome: null,
        globalIgnore: null,
      },
    });
  const savepoint = opened();
  await savepoint.checkpoint();
  const sessions = AGENTS.map((agent) => savepoint.session({ agent, id: `session of ${agent}` }));
  for (let at = 0; at < CHECKPOINTS - 1; at++) {
    const session = /** @type {import('@savepoint/core').Session} */ (sessions[at % sessions.length]);
    await session.call({ tool: 'Bash', kind: 'shell', args: { command: `round ${at}` } }, () => {
      for (let file = 0; file < CHANGES_EACH; file++) writeFileSync(join(dir, String(file), 'file.txt'), `${at}\n`);
    });
  }
  /** @type {[string, import('@savepoint/core').HistoryQuery][]} */
  const queries = [
    ['the newest 100', { limit: 100 }],
    ['the newest 100 of one agent', { limit: 100, agent: 'two' }],
    ['100 of one file', { limit: 100, path: /** @type {import('@savepoint/core').TreePath} */ ('3/file.txt') }],
    ['those of an unknown session', { limit: 100, session: 'none' }],
  ];
  const lines = [];
  for (const [what, query] of queries) {
    const [first, again] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
    for (let run = 0; run < runs; run++) {
      const fresh = opened();
      first.push(await timedAsync(() => fresh.history(query)));
      again.push(await timedAsync(() => fresh.history(query)));
    }
    lines.push([what, showMs(again), showMs(first)]);
  }
  return [
    `Of ${(CHECKPOINTS * CHANGES_EACH).toLocaleString('en')} changes in ${CHECKPOINTS.toLocaleString('en')} checkpoints; ${runs} runs, median, with the range in brackets; milliseconds.`,
    '',
    '| | records in memory | records read from the store |',
    '|---|---|---|',
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
    '',
  ].join('\n');
}
