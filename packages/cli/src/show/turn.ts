import { showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import type { OutputView } from '../view.ts';
import { checkNotes } from './check-summary.ts';
import { shortText } from './checkpoint.ts';
import { countedLines, countText } from './format.ts';

/** A turn, as the verb `turns` gives it. */
export type TurnJson = OutputOf<(typeof VERBS)['turns']>['turns'][number];

/** Shows turns, one on each line: `* cp_12  5 min ago  claude  Add JWT auth  3 files +40 −2`. */
export function turnLines(
  turns: readonly TurnJson[],
  { style }: OutputView,
  timeOf: (turn: TurnJson) => string,
): string[] {
  const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => text.length));
  const nameOf = ({ actor }: TurnJson): string => showText(actor.name);
  const [ids, times, names] = [turns.map(idOf), turns.map(timeOf), turns.map(nameOf)].map(widest);
  return turns.map((turn) => {
    const start = [
      turn.isCurrent ? '*' : ' ',
      style.id(idOf(turn).padEnd(ids ?? 0)),
      style.faint(timeOf(turn).padEnd(times ?? 0)),
      nameOf(turn).padEnd(names ?? 0),
    ];
    return `${start.join('  ')}  ${turnText(turn, style)}`;
  });
}

/** The words of a prompt and what followed: `Add JWT auth  3 files +40 −2  [taken back]`. */
export function turnText(turn: TurnJson, style: OutputView['style']): string {
  const words = turn.prompt === null ? style.faint('(no prompt recorded)') : shortText(turn.prompt);
  return `${words}${notes(turn)
    .map((note) => `  ${style.faint(note)}`)
    .join('')}`;
}

/** The checkpoint with the state before the work; `-` if there is none. */
export function idOf({ before }: TurnJson): string {
  return before ?? '-';
}

function notes(turn: TurnJson): readonly string[] {
  const { files, changes, takenBack, calls, testResult, checks } = turn;
  const tests = [...(testResult === null ? [] : [`[tests ${testResult}]`]), ...checkNotes(checks)];
  if (changes === 0) return [calls === 0 ? 'nothing changed' : countText(calls, 'call'), ...tests];
  const lines = countedLines(turn, files, 'file');
  const effect = takenBack === 0 ? '' : takenBack === changes ? 'taken back' : `${takenBack} of ${changes} taken back`;
  return [
    `${countText(files, 'file')}${lines === '' ? '' : ` ${lines}`}`,
    ...(effect === '' ? [] : [`[${effect}]`]),
    ...tests,
  ];
}
