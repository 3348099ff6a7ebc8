/** What `undo` and `redo` have in common: each can be taken back itself, so nobody is asked. */
import { type OutputOf, showText, type VERBS } from '@savepoint/core';
import { type Given, lines, type OptionSpec } from '../command.ts';
import { captureWarnings } from '../show/capture.ts';
import { planLines, planNotes, toldPaths } from '../show/plan.ts';
import { counted } from '../show/words.ts';
import type { View } from '../view.ts';

export const INVERSE_OPTIONS: readonly OptionSpec[] = [
  { flags: '-n, --dry-run', description: 'only show what would happen' },
  { flags: '-y, --yes', description: 'accepted and not needed: it never asks' },
];

const LISTED_WHEN_DONE = 10;

export function inverseInput({ options }: Given): { dryRun?: boolean } {
  return options['dryRun'] === true ? { dryRun: true } : {};
}

export function inverseText(output: OutputOf<typeof VERBS.undo>, { style }: View, next: string): string {
  const { checkpoint, dryRun, outcome } = output;
  const what = showText(output.description);
  const paths = counted(toldPaths(output).length, 'path');
  if (outcome === 'nothing')
    return lines(`Nothing to change: ${what}, and the files are so already.`, planNotes(output, null));
  return lines(
    dryRun ? `Would be: ${what}: ${paths}` : `${what}: ${paths}  (now ${checkpoint?.id})`,
    planLines(output, style, dryRun ? Number.POSITIVE_INFINITY : LISTED_WHEN_DONE),
    planNotes(output, null),
    captureWarnings(output.capture),
    dryRun ? [] : [next],
  );
}
