/** What a session reports and remembers without waiting for the lock, for agents and hooks. */

import { givenDiskPath } from '../io/given-path.ts';
import { type DeclaredPaths, declaredPaths, pathContextIn } from '../io/locate-path.ts';
import type { SessionId } from '../model/ids.ts';
import { exactName, type JsonName, WORKSPACE_ITSELF } from '../model/names.ts';
import { parseCallId } from '../model/parse-ids.ts';
import type { OpenCall } from '../store/state/open-calls.ts';
import { readSessionState, type TranscriptMark, writeSessionState } from '../store/state/session-state.ts';
import type { CallRecords } from './call-records.ts';
import type { SessionHost } from './host.ts';
import { NO_OPERATIONS, type OperationsByOthers, operationsByOthers } from './operations-by-others.ts';
import { notePermission, type PermissionNote } from './permission.ts';
import { noteHandled, wasHandled } from './reported-events.ts';
import { checkSessionCall } from './session-shapes.ts';

/** The part of `Session` that takes no lock. */
export class SessionNotes {
  readonly id: SessionId;
  readonly #host: SessionHost;
  readonly #calls: CallRecords;

  constructor(host: SessionHost, id: SessionId, calls: CallRecords) {
    this.#host = host;
    this.id = id;
    this.#calls = calls;
  }

  /**
   * Resolves paths from a tool's input, for the `paths` of its call, if some of them may be refused: a call with such a
   * path fails.
   * @param dir absolute folder to which relative paths refer; default: the workspace's own folder
   */
  async declaredPaths(
    given: readonly JsonName[],
    dir?: JsonName,
  ): Promise<Omit<DeclaredPaths, 'paths'> & { readonly paths: readonly JsonName[] }> {
    checkSessionCall.declaredPaths(given);
    return this.#host.once(async (steps) => {
      const place = steps.location();
      const from = dir === undefined ? place.root : givenDiskPath(place, dir);
      const { paths, refused } = declaredPaths(pathContextIn(place, from), given);
      // An empty path is refused: it is rather a missing one than the workspace.
      return { paths: paths.map((path) => (path === WORKSPACE_ITSELF ? '.' : exactName(path))), refused };
    });
  }

  /** The open calls of this session, oldest first. Does not wait for the lock. */
  openCalls(): Promise<readonly OpenCall[]> {
    return this.#host.once(async ({ read }) => read((workspace) => this.#calls.list(workspace)) ?? []);
  }

  /** Marks a call whose end is no longer known. It stays open, and its changes become uncertain. Takes no lock. */
  async markInDoubt(id: string, by?: string | null): Promise<void> {
    checkSessionCall.markInDoubt(id, by);
    await this.#host.once(async ({ read }) => read((workspace) => this.#calls.doubt(workspace, parseCallId(id), by)));
  }

  /** Records that a call asks for a permission, or has got it: its tool has not run before. Takes no lock. */
  async notePermission(note: PermissionNote): Promise<void> {
    checkSessionCall.notePermission(note);
    await this.#host.once(async ({ read }) => read((workspace) => notePermission(workspace, this.id, note)));
  }

  /**
   * Records what the session's transcript says, for the checkpoints that follow. Without a store, nothing is read.
   * @param follow reads on from what is known (null: nothing); returns null if there is nothing new
   */
  async followTranscript(follow: (known: TranscriptMark | null) => TranscriptMark | null): Promise<void> {
    checkSessionCall.follow(follow);
    await this.#host.once(async ({ read }) =>
      read(({ ports, store }) => {
        const state = readSessionState(ports.fs, store.layout, this.id);
        const transcript = follow(state.transcript);
        if (transcript === null) return;
        checkSessionCall.transcript(transcript);
        writeSessionState(ports.fs, store.layout, this.id, { ...state, transcript });
      }),
    );
  }

  /** Returns whether `noteHandled` was called with this key: another hook of ours has handled the same event. */
  async wasHandled(key: string): Promise<boolean> {
    checkSessionCall.named(key, 'key');
    return this.#host.once(async ({ read }) => read((workspace) => wasHandled(workspace, this.id, key)) ?? false);
  }

  /** Remembers the last events that were handled; without a store, none. @param isHandled false: forgets it */
  async noteHandled(key: string, isHandled = true): Promise<void> {
    checkSessionCall.noteHandled(key, isHandled);
    await this.#host.once(async ({ read }) => read((workspace) => noteHandled(workspace, this.id, key, isHandled)));
  }

  /**
   * Returns operations of Savepoint by others (rollback, restore, undo, edit) since the last call of this method, and the
   * paths that differ because of them from what the session knows. If a later operation cancelled them, nothing is
   * returned. The first call returns nothing. Does not wait for the lock.
   */
  async operationsByOthers(): Promise<OperationsByOthers> {
    return this.#host.once(
      async ({ read }) => read((workspace) => operationsByOthers(workspace, this.id)) ?? NO_OPERATIONS,
    );
  }
}
