/**
 * Exports new checkpoints as one more bundle. Concurrent exports cannot overwrite each other's work: one of them finds
 * that the list of bundles has changed, reads it again, and adds what is still missing.
 */

import { createHash } from 'node:crypto';
import { type BundlePlan, planBundle } from '../bundle/write/create.ts';
import type { Pace } from '../io/pace.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { CheckpointId } from '../model/ids.ts';
import type { BundleStore, StoredBytes } from '../store/bundles/bundle-store.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import {
  bundleKey,
  decodeHead,
  type ExportContent,
  type ExportedBundle,
  type ExportHead,
  encodeHead,
  exportFolder,
  HEAD_BYTES,
  headKey,
} from './export-head.ts';

/** Where and what to export. */
export interface ExportTarget extends ExportContent {
  /** Tells this copy of the timeline from others that are exported to the same place; empty: it is the only one. */
  readonly name: string;
}

export interface ExportResult {
  /** The newest exported checkpoint. */
  readonly upTo: CheckpointId;
  /** The bundle that was added; null if everything was already there. */
  readonly added: ExportedBundle | null;
}

/** An exported bundle is built in memory. A larger one has to be written to a file with `bundle create`. */
const MAX_BYTES = 1024 * 1024 * 1024;
/** Gives up after this many attempts if other processes change the list each time. */
const MAX_ATTEMPTS = 10;

/**
 * Exports the checkpoints that are not in the bundle store yet.
 * @throws SavepointError BUNDLE_STORE, BUNDLE_DIVERGED if another copy of the timeline exported other checkpoints
 *   under the same numbers, or newer ones; NO_CHECKPOINT, STORE_DAMAGED, CANCELLED
 */
export async function exportNewCheckpoints(
  store: BundleStore,
  workspace: Workspace,
  target: ExportTarget,
  pace: Pace,
  signal?: AbortSignal,
): Promise<ExportResult> {
  const key = headKey(workspace.id, target.name);
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const newest = workspace.timeline.latest();
    if (newest === null) throw new SavepointError('NO_CHECKPOINT', 'This workspace has no checkpoint yet.');
    const found = await store.get(key, HEAD_BYTES, signal);
    const head = found === null ? null : decodeHead(found.bytes, store.place);
    const last = exportedAlready(workspace, store.place, newest, head, target);
    if (last?.id === newest.id) return { upTo: newest.id, added: null };
    const parent = last === null ? null : (head?.bundles.at(-1)?.tip ?? null);
    // An early version may have begun the chain, with descriptions. It goes on from its last commit without them.
    const request = { ...contentOf(target), descriptions: false, session: null, since: last, parent };
    const planned = await planBundle(workspace.store.objects, workspace.timeline, request, pace);
    const added = await uploadBundle(store, exportFolder(workspace.id, target.name), planned, signal);
    const bundles = [...(head?.bundles ?? []), { ...added, isWhole: planned.continues === null }];
    const next: ExportHead = { format: 1, workspace: workspace.id, ...contentOf(target), bundles };
    if ((await store.put(key, encodeHead(next), conditionOf(found), signal)) !== null) {
      return { upTo: added.to, added: bundles.at(-1)! };
    }
  }
  throw new SavepointError('BUNDLE_STORE', `Other processes keep writing to ${store.place}.`, {
    place: store.place,
    status: 412,
  });
}

function conditionOf(found: StoredBytes | null) {
  return found === null ? ({ when: 'absent' } as const) : ({ when: 'same', tag: found.tag } as const);
}

function contentOf({ private: withPrivate, messages }: ExportContent): ExportContent {
  return { private: withPrivate, messages };
}

/** If the content options differ from those of the existing bundles, a new chain is started. */
function matchesOptions(head: ExportHead | null, content: ExportContent): boolean {
  return head?.private === content.private && head.messages === content.messages;
}

/**
 * Returns the checkpoint of this timeline that the last bundle ends with. Null if the next bundle has to contain all
 * checkpoints: nothing is there, that checkpoint was dropped here, other contents are wanted, or a purge changed it.
 * @throws SavepointError BUNDLE_DIVERGED if it is another checkpoint with the same number, or newer than all here
 */
function exportedAlready(
  { timeline, id }: Workspace,
  place: string,
  newest: Checkpoint,
  head: ExportHead | null,
  target: ExportTarget,
): Checkpoint | null {
  const there = head?.bundles.at(-1) ?? null;
  if (there === null) return null;
  const diverged = (why: string): SavepointError =>
    new SavepointError(
      'BUNDLE_DIVERGED',
      `Another copy of this timeline was exported to ${place}, and the two have diverged: ${why}.`,
      { checkpoint: there.to },
      {
        hint:
          `Nothing was written. To export this copy next to the other one, give it a name: \`export.name\` in your ` +
          `configuration. Or move the existing bundles, ${exportFolder(id, target.name)}, away.`,
      },
    );
  if (Number(there.to.slice(3)) > newest.number) {
    throw diverged(`${there.to} is there, and the newest checkpoint here is ${newest.id}`);
  }
  const ref = timeline.list().find(({ number }) => `cp_${number}` === there.to);
  if (ref === undefined) return null;
  const own = timeline.read(ref);
  const { source } = there;
  if (source !== undefined && source.commit !== own.commit) {
    if (source.time !== own.time) throw diverged(`${there.to} there is not ${there.to} here`);
    // A purge replaces commits, and so does a restore from a bundle. The chain there has other contents.
    return null;
  }
  return matchesOptions(head, target) ? own : null;
}

/**
 * Uploads the bundle, unless it is already there.
 * @throws SavepointError BUNDLE_STORE
 */
async function uploadBundle(
  store: BundleStore,
  folder: string,
  planned: BundlePlan,
  signal: AbortSignal | undefined,
): Promise<Omit<ExportedBundle, 'isWhole'>> {
  const { checkpoints, newest, tip } = planned;
  const pieces: Uint8Array[] = [];
  let length = 0;
  await planned.write((piece) => {
    length += piece.length;
    if (length > MAX_BYTES) throw tooLarge(store);
    pieces.push(piece);
  });
  const bytes = Buffer.concat(pieces);
  const key = bundleKey(folder, checkpoints, tip);
  const isSent = (await store.put(key, bytes, { when: 'absent' }, signal)) !== null;
  // An existing bundle with this key has the same checkpoints, but may be packed differently.
  const existing = isSent ? null : await store.get(key, MAX_BYTES, signal);
  if (!isSent && existing === null) {
    throw new SavepointError('BUNDLE_STORE', `Another process is writing ${key} to ${store.place}.`, {
      place: store.place,
      status: 409,
    });
  }
  const there = existing?.bytes ?? bytes;
  return {
    key,
    from: checkpoints[0]!.id,
    to: checkpoints.at(-1)!.id,
    tip,
    source: { commit: newest.commit, time: newest.time },
    bytes: there.length,
    sha256: createHash('sha256').update(there).digest('hex'),
  };
}

function tooLarge(store: BundleStore): SavepointError {
  return new SavepointError(
    'BUNDLE_STORE',
    `The new checkpoints exceed ${MAX_BYTES} bytes and are not exported to ${store.place} automatically.`,
    { place: store.place, status: 'EFBIG' },
    { hint: 'Nothing was written. Create a bundle with `savepoint bundle create` and copy it there.' },
  );
}
