/** Plans the contents of a bundle of a timeline, and writes it. */

import { createHash } from 'node:crypto';
import { showText } from '../../content/show-name.ts';
import type { Pace } from '../../io/pace.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import type { CheckpointId, ObjectId, SessionId } from '../../model/ids.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { writePack } from '../../store/objects/packs/write-pack.ts';
import { isRefName } from '../../store/refs/ref-name.ts';
import type { Timeline } from '../../timeline/record/timeline.ts';
import { type BundleContentOptions, type DerivedCommit, deriveChain } from './derived-chain.ts';
import { encodeHeader, prerequisiteComment } from './header.ts';
import { objectsOf } from './objects.ts';

export interface BundleRequest extends BundleContentOptions {
  /**
   * Includes only the checkpoints of this session, each with the one before it, against which its changes are recorded.
   */
  readonly session: SessionId | null;
  /** Includes only checkpoints after this one. The recipient must already have it. */
  readonly since: Checkpoint | null;
  /** The commit of `since` in the chain to continue; null to derive the chain from the oldest existing checkpoint. */
  readonly parent: ObjectId | null;
}

export interface BundlePlan {
  /** Oldest first. */
  readonly checkpoints: readonly Checkpoint[];
  /** The newest of them, as the store has it. */
  readonly newest: Checkpoint;
  /** The commit of the newest checkpoint in the chain. */
  readonly tip: ObjectId;
  readonly objects: number;
  /** The checkpoint that the recipient must have; null if it needs none. */
  readonly continues: CheckpointId | null;
  /** Number of private paths omitted from the newest checkpoint. */
  readonly leftOut: number;
  write(write: (bytes: Uint8Array) => void): Promise<void>;
}

/** The branch for the whole timeline. */
const TIMELINE = 'refs/heads/timeline';

/**
 * Plans a bundle.
 * @throws SavepointError UNKNOWN_SESSION, BUNDLE_EMPTY, and STORE_DAMAGED if a checkpoint of the timeline cannot be
 *   read
 */
export async function planBundle(
  objects: ObjectReader,
  timeline: Timeline,
  request: BundleRequest,
  pace: Pace,
): Promise<BundlePlan> {
  const { checkpoints: all, damaged } = timeline.readAll();
  if (damaged[0] !== undefined) throw damaged[0].error;
  const { session, since, parent } = request;
  const chosen = session === null ? all : checkpointsOfSession(all, session);
  const first = since === null ? 0 : chosen.findIndex(({ number }) => number > since.number);
  if (first < 0 || chosen.length === 0) throw bundleEmpty(request);
  const known = new Map<string, Checkpoint>(all.map((one) => [one.id, one]));
  const start = since === null || parent === null ? null : { checkpoint: since, commit: parent };
  const checkpoints = start === null ? chosen : chosen.slice(first);
  const chain = await deriveChain(objects, { checkpoints, all: known, content: request, start }, pace);
  const links = start === null ? chain.links.slice(first) : chain.links;
  const before =
    start === null ? previousCommit(chain.links, first) : { checkpoint: start.checkpoint, commit: start.commit };
  const ids = await objectsOf(chain.objects, links, chain.base ?? before?.commit ?? null, pace);
  const tip = links.at(-1)!.commit;
  const header = encodeHeader({
    prerequisites: before === null ? [] : [{ commit: before.commit, comment: prerequisiteComment(before.checkpoint) }],
    refs: [
      { name: session === null ? TIMELINE : sessionRef(session), commit: tip },
      // Without HEAD, `git clone` would not know what to check out.
      { name: 'HEAD', commit: tip },
    ],
  });
  return {
    checkpoints: links.map(({ checkpoint }) => checkpoint),
    newest: checkpoints.at(-1)!,
    tip,
    objects: ids.length,
    leftOut: chain.leftOut,
    continues: before?.checkpoint.id ?? null,
    write: async (write) => {
      write(header);
      await writePack(chain.objects, ids, write, pace, 'export');
    },
  };
}

function previousCommit(links: readonly DerivedCommit[], first: number): DerivedCommit | null {
  return first === 0 ? null : (links[first - 1] ?? null);
}

/**
 * Returns the session's checkpoints, each with the one before it: its changes are recorded and reverted against that
 * one.
 */
function checkpointsOfSession(all: readonly Checkpoint[], session: SessionId): readonly Checkpoint[] {
  const own = all.filter(
    (one) =>
      one.session === session ||
      one.changes?.some(({ by }) => by.authors.some((author) => author.session === session)) === true,
  );
  if (own.length === 0) {
    throw new SavepointError('UNKNOWN_SESSION', `No checkpoint belongs to session ${showText(session)}.`, { session });
  }
  const wanted = new Set(own.flatMap(({ id, previous }) => (previous === null ? [id] : [id, previous])));
  return all.filter(({ id }) => wanted.has(id));
}

/** Returns the branch name of a session. Agents choose session ids freely, so an unsuitable id is hashed. */
function sessionRef(session: SessionId): string {
  const plain = `refs/heads/sessions/${session}`;
  if (/^[A-Za-z0-9._-]{1,100}$/.test(session) && isRefName(plain)) return plain;
  return `refs/heads/sessions/sha1-${createHash('sha1').update(session).digest('hex')}`;
}

function bundleEmpty({ since, session }: BundleRequest): SavepointError {
  const after = since === null ? '' : ` after ${since.id}`;
  const of = session === null ? '' : ' of that session';
  return new SavepointError('BUNDLE_EMPTY', `There is no checkpoint${of}${after}.`, {
    since: since?.id ?? null,
    session,
  });
}
