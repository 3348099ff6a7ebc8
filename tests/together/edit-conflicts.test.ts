import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TreePath } from '@savepoint/core';
import { bytesFromText, type DiskPath, type FileRequest, open, type Savepoint, SavepointError } from '@savepoint/core';
import { realPorts, testEffort } from '@savepoint/testkit';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, onTestFinished, test } from 'vitest';

/**
 * Edits of files that another process saves at the same time, by rename and in place. A save that was displaced by an
 * edit must be in a checkpoint or a backup. A refused edit leaves nothing, a successful one is complete. `saver.mjs` is
 * the other process. SAVEPOINT_LONG=1: 5,000 rounds.
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const ALL = Number.POSITIVE_INFINITY;
const ROUNDS = testEffort({ quick: ALL, ci: ALL, long: 5_000 });
const DURATION_MS = testEffort({ quick: 6_000, ci: 35_000, long: ALL });
const SAVER = fileURLToPath(new URL('./saver.mjs', import.meta.url));

const SAVED = ['renamed.txt', 'inplace.txt'] as const;
/** Only edits write this file: it has all of an edit, or nothing. */
const ALONE = 'alone.txt';

interface Report {
  readonly saves: number;
  /** Saves that were no longer there at the next save. */
  readonly displaced: readonly { readonly name: string; readonly number: number }[];
  readonly last: Readonly<Record<string, number>>;
  /** Number of writes through a handle into a file without a name. */
  readonly intoNothing: number;
  /** Saves in place into a file that no longer had its own name. */
  readonly elsewhere: readonly number[];
}

const disk = (file: string): DiskPath => bytesFromText(file) as DiskPath;
// All have the same length, so that an in-place save overwrites everything.
const savedText = (name: string, number: number): string => `${name} saved ${String(number).padStart(8, '0')}\n`;
const editedText = (name: string, round: number): string => `${name} edit${String(round).padStart(10, '0')}\n`;

function engine(p: Project): Savepoint {
  return open({
    dir: disk(p.dir),
    places: { home: disk(p.store), userHome: disk(p.home), globalIgnore: null },
    ports: realPorts(),
    retention: { maxCheckpoints: 1_000_000, keepAtLeast: 1_000_000 },
  });
}

/** Half of the requests include the content that was seen, like an agent that reads before it writes. */
function requests(p: Project, round: number): readonly FileRequest[] {
  return [...SAVED, ALONE].map((name): FileRequest => {
    const content = editedText(name, round);
    const seen = round % 2 === 0 ? seenAt(p, name) : null;
    return {
      given: name,
      path: name as TreePath,
      edits:
        seen === null
          ? [{ op: 'write', content, exact: true }]
          : [{ op: 'replace', old: seen, new: content, replaceAll: false, tolerant: false }],
      expectedHash: seen === null ? null : blobId(seen),
      force: false,
    };
  });
}

/** Null if there is no file, or no complete one, at this moment. */
function seenAt(p: Project, name: string): string | null {
  try {
    return p.read(name) || null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function blobId(text: string): string {
  return createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex');
}

async function started(p: Project): Promise<ChildProcess> {
  const child = spawn(process.execPath, [SAVER, p.dir, String(SEED)], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  return child;
}

async function ended(child: ChildProcess): Promise<Report> {
  let reported = '';
  child.stdout?.on('data', (text) => {
    reported += text;
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.stdin?.end();
  await closed;
  return JSON.parse(reported) as Report;
}

/** The ids of all objects in checkpoints, and of all backups. */
function keptBy(store: string): ReadonlySet<string> {
  const args = ['--git-dir', path.join(store, 'objects.git'), 'rev-list', '--objects', '--all', '--no-object-names'];
  const ids = execFileSync('git', args, { encoding: 'latin1', maxBuffer: 2 ** 30 }).split('\n');
  const backups = readdirSync(path.join(store, 'backups'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => blobId(readFileSync(path.join(entry.parentPath, entry.name), 'latin1')));
  return new Set([...ids, ...backups]);
}

test('edits of files that another process keeps saving', { timeout: 3_600_000 }, async () => {
  const p = project();
  for (const name of SAVED) p.write(name, savedText(name, 0));
  p.write(ALONE, editedText(ALONE, 0));
  const savepoint = engine(p);
  await savepoint.checkpoint();
  const child = await started(p);
  const outcomes = new Map<string, number>();
  const wrong: string[] = [];
  let alone = editedText(ALONE, 0);
  const began = performance.now();
  const wasRaced = (): boolean => ['done', 'CONFLICT'].every((outcome) => (outcomes.get(outcome) ?? 0) > 3);
  const lasts = (): boolean => performance.now() - began < (wasRaced() ? DURATION_MS : 10 * DURATION_MS);
  for (let round = 1; round <= ROUNDS && lasts(); round++) {
    let outcome = 'done';
    try {
      const { kept } = await savepoint.edit(requests(p, round));
      alone = editedText(ALONE, round);
      if (kept.length > 0) outcome = 'done, and kept what came late';
    } catch (error) {
      if (!(error instanceof SavepointError)) throw error;
      outcome = error.code;
      if (!['CONFLICT', 'EDITS_REFUSED'].includes(outcome)) wrong.push(`round ${round}: ${error}`);
      for (const name of SAVED) {
        if (seenAt(p, name) === editedText(name, round))
          wrong.push(`round ${round}: refused, and yet ${name} is edited`);
      }
    }
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (seenAt(p, ALONE) !== alone) wrong.push(`round ${round}, ${outcome}: ${ALONE} holds ${seenAt(p, ALONE)}`);
  }
  const reported = await ended(child);
  const { workspace, pending } = await savepoint.status();
  expect(pending).toEqual([]);
  const kept = keptBy(workspace.store);
  const displaced = [...reported.displaced];
  for (const name of SAVED) {
    const number = reported.last[name] ?? 0;
    if (seenAt(p, name) !== savedText(name, number)) displaced.push({ name, number });
  }
  const missing = displaced.filter(({ name, number }) => !kept.has(blobId(savedText(name, number))));
  const { saves, intoNothing, elsewhere } = reported;
  // No system call covers the moment between the last check of a replaced file and its removal (docs/guarantees.md, 6).
  const isUncovered = ({ name, number }: (typeof missing)[number]): boolean =>
    name === 'inplace.txt' && elsewhere.includes(number);
  const lost = missing.filter((save) => !isUncovered(save));
  console.info(
    [...outcomes].map(([outcome, count]) => `${outcome}: ${count}`).join('; '),
    `\n${saves} saves, ${displaced.length} displaced, ${elsewhere.length} elsewhere, ${intoNothing} into nothing`,
  );
  expect(wrong, `SAVEPOINT_SEED=${SEED}`).toEqual([]);
  expect(lost, `SAVEPOINT_SEED=${SEED}`).toEqual([]);
  // All other writes through a handle are backed up.
  expect(missing.length, `SAVEPOINT_SEED=${SEED}`).toBeLessThanOrEqual(2);
  expect((await savepoint.verify()).damage).toEqual([]);
  expect(readdirSync(p.dir).filter((name) => name.startsWith('.savepoint-'))).toEqual([]);
  // Otherwise there was no race.
  expect(wasRaced()).toBe(true);
  expect(displaced.length).toBeGreaterThan(0);
});
