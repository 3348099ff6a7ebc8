// @ts-check
/** The rows of the table of speed: what is measured, beside what, its aim, and why an aim may be missed. */

/**
 * @typedef {object} Aim
 * @property {number} [most] in the row's unit
 * @property {number} [ratio] git's figure is at least this many times ours
 */

/**
 * @typedef {object} RowKind
 * @property {string} what
 * @property {string} against git's way to do the same
 * @property {'ms' | 'MB'} unit
 * @property {boolean} [isMost] the largest of the runs counts, instead of the median
 * @property {Aim} [aim]
 * @property {string} [reason] why the aim is missed, where it is
 */

const SNAPSHOT = '`add -A`, `write-tree`';
const RESTORED =
  'Each path is opened and compared before and after, each staged file has two names, and all of it is flushed. Git flushes nothing.';
const BUFFERS = 'Most of it is buffers that wait for the collection of garbage.';

/** In the order of the table. @satisfies {Record<string, RowKind>} */
export const ROWS = {
  first: {
    what: 'first checkpoint',
    against: `a new private repository, ${SNAPSHOT}`,
    unit: 'ms',
    aim: { ratio: 8 },
    reason:
      'What is left is listing each folder, reading its ignore rules and making its trees; the pack is only linked.',
  },
  firstCommand: { what: 'first checkpoint, command', against: 'the same', unit: 'ms' },
  look: {
    what: 'a look, nothing changed',
    against: SNAPSHOT,
    unit: 'ms',
    aim: { most: 3 },
    reason:
      'It acquires and releases the lock, checks paths outside the watched folders one by one, and records the start of the call.',
  },
  nothing: {
    what: 'nothing changed',
    against: SNAPSHOT,
    unit: 'ms',
    aim: { most: 3 },
    reason: 'It does what a look does, and compares the snapshot with the last one.',
  },
  one: {
    what: 'one edited file',
    against: SNAPSHOT,
    unit: 'ms',
    aim: { most: 10 },
    reason:
      'The pack, its name, the ref and their folders are made durable in three rounds of flushing (decision 54), where git flushes nothing.',
  },
  many: {
    what: '1,000 edited files',
    against: SNAPSHOT,
    unit: 'ms',
    aim: { ratio: 4 },
    reason:
      'Files are opened, read, compared with their old content and compressed on one thread, and the new pack is flushed.',
  },
  switched: {
    what: 'after a switch to an older commit',
    against: SNAPSHOT,
    unit: 'ms',
    aim: { ratio: 4 },
    reason:
      'The trees and contents of the other commit are in the packs, but each file is read, and its content written again.',
  },
  restoreOne: { what: 'restore of one file', against: '`restore`, `clean`', unit: 'ms' },
  restoreMany: {
    what: 'restore of 5,000 files',
    against: '`checkout -f`',
    unit: 'ms',
    aim: { ratio: 1 / 1.5 },
    reason: RESTORED,
  },
  restoreSwitched: {
    what: 'restore of the state before the switch',
    against: '`checkout`',
    unit: 'ms',
    aim: { ratio: 1 / 1.5 },
    reason: RESTORED,
  },
  scan: { what: 'a look without a watch', against: '`status`', unit: 'ms' },
  statusAlone: { what: '`savepoint status`', against: '`status`', unit: 'ms' },
  statusDaemon: {
    what: '`savepoint status`, daemon',
    against: '`status`',
    unit: 'ms',
    aim: { most: 100, ratio: 1 },
    reason: 'Half of the time is the start of node.',
  },
  listAlone: { what: '`savepoint list`', against: '`log -20`', unit: 'ms' },
  listDaemon: { what: '`savepoint list`, daemon', against: '`log -20`', unit: 'ms' },
  checkpointAlone: { what: '`savepoint checkpoint`, nothing changed', against: SNAPSHOT, unit: 'ms' },
  checkpointDaemon: { what: '`savepoint checkpoint`, nothing changed, daemon', against: SNAPSHOT, unit: 'ms' },
  editAlone: { what: '`savepoint checkpoint`, one edited file', against: SNAPSHOT, unit: 'ms' },
  editDaemon: { what: '`savepoint checkpoint`, one edited file, daemon', against: SNAPSHOT, unit: 'ms' },
  restoreAlone: { what: '`savepoint restore` of one file', against: '`restore`, `clean`', unit: 'ms' },
  hookBefore: { what: 'hook before a call, daemon', against: SNAPSHOT, unit: 'ms' },
  hookAfter: { what: 'hook after a call with an edit, daemon', against: SNAPSHOT, unit: 'ms' },
  memoryFirst: {
    what: 'most memory, first checkpoint',
    against: 'the first `add -A`',
    unit: 'MB',
    isMost: true,
    aim: { most: 200 },
    reason: BUFFERS,
  },
  memoryCommand: {
    what: 'most memory, command',
    against: 'the first `add -A`',
    unit: 'MB',
    isMost: true,
    aim: { most: 200 },
    reason: BUFFERS,
  },
  memory: {
    what: 'most memory, long-lived process',
    against: 'the first `add -A`',
    unit: 'MB',
    isMost: true,
    aim: { most: 200 },
    reason:
      'A restore of thousands of files has in memory what it will do with each, in addition to the first checkpoint.',
  },
  memoryDaemon: {
    what: 'most memory, daemon',
    against: 'the first `add -A`',
    unit: 'MB',
    isMost: true,
    aim: { most: 200 },
    reason: 'It watches the folder and has the index of the last snapshot in memory.',
  },
  disk: {
    what: 'disk of the first checkpoint',
    against: 'the new private repository',
    unit: 'MB',
    aim: { ratio: 5 },
    reason:
      'Both have compressed contents without deltas. The private repository loses what each of its files leaves of its last block.',
  },
  growth: { what: 'more disk after 20 checkpoints of 9 edits', against: '`add -A`, `commit`', unit: 'MB' },
};

/** @typedef {keyof typeof ROWS} RowId */

/**
 * Figures of one repository: ours and git's, one for each run.
 * @typedef {Map<RowId, { readonly ours: number[], readonly theirs: number[] }>} Figures
 */

/**
 * @param {Figures} figures
 * @param {RowId} id
 * @param {number | null} ours null: nothing to measure it with
 * @param {number | null} theirs
 */
export function record(figures, id, ours, theirs) {
  const row = figures.get(id) ?? { ours: [], theirs: [] };
  figures.set(id, row);
  if (ours !== null) row.ours.push(ours);
  if (theirs !== null) row.theirs.push(theirs);
}
