/**
 * Finds a recorded prompt in a conversation whose agent gives prompts no ids. Some prompts are not recorded, and some
 * recorded ones are not in the conversation (any more), so that numbers do not match.
 */

import type { ConversationEnd } from '@savepoint/core/ports';

export type BeforePrompt = Extract<ConversationEnd, { readonly kind: 'before-prompt' }>;

/** A prompt in the conversation. */
export interface SaidPrompt {
  readonly text: string;
  /** Milliseconds since 1970; null if the agent does not write it. */
  readonly time: number | null;
}

export const MISSING = 'the prompt is not in its transcript';
export const NOT_CERTAIN = 'several prompts have the same words, and it is not certain which of them it is';

/**
 * The recorded prompts and those of the conversation are both in the order of time. Of all ways to match as many of them as
 * possible, each must give the wanted prompt the same partner.
 * @param said the prompts of the conversation, oldest first
 * @param hasWords whether a prompt of the conversation is one with these recorded words
 * @returns an index of `said`; or a reason, a sentence without its full stop
 */
export function whichPrompt(
  said: readonly SaidPrompt[],
  { prompts, index }: BeforePrompt,
  hasWords: (text: string, words: string) => boolean,
): number | string {
  const wanted = prompts[index];
  if (wanted === undefined) return MISSING;
  const fits = (recorded: RecordedPrompt, one: SaidPrompt): boolean =>
    isAtThatTime(recorded, one) && (recorded.words === null || hasWords(one.text, recorded.words));
  const candidates = said.flatMap((one, at) => (wanted.words !== null && fits(wanted, one) ? [at] : []));
  if (candidates.length === 0) return MISSING;
  if (prompts.length * said.length > MAX_COMPARED) return 'it has too many prompts without ids';
  const before = matchedCounts(prompts.slice(0, index), said, fits);
  // The same from the end.
  const after = matchedCounts(prompts.slice(index + 1).reverse(), said.toReversed(), fits);
  const without = greatest(before.map((count, at) => count + (after[said.length - at] ?? 0)));
  const withWanted = candidates.map((at) => (before[at] ?? 0) + 1 + (after[said.length - 1 - at] ?? 0));
  const most = greatest(withWanted);
  const [found, ...others] = candidates.filter((_, at) => withWanted[at] === most);
  if (found === undefined || others.length > 0 || without >= most) return NOT_CERTAIN;
  return isNearest(wanted, found, { said, prompts, fits }) ? found : NOT_CERTAIN;
}

type RecordedPrompt = BeforePrompt['prompts'][number];
type Fits = (recorded: RecordedPrompt, one: SaidPrompt) => boolean;

/** An agent writes a prompt before or after its hooks have run, which may take as long as this. */
const WRITTEN_WITHIN_MS = 30_000;
const MAX_COMPARED = 20_000_000;

function isAtThatTime({ time }: RecordedPrompt, one: SaidPrompt): boolean {
  return one.time === null || Math.abs(one.time - time) <= WRITTEN_WITHIN_MS;
}

/** Returns for each number of first prompts of the conversation how many recorded prompts can be matched with them. */
function matchedCounts(recorded: readonly RecordedPrompt[], said: readonly SaidPrompt[], fits: Fits): number[] {
  let counts = said.map(() => 0);
  counts.push(0);
  for (const prompt of recorded) {
    const next = [0];
    for (const [at, one] of said.entries()) {
      const matched = fits(prompt, one) ? (counts[at] ?? 0) + 1 : 0;
      next.push(Math.max(matched, counts[at + 1] ?? 0, next[at] ?? 0));
    }
    counts = next;
  }
  return counts;
}

/** There may be too many for the arguments of a call. */
function greatest(counts: readonly number[]): number {
  return counts.reduce((most, count) => Math.max(most, count), 0);
}

/** Where the times are known, no other prompt that fits may be nearer, on either side. */
function isNearest(
  wanted: RecordedPrompt,
  found: number,
  {
    said,
    prompts,
    fits,
  }: { readonly said: readonly SaidPrompt[]; readonly prompts: BeforePrompt['prompts']; readonly fits: Fits },
): boolean {
  const one = said[found];
  if (one === undefined || one.time === null) return one !== undefined;
  const distance = Math.abs(one.time - wanted.time);
  const isNearer = (recorded: RecordedPrompt, other: SaidPrompt): boolean =>
    other.time !== null && fits(recorded, other) && Math.abs(other.time - recorded.time) < distance;
  return !said.some((other) => isNearer(wanted, other)) && !prompts.some((recorded) => isNearer(recorded, one));
}
