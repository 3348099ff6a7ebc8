/**
 * Three actors work on the same files, and users go back in every possible way. Each change writes its own line, so the
 * bytes on disk show which changes are in effect. Everything that Savepoint reports is compared with that.
 */

import {
  type ChangeId,
  type Checkpoint,
  type DiskPath,
  type HistoryEntry,
  type Savepoint,
  SavepointError,
  type TreePath,
} from '@savepoint/core';
import { fixedClock, type SeededRandom, SimDisk } from '@savepoint/testkit';
import { engine, ROOT } from '../../../../../tests/simulated.ts';

type AgentSession = ReturnType<Savepoint['session']>;

/** The line of one change, or of one of its hunks. */
interface Marker {
  readonly text: string;
  readonly change: ChangeId;
  /** From 1, in the order of the file. */
  readonly hunk: number;
}

/** A change that was written and is in no checkpoint yet. */
interface Pending {
  readonly path: TreePath;
  readonly texts: readonly string[];
  /** Lines that were removed together with a file. */
  readonly removed: readonly string[];
  /** Whether the current call or edit wrote it; otherwise it already existed. */
  readonly isOwn: boolean;
}

const PLACES = ['a', 'b', 'c', 'd/e', 'd/f', 'g'] as readonly string[] as readonly TreePath[];
const BASE_LINES = 24;
/** Errors that may prevent going back. Then nothing happens. */
const REFUSALS: ReadonlySet<string> = new Set([
  'CONFLICT',
  'PATH_REFUSED',
  'NOTHING_TO_UNDO',
  'NOTHING_TO_REDO',
  'UNKNOWN_AGENT',
  'UNKNOWN_CALL',
  'UNKNOWN_CHANGE',
  'UNKNOWN_SESSION',
  'NO_MESSAGE',
]);

/** Why a path is skipped if the rollback finds nothing to revert in it. */
const NO_EFFECT = /already in that state|deleted since|it was moved since/;

export interface GameOptions {
  /** Whether checkpoints may be dropped. */
  readonly drops: boolean;
  /** Whether the folder is a repository, and git checks out other commits. */
  readonly checkouts: boolean;
  /** Further comparisons, after each turn. Default: none. */
  readonly judge?: (game: ActivityGame) => Promise<void>;
}

export class ActivityGame {
  readonly log: string[] = [];
  readonly done = new Map<string, number>();
  operations = 0;
  readonly #disk = new SimDisk();
  readonly #savepoint: Savepoint;
  readonly #sessions: AgentSession[] = [];
  readonly #wentBack = new Set<string>();
  /** The checkpoint's number that each restore had as its target. */
  readonly #targets = new Map<string, number>();
  #sessionCount = 0;
  readonly #prompts: { readonly session: AgentSession; readonly message: string }[] = [];
  readonly #markers = new Map<ChangeId, Marker[]>();
  /** Lines that a deletion removed. */
  readonly #removed = new Map<ChangeId, readonly string[]>();
  readonly #pending: Pending[] = [];
  /** What each commit contains. */
  readonly #commits: ReadonlyMap<TreePath, readonly string[]>[] = [];
  #count = 0;
  #newest = 0;
  #newestDropped = 0;
  #newestCheckout = 0;
  /** Operations in effect and undone, computed by a simple pass from the oldest. */
  #undoable: string[] = [];
  #redoable: string[] = [];

  constructor(
    private readonly random: SeededRandom,
    private readonly options: GameOptions,
  ) {
    this.#disk.makeFolder(ROOT, 0o755);
    if (options.checkouts) {
      for (const folder of ['.git', '.git/objects', '.git/refs'])
        this.#disk.makeFolder(this.#at(folder as TreePath), 0o755);
      this.#writeFile('.git/HEAD' as TreePath, 'ref: refs/heads/main\n');
    }
    const clock = { ...fixedClock(), now: () => this.#disk.now };
    this.#savepoint = engine(this.#disk, 100, { clock });
    for (const name of ['one', 'two']) this.#sessions.push(this.#session(name));
  }

  #session(agent: string): AgentSession {
    return this.#savepoint.session({ agent, id: `s-${agent}-${++this.#sessionCount}` });
  }

  async play(operations: number): Promise<void> {
    for (const path of PLACES.slice(0, 4)) this.#create(path, false);
    await this.#savepoint.checkpoint();
    await this.#record();
    while (this.operations < operations) {
      await this.#turn();
      this.#disk.now += 1_000;
      await this.#record();
      await this.#judge();
      await this.options.judge?.(this);
    }
  }

  get savepoint(): Savepoint {
    return this.#savepoint;
  }

  /** Returns the lines of each file that exists. */
  files(): ReadonlyMap<TreePath, readonly string[]> {
    return new Map(PLACES.filter((path) => this.#isThere(path)).map((path) => [path, this.#read(path)]));
  }

  /** Returns the change that wrote each line of a change. */
  writers(): ReadonlyMap<string, ChangeId> {
    return new Map([...this.#markers.values()].flat().map(({ text, change }) => [text, change]));
  }

  async #turn(): Promise<void> {
    const actions: readonly (readonly [number, string, () => Promise<void>])[] = [
      [30, 'call', () => this.#call()],
      [10, 'outside', async () => this.#work(false)],
      [4, 'checkpoint', async () => void (await this.#savepoint.checkpoint())],
      [6, 'edit', () => this.#edit()],
      [14, 'rollback', () => this.#rollback()],
      [14, 'restore', () => this.#restore()],
      [10, 'undo', () => this.#invert('undo')],
      [7, 'redo', () => this.#invert('redo')],
      [3, 'freeze', () => this.#freeze()],
      [4, 'prompt', () => this.#prompt()],
      [3, 'back to a message', () => this.#backToMessage()],
      [this.options.checkouts ? 14 : 0, 'check out', () => this.#checkOut()],
      [this.options.drops ? 2 : 0, 'forget', () => this.#forget()],
      [this.options.drops ? 2 : 0, 'clean up', () => this.#cleanUp()],
    ];
    let roll = this.random.integer(actions.reduce((sum, [weight]) => sum + weight, 0));
    const chosen = actions.find(([weight]) => {
      roll -= weight;
      return roll < 0;
    });
    const [, name, run] = chosen ?? [0, '', async () => undefined];
    this.log.push(name);
    try {
      await run();
      this.operations += 1;
      this.done.set(name, (this.done.get(name) ?? 0) + 1);
    } catch (error) {
      if (!(error instanceof SavepointError) || !REFUSALS.has(error.code)) throw error;
      this.log.push(`  refused: ${error.code} ${error.message}`);
    }
  }

  #tell(text: string): void {
    this.log.push(`  ${text}`);
  }

  // What actors do to files.

  /** Makes some changes, to files without pending changes. */
  #work(isOwn: boolean, frozen: TreePath | null = null): void {
    for (let turns = 1 + this.random.integer(3); turns > 0; turns--) {
      const free = PLACES.filter((path) => !this.#pending.some((one) => one.path === path));
      const files = free.filter((path) => this.#isThere(path));
      const room = free.filter((path) => !this.#isThere(path));
      // If a call moves a file to a frozen path, only that path is reverted. The file is gone, as if deleted.
      const places = room.filter((path) => path !== frozen);
      const roll = this.random.next();
      this.operations += 1;
      if (room.length > 0 && (files.length === 0 || roll < 0.1)) this.#create(this.random.pick(room), isOwn);
      else if (files.length === 0) return;
      else if (roll < 0.16) this.#delete(this.random.pick(files), isOwn);
      else if (roll < 0.26 && places.length > 0) this.#move(this.random.pick(files), this.random.pick(places), isOwn);
      else this.#insert(this.random.pick(files), isOwn);
    }
  }

  #marker(): string {
    return `m${++this.#count}`;
  }

  #create(path: TreePath, isOwn: boolean): void {
    const text = this.#marker();
    const lines = Array.from({ length: BASE_LINES }, (_, at) => `${text} base ${at}`);
    this.#write(path, [text, ...lines]);
    this.#note({ path, texts: [text], removed: [], isOwn }, `creates ${path}`);
  }

  #insert(path: TreePath, isOwn: boolean): void {
    const { lines, texts } = this.#inserted(path);
    this.#write(path, lines);
    this.#note({ path, texts, removed: [], isOwn }, `writes ${path}`);
  }

  /** Inserts one line, or two that are far enough apart to be two hunks. */
  #inserted(path: TreePath): { readonly lines: readonly string[]; readonly texts: readonly string[] } {
    const lines = [...this.#read(path)];
    const half = Math.floor(lines.length / 2);
    const first = 1 + this.random.integer(half - 6);
    const second = half + 2 + this.random.integer(half - 6);
    const places = this.random.next() < 0.4 ? [first, second] : [this.random.pick([first, second])];
    const texts = places.map(() => this.#marker());
    for (const [index, at] of [...places.entries()].reverse()) lines.splice(at, 0, texts[index] as string);
    return { lines, texts };
  }

  #delete(path: TreePath, isOwn: boolean): void {
    const removed = this.#read(path).filter((line) => /^m\d+$/.test(line));
    this.#disk.unlink(this.#at(path));
    this.#note({ path, texts: [], removed, isOwn }, `deletes ${path}`);
  }

  #move(from: TreePath, to: TreePath, isOwn: boolean): void {
    const { lines, texts } = this.#inserted(from);
    this.#disk.unlink(this.#at(from));
    this.#write(to, lines);
    this.#note({ path: to, texts, removed: [], isOwn }, `moves ${from} to ${to}`);
    // Nothing else may happen at the old path before the next scan.
    this.#pending.push({ path: from, texts: [], removed: [], isOwn });
  }

  #note(pending: Pending, what: string): void {
    this.#pending.push(pending);
    this.#tell(`${pending.isOwn ? '' : 'outside '}${what} ${pending.texts.join(' ')}`);
  }

  // What Savepoint is asked to do.

  async #call(frozen: TreePath | null = null): Promise<void> {
    const session = this.random.pick(this.#sessions);
    const request = { tool: 'Bash', kind: 'shell', summary: session.id } as const;
    await session.call(request, () => this.#work(true, frozen));
  }

  async #edit(): Promise<void> {
    const files = PLACES.filter((path) => this.#isThere(path) && !this.#pending.some((one) => one.path === path));
    const chosen = this.random.sample(files, 1 + this.random.integer(2));
    if (chosen.length === 0) return;
    const requests = chosen.map((path) => {
      const { lines, texts } = this.#inserted(path);
      this.#note({ path, texts, removed: [], isOwn: true }, `edits ${path}`);
      const edits = [{ op: 'write', content: `${lines.join('\n')}\n`, exact: false }] as const;
      return { given: path, path, edits, expectedHash: null, force: false };
    });
    await this.#savepoint.edit(requests);
  }

  async #rollback(): Promise<void> {
    const { entries } = await this.#savepoint.history({ limit: 60 });
    const change = entries.length === 0 ? undefined : this.random.pick(entries).change.id;
    const hunk = 1 + this.random.integer(2);
    const split = [...this.#markers].filter(([, markers]) => markers.length > 1).map(([id]) => id);
    // A restore by the session and what it restored cannot both be rolled back: the one contains the other.
    const session = this.random.pick(this.#sessions).id;
    const kinds = [
      change === undefined ? {} : { changes: [change] },
      { agent: this.random.pick(['one', 'two']) },
      this.#wentBack.has(session) ? {} : { session },
      { files: [this.random.pick(PLACES)] },
      { after: { checkpoint: Math.max(1, this.#newest - this.random.integer(8)) } },
      split.length === 0 ? {} : { hunks: [{ change: this.random.pick(split.slice(-10)), hunk }] },
    ];
    const selection = this.random.pick(kinds);
    const skipConflicts = this.random.next() < 0.5;
    this.#tell(`${JSON.stringify(selection)}${skipConflicts ? ' skipping conflicts' : ''}`);
    await this.#savepoint.rollback(selection, { skipConflicts });
  }

  async #restore(): Promise<void> {
    const target = await this.#someCheckpoint();
    const mode = this.random.pick(['exact', 'exact', 'keep-outside'] as const);
    const paths = this.random.next() < 0.5 ? [] : this.random.sample(PLACES, 1 + this.random.integer(3));
    this.#tell(`${target} ${mode} ${paths.join(' ')}`);
    await this.#savepoint.restore(target, { mode, ...(paths.length > 0 && { paths }) });
  }

  /** If git checked out something else since, what an operation did may be on disk again only in part. */
  async #invert(how: 'undo' | 'redo'): Promise<void> {
    const operation = (await this.#savepoint.status())[how];
    if (operation !== null && Number(operation.id.slice(3)) <= this.#newestCheckout) return;
    await this.#savepoint[how]();
  }

  async #freeze(): Promise<void> {
    const frozen = this.random.pick(PLACES);
    await this.#savepoint.freeze([frozen]);
    this.#tell(`freezes ${frozen}`);
    try {
      await this.#call(frozen);
    } finally {
      await this.#savepoint.unfreeze([frozen]);
    }
  }

  async #prompt(): Promise<void> {
    const session = this.random.pick(this.#sessions);
    const message = `message-${this.operations}`;
    await session.prompt('Go on.', message);
    this.#prompts.push({ session, message });
  }

  async #backToMessage(): Promise<void> {
    const known = this.#prompts.filter(({ session }) => this.#sessions.includes(session));
    if (known.length === 0) return;
    const { session, message } = this.random.pick(known);
    const mode = this.random.pick(['exact', 'keep-outside'] as const);
    this.#tell(`${session.id} ${message} ${mode}`);
    this.#wentBack.add(session.id);
    await session.rollbackTo(message, { mode, before: this.random.next() < 0.5, what: 'files' });
  }

  /** Commits what is there, and checks out another commit. Git finds the folder as a checkpoint recorded it. */
  async #checkOut(): Promise<void> {
    this.#setHead(this.#commits.push(this.files()) - 1);
    await this.#savepoint.checkpoint();
    await this.#record();
    const commit = this.random.integer(this.#commits.length);
    const tree = this.#commits[commit] ?? new Map<TreePath, readonly string[]>();
    this.#setHead(commit);
    for (const path of PLACES) {
      const lines = tree.get(path);
      if (lines !== undefined) {
        if (!this.#isThere(path) || this.#read(path).join() !== lines.join()) this.#write(path, lines);
      } else if (this.#isThere(path)) this.#disk.unlink(this.#at(path));
    }
    this.#tell(`commit ${commit} of ${this.#commits.length}`);
    try {
      // An operation can be the first to see it.
      if (this.random.next() < 0.3) await this.#rollback();
    } finally {
      await this.#savepoint.checkpoint();
    }
    this.#newestCheckout = Number((await this.#savepoint.show('last')).id.slice(3));
  }

  #setHead(commit: number): void {
    this.#writeFile('.git/HEAD' as TreePath, `${(commit + 1).toString(16).padStart(40, '0')}\n`);
  }

  async #forget(): Promise<void> {
    const at = this.random.integer(this.#sessions.length);
    const session = this.#sessions[at] as AgentSession;
    const { sessions } = await this.#savepoint.sessions();
    if (!sessions.some(({ id }) => id === session.id)) return;
    this.#sessions[at] = this.#session(session.actor.name);
    const { dropped } = await this.#savepoint.forgetSession(session.id);
    this.#tell(`${session.id}: ${dropped.join(' ')}`);
    this.#dropped(dropped);
    const left = (await this.#savepoint.sessions()).sessions;
    if (left.some(({ id }) => id === session.id)) throw new Error(`${session.id} is still listed`);
  }

  async #cleanUp(): Promise<void> {
    const most = 3 + this.random.integer(20);
    const { dropped } = await this.#savepoint.gc({ retention: { maxCheckpoints: most, keepAtLeast: 2 } });
    this.#tell(`keeps ${most}: drops ${dropped.join(' ')}`);
    this.#dropped(dropped);
  }

  #dropped(ids: readonly string[]): void {
    this.#newestDropped = Math.max(this.#newestDropped, ...ids.map((id) => Number(id.slice(3))));
  }

  async #someCheckpoint(): Promise<string> {
    const { checkpoints } = await this.#savepoint.list({ limit: 15 });
    return this.random.pick(checkpoints).id;
  }

  // Recording the results.

  /** Determines the change that each new line belongs to, and which operations were added. */
  async #record(): Promise<void> {
    const { checkpoints } = await this.#savepoint.list({ limit: 4 });
    for (const checkpoint of [...checkpoints].reverse()) {
      if (checkpoint.number <= this.#newest) continue;
      this.#newest = checkpoint.number;
      this.#stack(checkpoint);
      if (checkpoint.target !== null) this.#targets.set(checkpoint.id, Number(checkpoint.target.slice(3)));
      this.#assign(checkpoint);
    }
  }

  #assign({ id, trigger, changes, rolledBack }: Checkpoint): void {
    const reported = (changes ?? []).map((change) => `${change.id} ${change.operation} ${change.path}`);
    this.#tell(`${id} ${trigger}: ${reported.join(', ')}${rolledBack.length > 0 ? ` of ${rolledBack.join(' ')}` : ''}`);
    if (['restore', 'rollback', 'undo', 'redo', 'freeze'].includes(trigger)) return;
    const isOwn = trigger === 'call' || trigger === 'edit';
    const due = this.#pending.filter((one) => one.isOwn === isOwn);
    for (const one of due) {
      this.#pending.splice(this.#pending.indexOf(one), 1);
      // Of two files with the same lines, either may be reported as the moved one.
      const change = changes?.find(
        ({ path, from }) => path === one.path || (one.removed.length > 0 && from === one.path),
      );
      if (change === undefined) continue;
      const markers = one.texts.map((text, index) => ({ text, change: change.id, hunk: index + 1 }));
      if (markers.length > 0) this.#markers.set(change.id, markers);
      if (one.removed.length > 0) this.#removed.set(change.id, one.removed);
    }
  }

  #stack({ id, trigger, undoes }: Checkpoint): void {
    const without = (stack: readonly string[]): string[] => stack.filter((one) => one !== undoes);
    if (trigger === 'undo') {
      this.#undoable = without(this.#undoable);
      this.#redoable.push(id);
    } else if (trigger === 'redo') {
      this.#redoable = without(this.#redoable);
      this.#undoable.push(id);
    } else if (['restore', 'rollback', 'edit'].includes(trigger)) {
      this.#undoable.push(id);
      this.#redoable = [];
    }
  }

  // Comparing the bytes with what Savepoint reports.

  async #judge(): Promise<void> {
    const { entries } = await this.#savepoint.history({ limit: 1_000 });
    const onDisk = new Set(PLACES.flatMap((path) => (this.#isThere(path) ? this.#read(path) : [])));
    const gone = new Set([
      ...this.#pending.flatMap(({ removed }) => removed),
      ...[...this.#removed].flatMap(([id, removed]) => (entries.some(({ change }) => change.id === id) ? [] : removed)),
      ...entries.flatMap(({ change, takenBack }) => (takenBack === null ? (this.#removed.get(change.id) ?? []) : [])),
    ]);
    for (const { change, checkpoint, takenBack } of entries) {
      const markers = this.#markers.get(change.id) ?? [];
      // What happened in dropped checkpoints is not known.
      if (markers.length === 0 || checkpoint.number < this.#newestDropped) continue;
      const isThere = markers.some(({ text }) => onDisk.has(text));
      const reported = `${change.id} (${markers.map(({ text }) => text).join(' ')} in ${change.path})`;
      // Which work from outside a restore kept is determined from its target.
      const target = this.#targets.get(takenBack ?? '') ?? Number.POSITIVE_INFINITY;
      if (isThere && checkpoint.trigger === 'before' && target <= this.#newestDropped) continue;
      if (isThere && takenBack !== null) throw new Error(`${reported} is on disk, and said to be back by ${takenBack}`);
      if (isThere || takenBack !== null || markers.some(({ text }) => gone.has(text))) continue;
      throw new Error(`${reported} is not on disk, and said to be in effect`);
    }
    // The other views are more expensive, and are wrong in the same cases.
    if (this.random.next() < 0.3) await this.#judgeStats(entries);
    if (this.random.next() < 0.12) await this.#judgeRollback(entries, onDisk);
    if (this.random.next() < 0.04) await this.#judgeExport(entries);
    if (!this.options.drops && this.random.next() < 0.25) await this.#judgeStack();
  }

  async #judgeStats(entries: readonly HistoryEntry[]): Promise<void> {
    const { changes, steps } = await this.#savepoint.stats();
    const own = entries.filter(({ change, checkpoint: { trigger } }) => {
      if (['restore', 'rollback', 'undo', 'redo', 'freeze'].includes(trigger)) return false;
      return trigger === 'edit' || change.by.authors.some(({ call }) => call !== null);
    });
    const inEffect = own.filter(({ takenBack }) => takenBack === null);
    if (changes.all !== own.length || changes.standing !== inEffect.length) {
      throw new Error(`stats: ${JSON.stringify(changes)}, history: ${inEffect.length} of ${own.length}`);
    }
    const isAnyBack = own.some(({ takenBack, takenBackHunks }) => takenBack !== null || takenBackHunks.length > 0);
    if (steps.takenBack > 0 !== isAnyBack) throw new Error(`steps: ${JSON.stringify(steps)}`);
  }

  async #judgeRollback(entries: readonly HistoryEntry[], onDisk: ReadonlySet<string>): Promise<void> {
    const agent = this.random.pick(['one', 'two']);
    if (!entries.some(({ change }) => change.by.authors.some(({ actor }) => actor.name === agent))) return;
    const { details } = await this.#savepoint.previewRollback({ agent }, { least: 'open' });
    const chosen = new Set(details.chosen.map(({ change }) => change.id));
    const reasons = new Map(details.skipped.map(({ change, why }) => [change.id, why]));
    for (const { change, checkpoint, takenBack } of entries) {
      if (!change.by.authors.some(({ actor }) => actor.name === agent)) continue;
      const why = reasons.get(change.id);
      if (
        takenBack === null ? /already reverted/.test(why ?? '') : !why?.includes(`already reverted by ${takenBack} `)
      ) {
        throw new Error(`rollback says ${why ?? 'yes'} of ${change.id}, history ${takenBack}`);
      }
      if (takenBack !== null || checkpoint.trigger !== 'call' || chosen.has(change.id)) continue;
      if (!/state before it is no longer/.test(why ?? '')) throw new Error(`${change.id} is left out: ${why}`);
    }
    const reverting = new Set(
      details.results.flatMap(({ result, why, changes }) =>
        result === 'skipped' && NO_EFFECT.test(why ?? '') ? [] : changes,
      ),
    );
    for (const { change, checkpoint } of entries) {
      if (!chosen.has(change.id)) continue;
      // Its lines would stay on disk, although the rollback says that there is nothing to revert.
      const left = (this.#markers.get(change.id) ?? []).filter(({ text }) => onDisk.has(text));
      if (left.length === 0 || reverting.has(change.id) || checkpoint.number < this.#newestDropped) continue;
      throw new Error(`the rollback of ${change.id} has no effect on ${left[0]?.text}, which is on disk`);
    }
    const split = [...this.#markers.values()].filter(
      ([first, second]) =>
        second !== undefined &&
        entries.some(
          ({ change, checkpoint: { number } }) => number > this.#newestDropped && change.id === first?.change,
        ),
    );
    for (const { change, hunk, text } of split.length === 0 ? [] : this.random.pick(split)) {
      const removals = [...this.#removed.values(), ...this.#pending.map(({ removed }) => removed)];
      if (removals.some((removed) => removed.includes(text))) continue;
      const seen = await this.#savepoint.previewRollback({ hunks: [{ change, hunk }] }, { least: 'open' });
      const isBack = seen.details.skipped.some(({ why }) => /already reverted/.test(why));
      if (isBack === onDisk.has(text)) throw new Error(`hunk ${hunk} of ${change} (${text}): back ${isBack}`);
    }
  }

  async #judgeExport(entries: readonly HistoryEntry[]): Promise<void> {
    const { id } = this.random.pick(this.#sessions);
    const of = entries.filter(({ change }) => change.by.authors.some(({ session }) => session === id));
    if (of.length === 0) return;
    const folder = `/export-${++this.#count}` as DiskPath;
    await this.#savepoint.exportSession(id, folder);
    for (const { change, takenBack } of of) {
      const file = this.#bytes(`${folder}/snapshots/${change.id}.json` as DiskPath);
      const reported = JSON.parse(file.toString()).savepoint.takenBack;
      if (reported !== takenBack) throw new Error(`export says ${reported} of ${change.id}, history ${takenBack}`);
    }
  }

  async #judgeStack(): Promise<void> {
    const { undo, redo } = await this.#savepoint.status();
    const expected = [this.#undoable.at(-1), this.#redoable.at(-1)];
    if (undo?.id !== expected[0]) throw new Error(`undo would take back ${undo?.id}, not ${expected[0]}`);
    if (redo?.id !== expected[1]) throw new Error(`redo would take back ${redo?.id}, not ${expected[1]}`);
  }

  // Access to the disk without code of the engine.

  #at(path: TreePath): DiskPath {
    return `${ROOT}/${path}` as DiskPath;
  }

  #isThere(path: TreePath): boolean {
    return this.#disk.lstat(this.#at(path)) !== null;
  }

  #read(path: TreePath): readonly string[] {
    return this.#bytes(this.#at(path)).toString('latin1').split('\n').slice(0, -1);
  }

  #bytes(path: DiskPath): Buffer {
    const size = this.#disk.lstat(path)?.size ?? 0;
    const file = this.#disk.openRead(path);
    const bytes = Buffer.alloc(size);
    this.#disk.read(file, bytes, 0, size, 0);
    this.#disk.close(file);
    return bytes;
  }

  #write(path: TreePath, lines: readonly string[]): void {
    const folder = path.includes('/') ? this.#at(path.slice(0, path.indexOf('/')) as TreePath) : null;
    if (folder !== null && this.#disk.lstat(folder) === null) this.#disk.makeFolder(folder, 0o755);
    this.#writeFile(path, lines.map((line) => `${line}\n`).join(''));
  }

  #writeFile(path: TreePath, text: string): void {
    if (this.#isThere(path)) this.#disk.unlink(this.#at(path));
    const file = this.#disk.openNew(this.#at(path), 0o644);
    this.#disk.write(file, Buffer.from(text, 'latin1'), 0);
    this.#disk.close(file);
  }
}
