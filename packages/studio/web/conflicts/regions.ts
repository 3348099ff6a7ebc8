/** The conflicts of one file in the text that a person edits: where each is, and how it was decided. */
import { invertedEffects } from '@codemirror/commands';
import { type ChangeDesc, type Extension, StateEffect, StateField, type TransactionSpec } from '@codemirror/state';
import { type Choice, chosenLines, type Region } from './result.ts';

interface Decision {
  readonly index: number;
  readonly choice: Choice | null;
  /** Of the text that the region has then. */
  readonly length: number;
}

const decided = StateEffect.define<Decision>();

export const regionsField = StateField.define<readonly Region[]>({
  create: () => [],
  update(regions, { changes, effects, docChanged }) {
    const decisions = effects.filter((effect) => effect.is(decided)).map(({ value }) => value);
    if (!docChanged && decisions.length === 0) return regions;
    return regions.map((region, index) => {
      const from = changes.mapPos(region.from, -1);
      const decision = decisions.find((one) => one.index === index);
      if (decision !== undefined) return { from, to: from + decision.length, choice: decision.choice };
      // What is written after the last line of a region does not belong to it.
      const to = Math.max(from, changes.mapPos(region.to, region.from === region.to ? 1 : -1));
      return { from, to, choice: isEdited(changes, region) ? 'edited' : region.choice };
    });
  },
});

/** With it, undoing a decision in the editor also takes back that it was decided. */
const undecide = invertedEffects.of(({ effects, startState }) =>
  effects.flatMap((effect) => {
    if (!effect.is(decided)) return [];
    const { from, to, choice } = startState.field(regionsField)[effect.value.index] as Region;
    return [decided.of({ index: effect.value.index, choice, length: to - from })];
  }),
);

export function withRegions(regions: readonly Region[]): Extension {
  return [regionsField.init(() => regions), undecide];
}

/** Puts the lines of a choice in place of a region; `edited` leaves them as they are. */
export function decision(
  regions: readonly Region[],
  index: number,
  choice: Choice,
  lines: { readonly ours: string; readonly theirs: string },
): TransactionSpec {
  const region = regions[index];
  if (region === undefined) return {};
  const { from, to } = region;
  if (choice === 'edited') return { effects: decided.of({ index, choice, length: to - from }) };
  const insert = chosenLines(choice, lines);
  return { changes: { from, to, insert }, effects: decided.of({ index, choice, length: insert.length }) };
}

function isEdited(changes: ChangeDesc, { from, to }: Region): boolean {
  let isIn = false;
  changes.iterChangedRanges((start, end) => {
    if (start === end ? start === from || (start > from && start < to) : start < to && end > from) isIn = true;
  });
  return isIn;
}
