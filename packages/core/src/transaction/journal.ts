/** Reads and writes journals and intents: `journal/<tx>.intent`, `journal/<tx>.json` (docs/format.md, "journal"). */

import { createHash } from 'node:crypto';
import { showName } from '../content/show-name.ts';
import { durableCreate, durableWrite, readEntireFile, syncFolder } from '../io/durable-write.ts';
import type { Fs } from '../io/fs.ts';
import { removeIfExists } from '../io/if-exists.ts';
import type { Ports } from '../io/ports.ts';
import { checkTreePath } from '../io/safe-path.ts';
import { SavepointError } from '../model/errors.ts';
import { isObjectId, type TransactionId, type WorkspaceId } from '../model/ids.ts';
import {
  type DiskPath,
  diskChild,
  diskPathFromJson,
  type JsonName,
  type Name,
  nameToJson,
  type TreePath,
  treePathFromJson,
} from '../model/names.ts';
import { entryFromJson, entryToJson, type StoredEntryJson } from '../store/snapshot/entry-json.ts';
import { STAGE_PREFIX } from '../store/staging-names.ts';
import type { Intent, Journal, Transition } from './transition.ts';

const JOURNAL_FORMAT = 3;
/** Versions that do not know shared files can recover this format. */
const FORMAT_WITHOUT_SHARED = 2;
/** Versions that do not know mounts can recover this format, too. */
const FORMAT_WITHOUT_MOUNTS = 1;
const JOURNAL_BYTES = 1 << 30;
const TRANSITIONS_A_PIECE = 500;

interface MountJson {
  readonly path: JsonName;
  readonly device: number;
  readonly inode: number;
  readonly born: number;
}

interface JournalJson {
  readonly format: number;
  readonly transaction: string;
  readonly workspace: WorkspaceId;
  readonly root: JsonName;
  readonly device: number;
  readonly inode: number;
  readonly born: number;
  readonly stage: Name;
  /** Absent: none. */
  readonly mounts?: readonly MountJson[];
  /** Absent: false. */
  readonly takenBack?: boolean;
  /** The last item is only there if the file is shared. */
  readonly transitions: readonly (readonly [JsonName, StoredEntryJson, StoredEntryJson, shared?: true])[];
  readonly closed: readonly (readonly [JsonName, number])[];
  readonly checkpoint: { readonly number: number; readonly commit: string };
}

export function intentFile(folder: DiskPath, transaction: TransactionId): DiskPath {
  return diskChild(folder, `${transaction}.intent`);
}

export function journalFile(folder: DiskPath, transaction: TransactionId): DiskPath {
  return diskChild(folder, `${transaction}.json`);
}

/** Writes the intent durably. From then on, a staging folder of that name is ours to remove. */
export function writeIntent(fs: Fs, folder: DiskPath, intent: Intent): void {
  const { root, stage, makesRoot } = intent;
  const mounts = intent.mounts.map(({ path }) => nameToJson(path));
  const json = { root: nameToJson(root), stage, makesRoot, ...(mounts.length === 0 ? {} : { mounts }) };
  durableCreate(fs, intentFile(folder, intent.transaction), seal([JSON.stringify(json)]), 0o600);
}

/** Writes the journal durably. This is the commit point: once it returns, the transaction is committed. */
export function writeJournal(fs: Fs, folder: DiskPath, journal: Journal): void {
  const json: Omit<JournalJson, 'transitions'> = {
    format: formatOf(journal),
    transaction: journal.transaction,
    workspace: journal.workspace,
    root: nameToJson(journal.root),
    device: journal.identity.device,
    inode: journal.identity.inode,
    born: journal.identity.born,
    stage: journal.stage,
    ...(journal.mounts.length === 0
      ? {}
      : { mounts: journal.mounts.map(({ path, identity }) => ({ path: nameToJson(path), ...identity })) }),
    ...(journal.isRolledBack ? { takenBack: true } : {}),
    closed: journal.closed.map(({ path, mode }) => [nameToJson(path), mode]),
    checkpoint: journal.checkpoint,
  };
  const pieces = [JSON.stringify(json).slice(0, -1), ',"transitions":[', ...piecesOf(journal.transitions), ']}'];
  durableWrite(fs, journalFile(folder, journal.transaction), seal(pieces), 0o600);
}

/** Removes a journal durably. If it came back after a power cut, recovery would take later edits for damage. */
export function removeJournal(fs: Fs, folder: DiskPath, transaction: TransactionId): void {
  removeIfExists(fs, journalFile(folder, transaction));
  syncFolder(fs, folder);
}

export interface UnfinishedTransactions {
  readonly intents: readonly Intent[];
  readonly journals: readonly Journal[];
}

/**
 * Lists what dead processes left.
 * @throws SavepointError STORE_DAMAGED if a journal's checksum is wrong. Journals are complete before they are renamed
 *   into place, so that is damage and never an interrupted write.
 */
export function listUnfinished(ports: Ports, folder: DiskPath): UnfinishedTransactions {
  const intents: Intent[] = [];
  const journals: Journal[] = [];
  for (const name of [...ports.fs.list(folder)].sort()) {
    const match = /^([0-9a-f]{16})\.(intent|json)$/.exec(name);
    if (match === null) continue;
    const file = diskChild(folder, name);
    const transaction = match[1] as TransactionId;
    if (match[2] === 'intent') intents.push(readIntent(ports, file, transaction));
    else journals.push(readJournal(ports, file, transaction));
  }
  return { intents, journals };
}

/**
 * Removes temporary files of interrupted writes, and makes durable what a dead process did. Before recovery acts on a
 * journal, that journal must be certain to stay, and a removed one must not come back. The lock holder calls this.
 */
export function clearJournalDebris(fs: Fs, folder: DiskPath): void {
  syncFolder(fs, folder);
  for (const name of fs.list(folder)) {
    if (!/^[0-9a-f]{16}\.(intent|json)$/.test(name)) removeIfExists(fs, diskChild(folder, name));
  }
}

function formatOf({ transitions, mounts }: Journal): number {
  if (transitions.some(({ isShared }) => isShared === true)) return JOURNAL_FORMAT;
  return mounts.length === 0 ? FORMAT_WITHOUT_MOUNTS : FORMAT_WITHOUT_SHARED;
}

function readIntent(ports: Ports, file: DiskPath, transaction: TransactionId): Intent {
  const json = unseal(file, readEntireFile(ports.fs, file, JOURNAL_BYTES)) as {
    root: JsonName;
    stage: Name;
    makesRoot: boolean;
    mounts?: readonly JsonName[];
  };
  if (json.stage !== `${STAGE_PREFIX}${transaction}`) throw damagedError(file);
  return {
    transaction,
    root: diskPathFromJson(json.root),
    stage: json.stage,
    mounts: (json.mounts ?? []).map((path) => ({ path: treePath(path, ports, file) })),
    makesRoot: json.makesRoot,
  };
}

function readJournal(ports: Ports, file: DiskPath, transaction: TransactionId): Journal {
  const json = unseal(file, readEntireFile(ports.fs, file, JOURNAL_BYTES)) as JournalJson;
  if (json.format > JOURNAL_FORMAT) {
    throw new SavepointError('STORE_TOO_NEW', `The journal ${showName(file)} was written by a newer version.`, {
      found: json.format,
      known: JOURNAL_FORMAT,
    });
  }
  if (json.transaction !== transaction || json.stage !== `${STAGE_PREFIX}${transaction}`) throw damagedError(file);
  if (!isObjectId(json.checkpoint.commit)) throw damagedError(file);
  return {
    transaction,
    workspace: json.workspace,
    root: diskPathFromJson(json.root),
    identity: { device: json.device, inode: json.inode, born: json.born },
    stage: json.stage,
    mounts: (json.mounts ?? []).map(({ path, device, inode, born }) => ({
      path: treePath(path, ports, file),
      identity: { device, inode, born },
    })),
    isRolledBack: json.takenBack ?? false,
    transitions: json.transitions.map(
      ([path, from, to, isShared = false]): Transition => ({
        path: treePath(path, ports, file),
        from: entryFromJson(from),
        to: entryFromJson(to),
        ...(isShared ? { isShared } : {}),
      }),
    ),
    closed: json.closed.map(([path, mode]) => ({ path: treePath(path, ports, file), mode })),
    checkpoint: { number: json.checkpoint.number, commit: json.checkpoint.commit },
  };
}

function treePath(json: JsonName, ports: Ports, file: DiskPath): TreePath {
  const path = treePathFromJson(json);
  if (path !== '' && checkTreePath(path, ports.platform) !== null) throw damagedError(file);
  return path;
}

/** Tens of thousands of them would take several times their memory as one value. */
function* piecesOf(transitions: readonly Transition[]): Generator<string> {
  for (let at = 0; at < transitions.length; at += TRANSITIONS_A_PIECE) {
    const piece: JournalJson['transitions'] = transitions
      .slice(at, at + TRANSITIONS_A_PIECE)
      .map(({ path, from, to, isShared = false }) => [
        nameToJson(path),
        entryToJson(from),
        entryToJson(to),
        ...(isShared ? ([true] as const) : ([] as const)),
      ]);
    yield (at === 0 ? '' : ',') + JSON.stringify(piece).slice(1, -1);
  }
}

/** @param body in pieces: hashing a long text would take three times its memory */
function seal(body: readonly string[]): Buffer {
  const hash = createHash('sha256');
  for (const piece of body) hash.update(piece);
  return Buffer.from(`${hash.digest('hex')}\n${body.join('')}`);
}

function unseal(file: DiskPath, data: Buffer): unknown {
  const body = data.subarray(65);
  if (data.toString('latin1', 0, 65) !== `${createHash('sha256').update(body).digest('hex')}\n`)
    throw damagedError(file);
  return JSON.parse(body.toString('utf8'));
}

function damagedError(file: DiskPath): SavepointError {
  return new SavepointError(
    'STORE_DAMAGED',
    `The journal ${showName(file)} does not match its checksum.`,
    { file },
    {
      hint: 'Nothing was changed. The affected files are in the last checkpoints; move the journal away to continue.',
    },
  );
}
