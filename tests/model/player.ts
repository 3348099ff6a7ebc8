/** Plays random operations against the engine and against a model of it, and compares them after each. */

import { type Checkpoint, nameToJson, type Savepoint, SavepointError } from '@savepoint/core';
import type { SeededRandom } from '@savepoint/testkit';
import type { Tree } from '../simulated.ts';
import { inverse, UNKNOWN, type Verdict } from './inverse.ts';
import { changeSomething, contentOf, type Hands, isBelow, kindOf, type MutableTree, parentOf } from './tree.ts';

export interface Game {
  readonly random: SeededRandom;
  readonly hands: Hands;
  /** Starts a new process. */
  readonly start: () => Savepoint;
  /** Runs a command in a process that may die midway, and returns whether it did. If absent, nothing dies. */
  readonly mortal?: (command: () => Promise<void>) => Promise<boolean>;
}

interface Operation {
  readonly number: number;
  readonly previous: number;
  readonly found: Tree;
  readonly left: Tree;
}

/** The required result of a command: an error's code with nothing changed, or a tree. */
type Prediction = { readonly refused: string } | { readonly verdict: NonNullable<Verdict> };

export class Player {
  readonly log: string[] = [];
  #tree: MutableTree;
  readonly #checkpoints = new Map<number, Tree>();
  #done: Operation[] = [];
  #undone: Operation[] = [];

  constructor(private readonly game: Game) {
    this.#tree = new Map(game.hands.walk());
  }

  async play(operations: number): Promise<void> {
    for (let at = 0; at < operations; at++) {
      const { random } = this.game;
      if (random.next() < 0.8) this.log.push(changeSomething(random, this.game.hands, this.#tree));
      else await this.#command();
    }
  }

  async #command(): Promise<void> {
    const { random } = this.game;
    const at = random.next();
    if (this.#checkpoints.size === 0 || at < 0.3) return this.#checkpoint();
    if (at < 0.55) return this.#restore();
    if (at < 0.75) return this.#invert('undo', this.#done);
    if (at < 0.88) return this.#invert('redo', this.#undone);
    if (at < 0.96) return this.#diff();
    if (at < 0.98) return this.#cleanUp();
    return this.#verify();
  }

  async #checkpoint(): Promise<void> {
    this.log.push('checkpoint');
    const same: Prediction = { verdict: { tree: this.#tree, orConflict: false } };
    await this.#perform(same, (savepoint) => savepoint.checkpoint());
  }

  async #restore(): Promise<void> {
    const { random } = this.game;
    const [number, target] = random.pick([...this.#checkpoints]);
    const keeping = random.next() < 0.2;
    const paths = [...new Set([...target.keys(), ...this.#tree.keys(), 'nowhere/at/all'])].filter(
      (path) => path !== '',
    );
    const scope = !keeping && random.next() < 0.4 ? random.sample(paths, 1 + random.integer(2)) : [];
    this.log.push(`restore cp_${number}${keeping ? ' keeping' : ''} ${JSON.stringify(scope)}`);
    const latest = Math.max(...this.#checkpoints.keys());
    const predicted = keeping
      ? asPrediction(inverse(this.#checkpoints.get(latest) as Tree, target, this.#tree))
      : restored(target, this.#tree, scope);
    const mode = keeping ? ('keep-outside' as const) : ('exact' as const);
    const options = { ...(scope.length > 0 && { paths: scope.map((path) => nameToJson(path)) }), mode };
    await this.#perform(predicted, (savepoint) => savepoint.restore(`cp_${number}`, options));
  }

  async #invert(verb: 'undo' | 'redo', pile: readonly Operation[]): Promise<void> {
    const operation = pile.at(-1);
    this.log.push(`${verb} ${operation === undefined ? '' : `cp_${operation.number}`}`);
    const known = operation !== undefined && this.#checkpoints.has(operation.previous);
    const predicted = known
      ? asPrediction(inverse(operation.left, operation.found, this.#tree))
      : { refused: verb === 'undo' ? 'NOTHING_TO_UNDO' : 'NOTHING_TO_REDO' };
    await this.#perform(predicted, (savepoint) => savepoint[verb]());
  }

  async #diff(): Promise<void> {
    const { random } = this.game;
    const [from, before] = random.pick([...this.#checkpoints]);
    const [to, after] = random.pick([...this.#checkpoints]);
    this.log.push(`diff cp_${from} cp_${to}`);
    const { changes } = await this.game.start().diff({ from: `cp_${from}`, to: `cp_${to}` });
    const paths = [...new Set([...before.keys(), ...after.keys()])];
    // A folder that is added or removed is reported through its contents.
    const isReported = (path: string): boolean =>
      [before, after].every(
        (tree, index) =>
          kindOf(tree.get(path)) !== 'folder' ||
          [before, after][1 - index]?.has(path) === true ||
          ![...tree.keys()].some((each) => isBelow(each, path)),
      );
    const expected = paths.filter((path) => before.get(path) !== after.get(path) && isReported(path)).sort();
    // A moved file is one change with two paths.
    const reported = changes.flatMap(({ path, from }) => (from === null ? [path] : [path, from])).sort();
    assertSame(reported, expected, 'the paths of the diff');
  }

  async #cleanUp(): Promise<void> {
    this.log.push('clean-up');
    const savepoint = this.game.start();
    await savepoint.gc({ retention: { maxCheckpoints: 6, keepAtLeast: 3 } });
    const { checkpoints } = await savepoint.list();
    const kept = new Set(checkpoints.map(({ number }) => number));
    for (const number of this.#checkpoints.keys()) if (!kept.has(number)) this.#checkpoints.delete(number);
    this.#done = this.#done.filter(({ number }) => kept.has(number));
    this.#undone = this.#undone.filter(({ number }) => kept.has(number));
    this.#compare(this.#tree);
  }

  async #verify(): Promise<void> {
    this.log.push('verify');
    const { damage } = await this.game.start().verify({ deep: true });
    assertSame(damage, [], 'the damage');
  }

  /** Runs one command and compares the result with the prediction. */
  async #perform(predicted: Prediction, command: (savepoint: Savepoint) => Promise<unknown>): Promise<void> {
    const { random, mortal } = this.game;
    const before: Tree = new Map(this.#tree);
    let code: string | null = null;
    let ran = false;
    const run = async (): Promise<void> => {
      ran = true;
      try {
        await command(this.game.start());
      } catch (error) {
        if (!(error instanceof SavepointError)) throw error;
        code = error.code;
        this.log.push(`→ ${code} ${JSON.stringify(error.data)}`);
      }
    };
    const died = mortal !== undefined && random.next() < 0.15 && (await mortal(run));
    if (died) {
      this.log.push('died');
      code = null;
      await this.game.start().checkpoint();
    } else if (!ran) {
      await run();
    }
    await this.#checkOutcome(predicted, before, code, died);
  }

  async #checkOutcome(predicted: Prediction, before: Tree, code: string | null, died: boolean): Promise<void> {
    const fresh = await this.#newCheckpoints();
    const isRecorded = fresh.some(({ trigger }) => trigger !== 'manual' && trigger !== 'before');
    if (code !== null) assertSame(isRecorded, false, 'a refused operation was recorded');
    const after =
      isRecorded || (!died && code === null && 'verdict' in predicted) ? this.#predictedTree(predicted) : before;
    this.#judgeCode(predicted, code, died);
    this.#compare(code === null ? after : before);
    this.#remember(fresh, before);
  }

  #judgeCode(predicted: Prediction, code: string | null, died: boolean): void {
    if (died) return;
    if ('refused' in predicted) assertSame(code, predicted.refused, 'the refusal');
    else if (code !== null) assertSame([code, predicted.verdict.orConflict], ['CONFLICT', true], 'the refusal');
  }

  /** Content that the model does not predict is taken from the disk. */
  #predictedTree(predicted: Prediction): Tree {
    if ('refused' in predicted) throw new Error(`it happened, and had to be refused: ${predicted.refused}`);
    const disk = this.game.hands.walk();
    return new Map(
      [...predicted.verdict.tree].map(([path, node]) => {
        const found = disk.get(path);
        const isOpen = kindOf(node) === 'file' && contentOf(node) === UNKNOWN && kindOf(found) === 'file';
        return [path, isOpen ? node.replace(UNKNOWN, () => contentOf(found as string)) : node];
      }),
    );
  }

  #compare(expected: Tree): void {
    assertSame(reported(this.game.hands.walk()), reported(expected), 'the tree');
    this.#tree = new Map(expected);
  }

  async #newCheckpoints(): Promise<readonly Checkpoint[]> {
    const { checkpoints } = await this.game.start().list();
    return checkpoints.filter(({ number }) => !this.#checkpoints.has(number)).reverse();
  }

  #remember(fresh: readonly Checkpoint[], before: Tree): void {
    let tree = before;
    for (const { number, trigger, previous, undoes } of fresh) {
      const found = tree;
      if (trigger !== 'before') tree = new Map(this.#tree);
      this.#checkpoints.set(number, tree);
      if (trigger === 'manual' || trigger === 'before') continue;
      const operation: Operation = { number, previous: Number(previous?.slice(3)), found, left: tree };
      const without = (pile: readonly Operation[]): Operation[] =>
        pile.filter((each) => `cp_${each.number}` !== undoes);
      if (trigger === 'undo') {
        this.#done = without(this.#done);
        this.#undone.push(operation);
      } else if (trigger === 'redo') {
        this.#undone = without(this.#undone);
        this.#done.push(operation);
      } else {
        this.#undone = [];
        this.#done.push(operation);
      }
    }
  }
}

function asPrediction(verdict: Verdict): Prediction {
  return verdict === null ? { refused: 'CONFLICT' } : { verdict };
}

/**
 * Predicts an exact restore of everything, or of `scope` and everything below it, including the parent folders that it
 * needs.
 */
function restored(target: Tree, now: Tree, scope: readonly string[]): Prediction {
  if (scope.length === 0) return { verdict: { tree: target, orConflict: false } };
  const inScope = (path: string): boolean => scope.some((chosen) => path === chosen || isBelow(path, chosen));
  const result = new Map([...now].filter(([path]) => !inScope(path)));
  for (const [path, node] of target) if (inScope(path)) result.set(path, node);
  for (const chosen of scope) {
    if (!target.has(chosen) && !now.has(chosen)) return { refused: 'PATH_REFUSED' };
    if (!target.has(chosen)) continue;
    for (let path = parentOf(chosen); path !== ''; path = parentOf(path)) {
      if (inScope(path) || kindOf(now.get(path)) === 'folder') continue;
      if (now.has(path)) return { refused: 'PATH_REFUSED' };
      result.set(path, target.get(path) as string);
    }
  }
  return { verdict: { tree: result, orConflict: false } };
}

function reported(tree: Tree): string {
  return [...tree]
    .map(([path, node]) => `${JSON.stringify(path)}: ${JSON.stringify(node)}`)
    .sort()
    .join('\n');
}

function assertSame(found: unknown, expected: unknown, what: string): void {
  const [a, b] = [found, expected].map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  if (a !== b) throw new Error(`${what}\nis:\n${a}\nand should be:\n${b}`);
}
