/**
 * Exports new checkpoints as one more bundle. Concurrent exports cannot overwrite each other's work: one of them finds
 * that the list of bundles has changed, reads it again, and adds what is still missing.
 */

import { createHash } from 'node:crypto';
import { type BundlePlan, planBundle } from '../bundle/write/create.ts';
import type { BundleContentOptions } from '../bundle/write/derived-chain.ts';
import type { Pace } from '../io/pace.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { CheckpointId } from '../model/ids.ts';
import type { BundleStore, StoredBytes } from '../store/bundles/bundle-store.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import {
  bundleKey,
  decodeHead,
  type ExportedBundle,
  type ExportHead,
  encodeHead,
  HEAD_BYTES,
  headKey,
} from './export-head.ts';

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
 * @throws SavepointError BUNDLE_STORE, BUNDLE_DIVERGED if another copy of the timeline exported newer checkpoints,
 *   NO_CHECKPOINT, STORE_DAMAGED, CANCELLED
 */
export async function exportNewCheckpoints(
  store: BundleStore,
  workspace: Workspace,
  content: BundleContentOptions,
  pace: Pace,
  signal?: AbortSignal,
): Promise<ExportResult> {
  const key = headKey(workspace.id);
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const newest = workspace.timeline.latest();
    if (newest === null) throw new SavepointError('NO_CHECKPOINT', 'This workspace has no checkpoint yet.');
    const found = await store.get(key, HEAD_BYTES, signal);
    const head = found === null ? null : decodeHead(found.bytes, store.place);
    const last = head?.bundles.at(-1) ?? null;
    if (last !== null && last.to === newest.id && matchesOptions(head, content))
      return { upTo: newest.id, added: null };
    const planned = await planNextBundle(workspace, newest, head, content, pace);
    const added = await uploadBundle(store, workspace, planned, signal);
    const bundles = [...(head?.bundles ?? []), { ...added, isWhole: planned.continues === null }];
    const next: ExportHead = { format: 1, workspace: workspace.id, ...contentOptionsOf(content), bundles };
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

function contentOptionsOf({ private: withPrivate, messages }: BundleContentOptions): BundleContentOptions {
  return { private: withPrivate, messages };
}

/** If the content options differ from those of the existing bundles, a new chain is started. */
function matchesOptions(head: ExportHead | null, content: BundleContentOptions): boolean {
  return head?.private === content.private && head.messages === content.messages;
}

/**
 * Plans a bundle with the checkpoints since the last bundle; with all of them if its last checkpoint was dropped here.
 */
async function planNextBundle(
  { store, timeline, id }: Workspace,
  newest: Checkpoint,
  head: ExportHead | null,
  content: BundleContentOptions,
  pace: Pace,
): Promise<BundlePlan> {
  const there = head?.bundles.at(-1) ?? null;
  if (there !== null && Number(there.to.slice(3)) > newest.number) {
    throw new SavepointError(
      'BUNDLE_DIVERGED',
      `Another copy of this timeline has diverged: it has ${there.to}, and the newest here is ${newest.id}.`,
      { checkpoint: there.to },
      { hint: `Nothing was written. The existing bundles are under ${id}; move them away to start again.` },
    );
  }
  const last = matchesOptions(head, content) ? there : null;
  const ref = last === null ? undefined : timeline.list().find(({ number }) => `cp_${number}` === last.to);
  const since = ref === undefined ? null : timeline.read(ref);
  const parent = since === null ? null : (last?.tip ?? null);
  return planBundle(store.objects, timeline, { ...content, session: null, since, parent }, pace);
}

/**
 * Uploads the bundle, unless it is already there.
 * @throws SavepointError BUNDLE_STORE
 */
async function uploadBundle(
  store: BundleStore,
  { id }: Workspace,
  planned: BundlePlan,
  signal: AbortSignal | undefined,
): Promise<Omit<ExportedBundle, 'isWhole'>> {
  const { checkpoints, tip } = planned;
  const pieces: Uint8Array[] = [];
  let length = 0;
  await planned.write((piece) => {
    length += piece.length;
    if (length > MAX_BYTES) throw tooLarge(store);
    pieces.push(piece);
  });
  const bytes = Buffer.concat(pieces);
  const key = bundleKey(id, checkpoints, tip);
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
