/** What `undo` and `redo` have in common: each can be taken back itself, so nobody is asked. */
import { showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/faces';
import { type Given, lines, type OptionSpec } from '../../command.ts';
import { captureWarnings } from '../../show/capture.ts';
import { planLines, planNotes, toldPaths } from '../../show/plan.ts';
import { counted } from '../../show/words.ts';
import type { View } from '../../view.ts';

export const INVERSE_OPTIONS: readonly OptionSpec[] = [
  { flags: '-n, --dry-run', description: 'only show what would happen' },
  { flags: '--force', description: 'also what is frozen' },
  { flags: '-y, --yes', description: 'accepted and not needed: it never asks' },
];

const LISTED_WHEN_DONE = 10;

export function inverseInput({ options }: Given): { dryRun?: boolean; force?: boolean } {
  return {
    ...(options['dryRun'] === true ? { dryRun: true } : {}),
    ...(options['force'] === true ? { force: true } : {}),
  };
}

export function inverseText(output: OutputOf<typeof VERBS.undo>, { style }: View, next: string): string {
  const { checkpoint, dryRun, outcome } = output;
  const what = showText(output.description);
  const told = toldPaths(output).length;
  const paths = told === 0 ? 'the files are so already' : counted(told, 'path');
  if (dryRun) {
    return lines(
      `It would be: ${what}${outcome === 'nothing' ? ', and the files are so already' : ''}`,
      planLines(output, style),
      planNotes(output, null),
      outcome === 'ready' ? [`${paths} to change; what is there now is saved first.`] : [],
    );
  }
  return lines(
    `${what}: ${paths}${checkpoint === null ? '' : `  (now ${checkpoint.id})`}`,
    planLines(output, style, LISTED_WHEN_DONE),
    planNotes(output, null),
    captureWarnings(output.capture),
    next,
  );
}
