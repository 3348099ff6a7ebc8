import type { SeededRandom } from '../seeded-random.ts';
import type { DiskOperation, Inodes, TornWrite } from './inodes.ts';

export type CrashModel = 'any-subset' | 'prefix';

/** Which of the pending operations reached the disk, and how much of each write. */
interface CrashChoice {
  readonly happened: (index: number) => boolean;
  readonly torn: (index: number) => TornWrite | null;
}

/** With more pending operations than this, there are too many subsets to try them all. */
const MAX_BITS = 20;

/** Yields possible states after a power cut: `durable` and some of `pending`. Yields at most `limit` states. */
export function* crashes(
  durable: Inodes,
  pending: readonly DiskOperation[],
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

function build(durable: Inodes, pending: readonly DiskOperation[], choice: CrashChoice): Inodes {
  const inodes = durable.copy();
  pending.forEach((operation, index) => {
    const implied = operation.kind === 'entries' && operation.follows !== undefined && inodes.has(operation.follows);
    if (choice.happened(index) || implied) inodes.apply(operation, choice.torn(index));
  });
  return inodes;
}

const NOT_TORN = (): null => null;

function* prefixes(pending: readonly DiskOperation[], limit: number, random: SeededRandom): Generator<CrashChoice> {
  const choices: CrashChoice[] = [];
  for (let length = 0; length <= pending.length; length++) {
    choices.push({ happened: (index) => index < length, torn: NOT_TORN });
    for (const torn of tearings(pending[length - 1])) {
      choices.push({ happened: (index) => index < length, torn: (index) => (index === length - 1 ? torn : null) });
    }
  }
  yield* choices.length <= limit ? choices : random.sample(choices, limit);
}

function* subsets(pending: readonly DiskOperation[], limit: number, random: SeededRandom): Generator<CrashChoice> {
  const writes = pending.flatMap((operation, index) => (operation.kind === 'data' ? [index] : []));
  const all = 2 ** Math.min(pending.length, MAX_BITS) * (1 + writes.length);
  if (pending.length < MAX_BITS && all <= limit) yield* everySubset(pending, writes);
  else yield* likelySubsets(pending, random);
}

function* everySubset(pending: readonly DiskOperation[], writes: readonly number[]): Generator<CrashChoice> {
  for (let mask = 0; mask < 2 ** pending.length; mask++) {
    const happened = (index: number): boolean => ((mask >> index) & 1) === 1;
    yield { happened, torn: NOT_TORN };
    for (const write of writes) {
      if (!happened(write)) continue;
      for (const torn of tearings(pending[write])) {
        yield { happened, torn: (index) => (index === write ? torn : null) };
      }
    }
  }
}

/**
 * First the subsets most likely to break something: none, all, each one alone, all but one. Then random subsets without
 * end.
 */
function* likelySubsets(pending: readonly DiskOperation[], random: SeededRandom): Generator<CrashChoice> {
  yield { happened: () => false, torn: NOT_TORN };
  yield { happened: () => true, torn: NOT_TORN };
  const order = random.sample([...pending.keys()], pending.length);
  for (const [turn, one] of order.entries()) {
    if (turn >= 16) break;
    yield { happened: (index) => index !== one, torn: NOT_TORN };
    yield { happened: (index) => index === one, torn: NOT_TORN };
  }
  for (;;) {
    const share = random.next();
    const happened = pending.map(() => random.next() < share);
    const torn = pending.map((operation) => (random.next() < 0.2 ? random.pick([null, ...tearings(operation)]) : null));
    yield { happened: (index) => happened[index] === true, torn: (index) => torn[index] ?? null };
  }
}

/** A torn write: its first half only, or its full length with no data. */
function tearings(operation: DiskOperation | undefined): readonly TornWrite[] {
  if (operation?.kind !== 'data') return [];
  return [{ kept: operation.bytes.length >> 1 }, 'zeros'];
}
