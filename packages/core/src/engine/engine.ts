/**
 * Runs calls: finds the workspace once, locks it if files or the store change, does the work, and releases everything.
 */

import { TreeListings } from '../check/find/tree-listings.ts';
import { Pace, type Progress } from '../io/pace.ts';
import type { Ports } from '../io/ports.ts';
import { canonicalActor } from '../model/agent-names.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { Actor, Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { LockOptions } from '../store/lock.ts';
import { type FoundRecord, syncRecord } from '../store/records.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { resolveCheckpoint } from '../timeline/query/resolve.ts';
import { asSavepointError } from '../transaction/outcome.ts';
import { BackgroundTasks } from './background.ts';
import { LastGraph } from './code/last-graph.ts';
import { Context } from './context.ts';
import { EventStream } from './events.ts';
import { KnownHome } from './known-home.ts';
import { ensureWorkspace, openWorkspace } from './open.ts';
import type { OpenOptions } from './options.ts';
import { lockAlone, lockOverlapping } from './overlap.ts';
import { recoverOverlapping } from './recovery.ts';
import { SettingsReader } from './settings.ts';
import { WorkspaceCache } from './workspace-cache.ts';
import type { LockScope, WriteContext, WriteOperationContext } from './write-context.ts';

/** The default actor. */
export const USER: Actor = { kind: 'user', name: 'user' };
const WAIT_MS = 60_000;

export class Engine {
  readonly options: OpenOptions;
  readonly ports: Ports;
  readonly actor: Actor;
  readonly events: EventStream;
  readonly background: BackgroundTasks;
  readonly settings: SettingsReader;
  readonly cache: WorkspaceCache;
  readonly knownHome: KnownHome;
  /** For the search for checks. */
  readonly listings: TreeListings;
  /** For the analysis of code. */
  readonly lastGraph: LastGraph;
  /** Stores stay open between calls. */
  readonly keepsStores: boolean;
  /** The engine that looks up the workspace again in each call. For background work that continues after a call. */
  readonly base: Engine;
  /** Whether all calls share one context. */
  readonly #isShared: boolean;
  #context: Context | null = null;
  #isClosed = false;

  private constructor(options: OpenOptions, shared: Engine | null, keepsStores: boolean) {
    this.options = options;
    this.ports = options.ports;
    this.actor = options.actor === undefined ? USER : canonicalActor(options.actor);
    this.events = shared?.events ?? new EventStream();
    this.background = shared?.background ?? new BackgroundTasks(options.ports.clock, this.events);
    this.settings = shared?.settings ?? new SettingsReader(options.ports, options, this.events);
    this.cache = shared === null ? cacheOf(options) : cacheWithin(shared);
    this.knownHome = shared?.knownHome ?? new KnownHome();
    this.listings = shared?.listings ?? new TreeListings();
    this.lastGraph = shared?.lastGraph ?? new LastGraph();
    this.keepsStores = keepsStores;
    this.base = shared?.base ?? this;
    this.#isShared = shared !== null;
  }

  static open(options: OpenOptions): Engine {
    return new Engine(options, null, options.watch !== undefined && options.watch !== false);
  }

  /**
   * Runs several calls with one context and with the store open. Changes to the store by other processes are seen. A
   * moved workspace or changed settings are not.
   */
  async once<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
    if (this.#isShared) return work(this);
    const engine = new Engine(this.options, this, true);
    try {
      return await work(engine);
    } finally {
      if (!this.keepsStores) engine.cache.close();
    }
  }

  /** Must not be called during a call. Background tasks that have begun still end. */
  close(): void {
    this.#isClosed = true;
    if (typeof this.options.watch !== 'object') this.cache.close();
  }

  /** @throws SavepointError USAGE after `close` */
  assertOpen(): void {
    if (!this.base.#isClosed) return;
    throw new SavepointError('USAGE', 'This workspace was closed with `close()`.', {}, { hint: 'Open it again.' });
  }

  context(): Context {
    if (!this.#isShared) return this.#newContext();
    this.#context ??= this.#newContext();
    return this.#context;
  }

  pace(options: CallOptions): Pace {
    const tell = (progress: Progress): void => this.events.emit('progress', progress);
    return new Pace(this.ports.clock, options.signal ?? null, tell);
  }

  get wait(): LockOptions {
    return {
      waitMs: this.options.waitMs ?? WAIT_MS,
      onWait: (holder) => this.events.emit('waiting', holder),
    };
  }

  resolve({ timeline }: Workspace, name: string): Checkpoint {
    return resolveCheckpoint(timeline, name, this.ports.clock.now());
  }

  /** Converts all errors to SavepointError. */
  async mapErrors<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw asSavepointError(error);
    }
  }

  /**
   * Runs without the lock.
   * @param ifNone `warn` for calls whose verbs show a folder without a store like one without checkpoints
   * @throws SavepointError NO_WORKSPACE
   */
  async read<T>(
    work: (workspace: Workspace, context: Context, found: FoundRecord) => T | Promise<T>,
    ifNone: 'fail' | 'warn' = 'fail',
  ): Promise<T> {
    return this.mapErrors(async () => {
      const context = this.context();
      const found = context.find();
      if (found === null) {
        if (ifNone === 'warn') this.#warnOfUnusable(context);
        throw context.noWorkspace();
      }
      const workspace = openWorkspace(context, found);
      try {
        return await work(workspace, context, found);
      } finally {
        context.releaseStore(workspace.store);
      }
    });
  }

  /** Runs under the lock. Creates the workspace unless it must exist. */
  async write<T>(options: CallOptions, scope: LockScope, work: (writing: WriteContext) => Promise<T>): Promise<T> {
    return this.mapErrors(async () => {
      const context = this.context();
      const pace = this.pace(options);
      if (scope === 'existing' && context.find() === null) throw context.noWorkspace();
      const isNew = context.find() === null;
      const workspace = await ensureWorkspace(context, pace, this.wait);
      if (isNew) this.#warnOfUnusable(context);
      const { store } = workspace;
      const lock =
        scope === 'alone'
          ? await lockAlone(workspace, pace, this.wait)
          : await lockOverlapping(context, workspace, pace, this.wait);
      try {
        if (!lock.wasLastHolder) {
          syncRecord(this.ports, store.layout.path);
          store.refs.collectDebris();
          store.objects.collectDebris();
        }
        return await work({ context, workspace, lock, pace });
      } catch (error) {
        store.lastWriterMark.invalidate();
        throw error;
      } finally {
        lock.release();
        context.releaseStore(store);
      }
    });
  }

  /** For operations. Throws PENDING if a transaction needs a decision, in this workspace or in one that overlaps it. */
  async operate<T>(
    options: CallOptions,
    work: (operating: WriteOperationContext) => Promise<T>,
    scope: LockScope = 'existing',
  ): Promise<T> {
    return this.write(options, scope, async (writing) => {
      const { waiting } = await recoverOverlapping(this.events, writing, null);
      return work({ ...writing, waiting });
    });
  }

  /** The folder has no store, or got a new one. Its old one may be among those that cannot be used. */
  #warnOfUnusable({ unusable }: Context): void {
    for (const { error } of unusable) {
      const hint = 'If that store belongs to this folder, its checkpoints are not lost: see `savepoint repair`.';
      this.events.emit('warning', { message: `${error.message} ${hint}` });
    }
  }

  #newContext(): Context {
    const { ports, places, dir, here = false, allowHome = false, ownEntries = null } = this.options;
    const { settings, cache, knownHome, keepsStores } = this;
    return new Context({ ports, places, dir, here, allowHome, settings, cache, knownHome, keepsStores, ownEntries });
  }
}

function cacheOf({ watch }: OpenOptions): WorkspaceCache {
  return typeof watch === 'object' ? watch : new WorkspaceCache({ watch: watch ?? false });
}

/** Other calls may be running, and close their own stores. */
function cacheWithin({ keepsStores, cache }: Engine): WorkspaceCache {
  return keepsStores ? cache : new WorkspaceCache({ watch: false, records: cache.records });
}
