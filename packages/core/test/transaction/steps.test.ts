import { type SeededRandom, seededRandom, testEffort } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import type { Entry } from '../../src/model/entries.ts';
import type { ObjectId } from '../../src/model/ids.ts';
import { baseName, parentPath, type TreePath } from '../../src/model/names.ts';
import { stepsFor, type TransactionStep } from '../../src/transaction/steps.ts';
import type { ClosedFolder, Transition } from '../../src/transaction/transition.ts';

const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** A tree of files like on a disk: an entry needs a parent folder, and only an empty folder can be removed. */
class Tree {
  readonly entries: Map<TreePath, Entry>;
  readonly #fold: (path: TreePath) => TreePath;

  /** @param fold maps names that the disk considers equal to the same name */
  constructor(entries: Iterable<readonly [TreePath, Entry]>, fold: (path: TreePath) => TreePath = (path) => path) {
    this.entries = new Map(entries);
    this.#fold = fold;
  }

  carryOut(step: TransactionStep): void {
    const at = this.#at(step.path);
    switch (step.do) {
      case 'open':
        expect(at?.kind).toBe('folder');
        this.#setMode(step.path, 'folder', step.mode | 0o700);
        return;
      case 'aside':
        expect(at).toEqual(step.entry);
        this.#expectOpen(step.path);
        this.entries.delete(step.path);
        return;
      case 'remove-folder':
        expect(at?.kind).toBe('folder');
        this.#expectOpen(step.path);
        expect([...this.entries.keys()].filter((path) => parentPath(path) === step.path && path !== '')).toEqual([]);
        this.entries.delete(step.path);
        return;
      case 'make-folder':
        this.#expectFree(step.path);
        this.entries.set(step.path, { kind: 'folder', mode: 0o700 });
        return;
      case 'place':
        this.#expectFree(step.path);
        this.entries.set(step.path, step.entry);
        return;
      case 'mode':
        this.#setMode(step.path, step.kind, step.mode);
        return;
    }
  }

  #at(path: TreePath): Entry | null {
    return this.entries.get(path) ?? null;
  }

  /** A folder that had to be made writable may have been removed by then. */
  #setMode(path: TreePath, kind: 'file' | 'folder', mode: number): void {
    const entry = this.#at(path);
    if (entry?.kind === kind) this.entries.set(path, { ...entry, mode } as Entry);
  }

  #expectFree(path: TreePath): void {
    this.#expectOpen(path);
    const folded = this.#fold(path);
    expect([...this.entries.keys()].filter((each) => this.#fold(each) === folded)).toEqual([]);
  }

  /** The parent folder exists and is writable for its owner. */
  #expectOpen(path: TreePath): void {
    const folder = this.#at(parentPath(path));
    expect(folder?.kind).toBe('folder');
    expect((folder as { readonly mode: number }).mode & 0o700).toBe(0o700);
  }
}

const NAMES = ['a', 'B', 'c', 'b'] as const;
const MODES = [0o755, 0o700, 0o555, 0o500] as const;

function randomEntry(random: SeededRandom): Entry {
  const id = String(random.integer(3)).repeat(40) as ObjectId;
  const kind = random.integer(5);
  if (kind < 2) return { kind: 'file', id, mode: MODES[random.integer(2)] ?? 0o644 };
  if (kind === 2) return { kind: 'link', id };
  return { kind: 'folder', mode: MODES[random.integer(MODES.length)] ?? 0o755 };
}

function randomTree(random: SeededRandom, fold: (path: TreePath) => TreePath): Map<TreePath, Entry> {
  const tree = new Map<TreePath, Entry>([['' as TreePath, { kind: 'folder', mode: 0o755 }]]);
  for (let count = random.integer(12); count > 0; count -= 1) {
    const folders = [...tree].flatMap(([path, entry]) => (entry.kind === 'folder' ? [path] : []));
    const above = folders[random.integer(folders.length)] ?? ('' as TreePath);
    const name = NAMES[random.integer(NAMES.length)] ?? 'a';
    const path = (above === '' ? name : `${above}/${name}`) as TreePath;
    const isTaken = [...tree.keys()].some((each) => fold(each) === fold(path));
    if (!isTaken) tree.set(path, randomEntry(random));
  }
  return tree;
}

function transitions(from: Map<TreePath, Entry>, to: Map<TreePath, Entry>): Transition[] {
  const paths = [...new Set([...from.keys(), ...to.keys()])];
  return paths.flatMap((path) => {
    const [was, becomes] = [from.get(path) ?? null, to.get(path) ?? null];
    return JSON.stringify(was) === JSON.stringify(becomes) ? [] : [{ path, from: was, to: becomes }];
  });
}

/** Existing folders that are not writable for their owner and below which something changes. */
function closedFolders(from: Map<TreePath, Entry>, changes: readonly Transition[]): ClosedFolder[] {
  return [...from].flatMap(([path, entry]) => {
    const isClosed = entry.kind === 'folder' && (entry.mode & 0o700) !== 0o700;
    const changesBelow = changes.some((change) => change.path !== path && parentPath(change.path) === path);
    return isClosed && changesBelow ? [{ path, mode: entry.mode }] : [];
  });
}

test.each([
  { disk: 'tells letter case apart', fold: (path: TreePath): TreePath => path },
  { disk: 'does not', fold: (path: TreePath): TreePath => path.toLowerCase() as TreePath },
])('the steps turn any tree into any other, on a disk that $disk', ({ fold }) => {
  const random = seededRandom(SEED);
  for (let round = testEffort({ quick: 500, ci: 5_000, long: 50_000 }); round > 0; round -= 1) {
    const [from, to] = [randomTree(random, fold), randomTree(random, fold)];
    const changes = random.sample(transitions(from, to), Number.POSITIVE_INFINITY);
    const closed = closedFolders(from, changes);
    const disk = new Tree(from, fold);
    for (const step of stepsFor(changes, closed)) disk.carryOut(step);
    expect(Object.fromEntries(disk.entries), `SAVEPOINT_SEED=${SEED}`).toEqual(Object.fromEntries(to));
  }
});

test('only permissions change: the file stays in its place', () => {
  const id = '1'.repeat(40) as ObjectId;
  const path = 'run.sh' as TreePath;
  const change: Transition = { path, from: { kind: 'file', id, mode: 0o644 }, to: { kind: 'file', id, mode: 0o755 } };
  expect(stepsFor([change], [])).toEqual([{ do: 'mode', path, kind: 'file', mode: 0o755, was: 0o644 }]);
});

test('a replaced file is absent for one step only', () => {
  const [old, other] = ['1', '2'].map((digit) => digit.repeat(40) as ObjectId) as [ObjectId, ObjectId];
  const replaced = (path: string): Transition => ({
    path: path as TreePath,
    from: { kind: 'file', id: old, mode: 0o644 },
    to: { kind: 'file', id: other, mode: 0o644 },
  });
  const steps = stepsFor([replaced('a'), replaced('b')], []);
  expect(steps.map((step) => `${step.do} ${baseName(step.path)}`)).toEqual([
    'aside a',
    'place a',
    'aside b',
    'place b',
  ]);
});
