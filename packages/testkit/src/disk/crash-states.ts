import type { SeededRandom } from '../seeded-random.ts';
import type { Inodes, Operation, Torn } from './inodes.ts';

export type CrashModel = 'any-subset' | 'prefix';

/** Which of the pending operations happened, and how much of each write. */
interface Choice {
  readonly happened: (index: number) => boolean;
  readonly torn: (index: number) => Torn | null;
}

/** More pending operations than this have more subsets than anybody wants. */
const MOST_BITS = 20;

/** The states that a power cut may leave: `durable` and some of `pending`. Yields at most `limit`. */
export function* crashes(
  durable: Inodes,
  pending: readonly Operation[],
  model: CrashModel,
  limit: number,
  random: SeededRandom,
): Generator<Inodes> {
  const choices = model === 'prefix' ? prefixes(pending, limit, random) : subsets(pending, limit, random);
  let yielded = 0;
  for (const choice of choices) {
    if (yielded++ >= limit) return;
    yield build(durable, pending, choice);
  }
}

function build(durable: Inodes, pending: readonly Operation[], choice: Choice): Inodes {
  const inodes = durable.copy();
  pending.forEach((operation, index) => {
    const implied = operation.kind === 'entries' && operation.follows !== undefined && inodes.has(operation.follows);
    if (choice.happened(index) || implied) inodes.apply(operation, choice.torn(index));
  });
  return inodes;
}

const WHOLE = (): null => null;

function* prefixes(pending: readonly Operation[], limit: number, random: SeededRandom): Generator<Choice> {
  const choices: Choice[] = [];
  for (let length = 0; length <= pending.length; length++) {
    choices.push({ happened: (index) => index < length, torn: WHOLE });
    for (const torn of tearings(pending[length - 1])) {
      choices.push({ happened: (index) => index < length, torn: (index) => (index === length - 1 ? torn : null) });
    }
  }
  yield* choices.length <= limit ? choices : random.sample(choices, limit);
}

function* subsets(pending: readonly Operation[], limit: number, random: SeededRandom): Generator<Choice> {
  const writes = pending.flatMap((operation, index) => (operation.kind === 'data' ? [index] : []));
  const all = 2 ** Math.min(pending.length, MOST_BITS) * (1 + writes.length);
  if (pending.length < MOST_BITS && all <= limit) yield* everySubset(pending, writes);
  else yield* likelySubsets(pending, random);
}

function* everySubset(pending: readonly Operation[], writes: readonly number[]): Generator<Choice> {
  for (let mask = 0; mask < 2 ** pending.length; mask++) {
    const happened = (index: number): boolean => ((mask >> index) & 1) === 1;
    yield { happened, torn: WHOLE };
    for (const write of writes) {
      if (!happened(write)) continue;
      for (const torn of tearings(pending[write])) {
        yield { happened, torn: (index) => (index === write ? torn : null) };
      }
    }
  }
}

/** First what breaks most: nothing, everything, one alone, all but one. Then, without end, by chance. */
function* likelySubsets(pending: readonly Operation[], random: SeededRandom): Generator<Choice> {
  yield { happened: () => false, torn: WHOLE };
  yield { happened: () => true, torn: WHOLE };
  const order = random.sample([...pending.keys()], pending.length);
  for (const [turn, one] of order.entries()) {
    if (turn >= 16) break;
    yield { happened: (index) => index !== one, torn: WHOLE };
    yield { happened: (index) => index === one, torn: WHOLE };
  }
  for (;;) {
    const share = random.next();
    const happened = pending.map(() => random.next() < share);
    const torn = pending.map((operation) => (random.next() < 0.2 ? random.pick([null, ...tearings(operation)]) : null));
    yield { happened: (index) => happened[index] === true, torn: (index) => torn[index] ?? null };
  }
}

/** The first half of a write, and its length without its bytes. */
function tearings(operation: Operation | undefined): readonly Torn[] {
  if (operation?.kind !== 'data') return [];
  return [{ kept: operation.bytes.length >> 1 }, 'zeros'];
}
