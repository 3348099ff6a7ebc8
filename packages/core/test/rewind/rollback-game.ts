/**
 * Three actors write to the same files in memory, in turns and at the same time. Now and then the work of one is rolled
 * back. Every line ever written is unique and records its author, who removed it, and its file.
 */

import type { Actor, Author, Checkpoint, RecordedChange, TreePath, Trigger } from '@savepoint/core';
import type { Change } from '@savepoint/core/ports';
import type { SeededRandom } from '@savepoint/testkit';
import { Pace } from '../../src/io/pace.ts';
import { type Entry, type Snapshot, sameEntry } from '../../src/model/entries.ts';
import { changeId, checkpointId, EMPTY_TREE, type ObjectId } from '../../src/model/ids.ts';
import { parseSessionId } from '../../src/model/parse-ids.ts';
import { inverseChanges } from '../../src/rewind/inverse-changes.ts';
import { type RollbackChangeSet, rollbackChanges } from '../../src/rewind/rollback-changes.ts';
import { selectChanges } from '../../src/rewind/selection.ts';
import type { ObjectReader } from '../../src/store/objects/object-reader.ts';
import { OwnPaths } from '../../src/store/own-paths.ts';
import { editSnapshot } from '../../src/store/snapshot/edit-snapshot.ts';
import { OverlayBatch } from '../../src/store/snapshot/overlay.ts';
import { readBlob } from '../../src/store/snapshot/snapshot.ts';
import { listChanges } from '../../src/timeline/diff/changes.ts';

export type Who = 'one' | 'two' | 'outside';

interface Line {
  readonly text: string;
  readonly by: Who;
  /** Who removed it, while it is removed; `back`: a rollback of its own author. */
  out: Who | 'back' | null;
  /** Another actor had removed it when its author was rolled back. If that removal is rolled back, the line returns. */
  isLoose: boolean;
  file: File;
}

interface File {
  readonly madeBy: Who;
  /** Its current path, or its last one. */
  path: TreePath;
  goneBy: Who | 'back' | null;
  isPlaceKnown: boolean;
  readonly moves: { readonly by: Who; readonly from: TreePath; readonly to: TreePath }[];
}

const NO_OBJECTS: ObjectReader = {
  has: () => false,
  info: () => null,
  read: (id) => {
    throw new Error(`${id} is not there`);
  },
  copyBlob: async () => undefined,
};

const PLACES = ['a', 'b', 'd/c', 'd/e', 'f', 'g/h/i', 'j', 'k'] as readonly string[] as readonly TreePath[];
const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
const pace = (): Pace => new Pace(clock as never, null, () => undefined);

export class Game {
  readonly log: string[] = [];
  readonly objects = new OverlayBatch(NO_OBJECTS);
  readonly #lines = new Map<string, Line>();
  #files = new Map<TreePath, { readonly file: File; texts: string[] }>();
  readonly #gone: { readonly file: File; texts: string[] }[] = [];
  readonly #versions: (readonly string[])[] = [];
  readonly checkpoints: Checkpoint[] = [];
  #count = 0;
  #dirty = new Map<TreePath, Who>();
  operations = 0;
  rollbacks = { clean: 0, conflicts: 0, nothing: 0, undone: 0 };

  constructor(private readonly random: SeededRandom) {
    for (const path of PLACES.slice(0, 4)) this.#make('outside', path);
  }

  async play(operations: number): Promise<void> {
    await this.#capture('manual');
    while (this.operations < operations) {
      const turns = 1 + this.random.integer(3);
      const who = this.random.pick(['one', 'two', 'outside'] as const);
      // Two agents at the same time, each in different files: their calls identify them.
      const other: Who = who === 'one' ? 'two' : 'one';
      for (let turn = 0; turn < turns; turn++)
        this.#change(turn > 0 && who !== 'outside' && this.random.next() < 0.3 ? other : who);
      await this.#capture('call');
      if (this.random.next() < 0.12) await this.#rollBack(this.random.pick(['one', 'two', 'one'] as const));
    }
  }

  /** Makes one change to a file that no other actor touched since the last capture. */
  #change(who: Who): void {
    const free = [...this.#files.keys()].filter((path) => (this.#dirty.get(path) ?? who) === who);
    const roll = this.random.next();
    this.operations++;
    if (free.length === 0 || roll < 0.04) {
      const room = this.#room(who);
      if (room.length > 0) this.#make(who, this.random.pick(room));
      return;
    }
    const path = this.random.pick(free);
    if (roll < 0.07) this.#remove(who, path);
    else if (roll < 0.13) this.#move(who, path);
    else this.#edit(who, path);
  }

  #edit(who: Who, path: TreePath): void {
    const held = this.#files.get(path) as { readonly file: File; texts: string[] };
    const at = this.random.integer(held.texts.length + 1);
    const take = this.random.next() < 0.5 && held.texts.length > 20 ? this.random.integer(3) : 0;
    const put = take > 0 && this.random.next() < 0.4 ? 0 : 1 + this.random.integer(2);
    const taken = held.texts.slice(at, at + take);
    for (const text of taken) this.#line(text).out = who;
    const lines = Array.from({ length: put }, () => this.#write(who, held.file));
    held.texts.splice(at, take, ...lines);
    this.#touch(who, path);
    this.log.push(`${who} in ${path}: at ${at} -${taken.join(',')} +${lines.join(',')}`);
  }

  #make(who: Who, path: TreePath): void {
    const file: File = { madeBy: who, path, goneBy: null, isPlaceKnown: true, moves: [] };
    this.#files.set(path, { file, texts: Array.from({ length: 30 }, () => this.#write(who, file)) });
    this.#touch(who, path);
    this.log.push(`${who} makes ${path}`);
  }

  #remove(who: Who, path: TreePath): void {
    const held = this.#files.get(path);
    if (held === undefined || this.#dirty.has(path)) return;
    held.file.goneBy = who;
    this.#gone.push(held);
    this.#files.delete(path);
    this.#touch(who, path);
    this.log.push(`${who} removes ${path}`);
  }

  /**
   * Moves a file, but only one that is unchanged since the last capture. Moves that are hard to detect are not tested
   * here.
   */
  #move(who: Who, path: TreePath): void {
    const room = this.#room(who);
    const held = this.#files.get(path);
    if (held === undefined || room.length === 0 || this.#dirty.has(path)) return;
    const to = this.random.pick(room);
    this.#files.delete(path);
    this.#files.set(to, held);
    held.file.moves.push({ by: who, from: path, to });
    held.file.path = to;
    this.#touch(who, path);
    this.#touch(who, to);
    this.log.push(`${who} moves ${path} to ${to}`);
  }

  /**
   * Paths for new files. Removing a file and creating another at the same path is a rewrite. If a file was moved away
   * and another is created there, the two cannot be distinguished once both are rolled back together. Such paths are
   * excluded.
   */
  #room(who: Who): readonly TreePath[] {
    const rewritten = new Set(this.#gone.filter(({ file }) => file.goneBy === who).map(({ file }) => file.path));
    for (const { file } of this.#files.values()) for (const { from } of file.moves) rewritten.add(from);
    return PLACES.filter((to) => !this.#files.has(to) && !this.#dirty.has(to) && !rewritten.has(to));
  }

  #touch(who: Who, path: TreePath): void {
    this.#dirty.set(path, who);
  }

  #write(by: Who, file: File): string {
    const text = `${by}${++this.#count}`;
    this.#lines.set(text, { text, by, out: null, isLoose: false, file });
    return text;
  }

  #line(text: string): Line {
    return this.#lines.get(text) as Line;
  }

  get #latest(): Checkpoint | undefined {
    return this.checkpoints.at(-1);
  }

  #snapshot(): Snapshot {
    const before = this.#latest?.snapshot ?? { files: EMPTY_TREE, side: EMPTY_TREE };
    const edits = [...this.#dirty.keys()].map((path) => ({ path, to: this.#entryOf(path), ignored: false }));
    return editSnapshot(this.objects, before, edits);
  }

  #entryOf(path: TreePath): Entry | null {
    const held = this.#files.get(path);
    if (held === undefined) return null;
    const content = held.texts.map((text) => `${text}\n`).join('');
    return { kind: 'file', mode: 0o644, id: this.objects.add('blob', Buffer.from(content)) };
  }

  async #capture(trigger: Trigger): Promise<void> {
    const authors = new Map(this.#dirty);
    await this.#publish(trigger, this.#snapshot(), (path) => authors.get(path) ?? 'outside', {});
  }

  async #publish(
    trigger: Trigger,
    snapshot: Snapshot,
    author: (path: TreePath) => Who,
    more: Partial<Checkpoint>,
  ): Promise<Checkpoint> {
    const previous = this.#latest;
    const number = this.checkpoints.length + 1;
    const { changes } = await listChanges(this.objects, previous?.snapshot ?? null, snapshot, pace(), {
      canBeSameFile: ({ from, to }) => author(from) === author(to),
    });
    const checkpoint = {
      id: checkpointId(number),
      number,
      previous: previous?.id ?? null,
      time: number,
      trigger,
      undoes: null,
      rolledBack: [],
      roots: [],
      changes: previous === undefined ? null : changes.map((change, index) => recorded(change, number, index, author)),
      snapshot,
      ...more,
    } as unknown as Checkpoint;
    this.checkpoints.push(checkpoint);
    for (const { texts } of this.#files.values()) this.#versions.push([...texts]);
    this.#dirty = new Map();
    return checkpoint;
  }

  async #rollBack(who: Who): Promise<void> {
    const before = this.#latest as Checkpoint;
    const selected = await selectChanges(this.objects, this.checkpoints, { session: who }, 'sure', pace());
    const today = { objects: this.objects, snapshot: before.snapshot, own: OwnPaths.NONE, entries: null };
    const plan = (skipConflicts: boolean): Promise<RollbackChangeSet> =>
      rollbackChanges({ current: today, ...selected, prefer: new Map(), skipConflicts, keep: () => null }, pace());
    const strict = await plan(false);
    const inConflict = strict.results.filter(({ result }) => result === 'conflict');
    if (inConflict.length > 0 !== strict.changeSet.conflicts.length > 0) throw new Error('conflicts are not listed');
    const { changeSet: done, results, rolledBack } = inConflict.length === 0 ? strict : await plan(true);
    if (done.conflicts.length > 0) throw new Error(`still in conflict: ${JSON.stringify(done.conflicts)}`);
    this.log.push(
      `roll back ${who}: ${rolledBack.join(' ')}; in conflict: ${inConflict.map(({ path }) => path).join(' ')}`,
    );
    this.rollbacks[inConflict.length > 0 ? 'conflicts' : done.paths.length > 0 ? 'clean' : 'nothing']++;
    const left = new Set(
      results
        .filter(({ result, why }) => result === 'conflict' || /belongs to a path that does not merge/.test(why ?? ''))
        .map(({ path }) => path),
    );
    const after = editSnapshot(this.objects, before.snapshot, done.paths);
    const found = this.#read(done.paths);
    this.#check(who, found, left);
    const back = await inverseChanges(
      {
        objects: this.objects,
        before: before.snapshot,
        after,
        now: after,
        own: OwnPaths.NONE,
        entries: null,
        isOneOperation: true,
        reasonToKeep: () => null,
        within: ['' as TreePath],
        except: [],
      },
      pace(),
    );
    const again = editSnapshot(this.objects, after, back.paths);
    if (again.files !== before.snapshot.files || again.side !== before.snapshot.side) throw new Error('undo differs');
    if (done.paths.length === 0) return;
    const published = await this.#publish('rollback', after, () => 'outside', { rolledBack });
    if (this.random.next() < 0.5) {
      this.rollbacks.undone++;
      await this.#publish('undo', before.snapshot, () => 'outside', { undoes: published.id });
      this.log.push('undone');
    } else this.#recordChanges(who, found, left);
  }

  /** Returns the files as they would be after the change set. */
  #read(paths: RollbackChangeSet['changeSet']['paths']): Map<TreePath, readonly string[]> {
    const found = new Map<TreePath, readonly string[]>([...this.#files].map(([path, { texts }]) => [path, texts]));
    for (const { path, from, to } of paths) {
      if (from?.kind === 'folder' || to?.kind === 'folder') continue;
      if (!sameEntry(from, this.#entryOf(path))) throw new Error(`${path} is not as the plan thinks`);
      if (to === null) found.delete(path);
      else
        found.set(
          path,
          readBlob(this.objects, to.id as ObjectId)
            .toString()
            .split('\n')
            .slice(0, -1),
        );
    }
    return found;
  }

  #check(who: Who, found: ReadonlyMap<TreePath, readonly string[]>, left: ReadonlySet<TreePath>): void {
    const where = new Map<string, TreePath>();
    for (const [path, texts] of found) {
      for (const text of texts) {
        if (where.has(text)) throw new Error(`${text} is there twice: ${where.get(text)} and ${path}`);
        where.set(text, path);
        if (this.#line(text).by === who && !this.#line(text).isLoose && !left.has(path))
          throw new Error(`${text} of ${who} is left in ${path}`);
      }
    }
    for (const path of left) {
      if (this.#files.get(path)?.texts.join() !== found.get(path)?.join())
        throw new Error(`${path} is in conflict and was changed`);
    }
    for (const line of this.#lines.values()) {
      const { file, by, out } = line;
      if (by === who || line.isLoose || left.has(file.path)) continue;
      const isOut = out !== null && out !== who;
      const fileIsGone = file.goneBy !== null && file.goneBy !== who;
      // A file that is removed because its creator is rolled back contains no lines of others; otherwise it would be a
      // conflict.
      const expected = !isOut && !fileIsGone;
      if (expected !== where.has(line.text)) {
        const { path, goneBy, madeBy } = file;
        const reported = `out by ${out}, in ${path} made by ${madeBy}, gone by ${goneBy}`;
        throw new Error(`${line.text} (${reported}) is ${expected ? 'lost' : 'there again'}`);
      }
    }
    for (const texts of found.values()) this.#checkOrder(texts);
    for (const { file } of this.#files.values()) {
      if (file.madeBy === who || left.has(file.path) || !file.isPlaceKnown) continue;
      let path = file.path;
      for (const move of [...file.moves].reverse()) {
        if (move.by !== who || move.to !== path) break;
        path = move.from;
      }
      if (!found.has(path)) throw new Error(`${file.path} should be at ${path}`);
    }
  }

  /** No operation swaps lines, so two lines have the same order in every version that contains both. */
  #checkOrder(texts: readonly string[]): void {
    const place = new Map(texts.map((text, index) => [text, index]));
    for (const version of this.#versions) {
      let last = -1;
      for (const text of version) {
        const at = place.get(text);
        if (at === undefined) continue;
        if (at < last) throw new Error(`${text} is out of order`);
        last = at;
      }
    }
  }

  /** Records the rollback: what it reverted can no longer be rolled back. */
  #recordChanges(who: Who, found: ReadonlyMap<TreePath, readonly string[]>, left: ReadonlySet<TreePath>): void {
    const was = new Set([...this.#files.values()].flatMap(({ texts }) => texts));
    const removed = new Set(this.#gone.filter(({ file }) => file.goneBy === who).map(({ file }) => file));
    const held = [...this.#files.values(), ...this.#gone.splice(0)];
    const files = new Map<TreePath, { readonly file: File; texts: string[] }>();
    for (const [path, texts] of found) {
      const known =
        texts[0] === undefined
          ? held.find(({ file }) => file.path === path)
          : held.find(({ file }) => file === this.#line(texts[0] as string).file);
      if (known === undefined) throw new Error(`whose file is ${path}?`);
      const { file } = known;
      if (!left.has(path)) {
        while (file.moves.at(-1)?.by === who) file.moves.pop();
        // A move that another actor's move followed is kept. Whether it is reverted depends on the other changes.
        if (file.moves.some(({ by }) => by === who)) file.isPlaceKnown = false;
        if (file.goneBy !== null) file.goneBy = null;
        for (const text of texts) this.#line(text).out = null;
      }
      file.path = path;
      files.set(path, { file, texts: [...texts] });
    }
    const isFiled = new Set([...files.values()].map(({ file }) => file));
    for (const one of held) {
      if (isFiled.has(one.file)) continue;
      if (one.file.goneBy === null) one.file.goneBy = 'back';
      this.#gone.push(one);
    }
    for (const line of this.#lines.values()) {
      if (left.has(line.file.path)) continue;
      // In a file that another actor removed, there was nothing to revert.
      const counts = was.has(line.text) || removed.has(line.file);
      if (line.by === who && line.out === null && counts) line.out = 'back';
      else if (line.by === who && line.out !== 'back') line.isLoose = true;
    }
    this.#files = files;
  }
}

function recorded(change: Change, number: number, index: number, author: (path: TreePath) => Who): RecordedChange {
  const who = author(change.path);
  const actor: Actor = who === 'outside' ? { kind: 'outside', name: who } : { kind: 'agent', name: who };
  const by: Author = { actor, session: who === 'outside' ? null : parseSessionId(who), call: null, tool: null };
  return { ...change, id: changeId(number, index + 1), by: { authors: [by], grade: 'sure', evidence: 'content' } };
}
