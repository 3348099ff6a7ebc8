import type { Actor, Author, Checkpoint, RecordedChange, TreePath } from '@savepoint/core';
import { type SeededRandom, seededRandom, testEffort } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { Pace } from '../../src/io/pace.ts';
import type { FileEntry, Snapshot } from '../../src/model/entries.ts';
import { changeId, checkpointId, EMPTY_TREE } from '../../src/model/ids.ts';
import { parseSessionId } from '../../src/model/parse-ids.ts';
import { rollbackChanges } from '../../src/rewind/rollback-changes.ts';
import { selectChanges } from '../../src/rewind/selection.ts';
import { OwnPaths } from '../../src/store/own-paths.ts';
import { editSnapshot, type SnapshotEdit } from '../../src/store/snapshot/edit-snapshot.ts';
import { OverlayBatch } from '../../src/store/snapshot/overlay.ts';
import { readBlob } from '../../src/store/snapshot/snapshot.ts';
import { blameLines } from '../../src/timeline/blame/blame.ts';
import { listChanges } from '../../src/timeline/diff/changes.ts';

/**
 * Three authors switch the same things on and off again and again: lines that are replaced or added, files, links, a mode,
 * a name. So everybody takes the changes of the others back, and makes the same changes himself. After a rollback of one
 * author, everything is as the last of the other authors left it. Blame names the same authors.
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const GAMES = testEffort({ quick: 40, ci: 150, long: 10_000 });
const TURNS = 14;

const AUTHORS = ['one', 'two', 'outside'] as const;
type Who = (typeof AUTHORS)[number];

const LINES = ['L0', 'L1', 'L2', 'L3', 'L4', 'L5'];
const NAMES = [...LINES, 'text', 'empty', 'binary', 'new-binary', 'link', 'mode', 'name'] as const;

const NO_OBJECTS = {
  has: () => false,
  info: () => null,
  read: (id: string) => {
    throw new Error(`${id} is not there`);
  },
  copyBlob: async () => undefined,
};
const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
const pace = (): Pace => new Pace(clock as never, null, () => undefined);
const at = (path: string): TreePath => path as never;

class Game {
  readonly log: string[] = [];
  readonly #objects = new OverlayBatch(NO_OBJECTS as never);
  readonly #checkpoints: Checkpoint[] = [];
  /** Who set it to what, oldest first. */
  readonly #set = new Map<string, { readonly by: Who; readonly isOn: boolean }[]>(
    NAMES.map((name) => [name, [{ by: 'outside', isOn: false }]]),
  );
  #snapshot: Snapshot = { files: EMPTY_TREE, side: EMPTY_TREE };

  constructor(private readonly random: SeededRandom) {}

  async play(): Promise<void> {
    await this.#capture('outside');
    for (let turn = 0; turn < TURNS; turn++) {
      const by = this.random.pick(AUTHORS);
      const names = NAMES.filter(() => this.random.next() < 0.3);
      for (const name of names) this.#set.get(name)?.push({ by, isOn: !this.#isOn(name) });
      this.log.push(`cp_${this.#checkpoints.length + 1} ${by}: ${names.join(' ')}`);
      await this.#capture(by);
      await this.#checkBlame();
      if (turn >= 2) await this.#checkRollback(this.random.pick(['one', 'two'] as const));
    }
  }

  #isOn(name: string): boolean {
    return this.#set.get(name)?.at(-1)?.isOn === true;
  }

  #file(text: string, mode = 0o644): FileEntry {
    return { kind: 'file', mode, id: this.#objects.add('blob', Buffer.from(text)) };
  }

  /** Even lines are replaced, odd ones are added and deleted. */
  #text(): string {
    return LINES.map((name, index) => {
      const line = index % 2 === 0 ? `${name} ${this.#isOn(name)}\n` : this.#isOn(name) ? `${name}\n` : '';
      return `${index} above\n${index} before\n${line}${index} after\n${index} below\n`;
    }).join('');
  }

  #edits(): readonly SnapshotEdit[] {
    const when = (name: string, entry: SnapshotEdit['to']): SnapshotEdit => edit(name, this.#isOn(name) ? entry : null);
    const edit = (path: string, to: SnapshotEdit['to']): SnapshotEdit => ({ path: at(path), to, ignored: false });
    const moved = this.#file(Array.from({ length: 9 }, (_, line) => `moved ${line}\n`).join(''));
    return [
      edit('lines', this.#file(this.#text())),
      when('text', this.#file('one\ntwo\n')),
      when('empty', this.#file('')),
      edit('binary', this.#file(this.#isOn('binary') ? 'on\0' : 'off\0')),
      when('new-binary', this.#file('new\0')),
      when('link', { kind: 'link', id: this.#objects.add('blob', Buffer.from('lines')) }),
      edit('mode', this.#file('mode\n', this.#isOn('mode') ? 0o755 : 0o644)),
      edit('name/old', this.#isOn('name') ? null : moved),
      edit('name/new', this.#isOn('name') ? moved : null),
    ];
  }

  async #capture(by: Who): Promise<void> {
    await this.#publish(by, editSnapshot(this.#objects, this.#snapshot, this.#edits()));
  }

  async #publish(by: Who, snapshot: Snapshot): Promise<void> {
    const previous = this.#checkpoints.at(-1);
    const number = this.#checkpoints.length + 1;
    const { changes } = await listChanges(this.#objects, previous?.snapshot ?? null, snapshot, pace(), {
      canBeSameFile: () => true,
    });
    this.#snapshot = snapshot;
    const actor: Actor = by === 'outside' ? { kind: 'outside', name: by } : { kind: 'agent', name: by };
    const author: Author = { actor, session: by === 'outside' ? null : parseSessionId(by), call: null, tool: null };
    const recorded = changes.map(
      (change, index): RecordedChange => ({
        ...change,
        id: changeId(number, index + 1),
        by: { authors: [author], grade: 'sure', evidence: 'content' },
      }),
    );
    this.#checkpoints.push({
      id: checkpointId(number),
      number,
      previous: previous?.id ?? null,
      undoes: null,
      target: null,
      rolledBack: [],
      rolledBackInPart: [],
      roots: [],
      changes: recorded,
      snapshot,
      trigger: 'call',
    } as unknown as Checkpoint);
  }

  /** Plans a rollback, and leaves everything as it is. */
  async #checkRollback(who: 'one' | 'two'): Promise<void> {
    const selected = await selectChanges(this.#objects, this.#checkpoints, { session: who }, 'sure', pace());
    const current = { objects: this.#objects, snapshot: this.#snapshot, own: OwnPaths.NONE, entries: null };
    const input = { current, ...selected, prefer: new Map(), skipConflicts: false, keep: () => null };
    const { changeSet, rolledBack, results } = await rollbackChanges(input, pace());
    this.log.push(`roll back ${who}: ${rolledBack.join(' ')}`);
    expect(results.filter(({ result }) => result === 'conflict')).toEqual([]);
    const after = editSnapshot(this.#objects, this.#snapshot, changeSet.paths);
    const found = new Map([...this.#set].map(([name, set]) => [name, [...set]]));
    for (const set of this.#set.values()) while (set.length > 1 && set.at(-1)?.by === who) set.pop();
    const wanted = editSnapshot(this.#objects, after, this.#edits());
    for (const [name, set] of found) this.#set.set(name, set);
    const { changes } = await listChanges(this.#objects, wanted, after, pace(), { canBeSameFile: () => true });
    expect(changes.map(({ path, operation }) => `${operation} ${path}`)).toEqual([]);
  }

  async #checkBlame(): Promise<void> {
    const newestFirst = [...this.#checkpoints].reverse();
    const reader = {
      find: (id: string) => this.#checkpoints.find((one) => one.id === id),
      upTo: (number: number) => newestFirst.filter((one) => one.number <= number),
    };
    const entry = this.#file(this.#text());
    const lines = readBlob(this.#objects, entry.id).toString().split('\n').slice(0, -1);
    const request = { path: at('lines'), entry, first: 1, last: lines.length, uncaptured: null, at: null };
    for (const { first, last, origin } of await blameLines(this.#objects, reader as never, request, pace())) {
      for (const line of lines.slice(first - 1, last)) {
        const by = this.#set.get(line.slice(0, 2))?.at(-1)?.by;
        if (by === undefined) continue;
        const found = origin.kind === 'change' ? origin.change.by.authors[0]?.actor.name : 'outside';
        expect(`${line} by ${found}`).toBe(`${line} by ${by}`);
      }
    }
  }
}

test('authors who take back and make again the same changes', { timeout: 3_600_000 }, async () => {
  console.info(`seed ${SEED}, ${GAMES} games`);
  for (let seed = SEED; seed < SEED + GAMES; seed++) {
    const game = new Game(seededRandom(seed));
    try {
      await game.play();
    } catch (error) {
      const replay = `SAVEPOINT_SEED=${seed} npx vitest run --project quick packages/core/test/rewind/made-again-game.test.ts`;
      expect.fail(`${String(error)}\n\n  ${game.log.join('\n  ')}\n\n${replay}`);
    }
  }
});
