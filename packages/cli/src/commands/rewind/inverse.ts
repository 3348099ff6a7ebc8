/** The common part of `undo` and `redo`. Each can be reverted by the other, so neither asks for confirmation. */

import { showText } from '@savepoint/core';
import { type InputOf, meantCheckpoint, type OutputOf, shellWord, type VERBS, wouldDo } from '@savepoint/core/frontend';
import { type CliOptionSpec, type CommandContext, lines, type VerbArguments } from '../../command.ts';
import { captureWarnings, listedIn } from '../../show/capture.ts';
import { titleText } from '../../show/checkpoint.ts';
import { countText } from '../../show/format.ts';
import { conflictSides, listedPaths, planLines, planNotes } from '../../show/plan.ts';
import type { OutputView } from '../../view.ts';
import { CONFLICT_OPTIONS, conflictInput } from './conflict-options.ts';

export const INVERSE_OPTIONS: readonly CliOptionSpec[] = [
  { flags: '-n, --dry-run', description: 'only show what would change' },
  ...CONFLICT_OPTIONS,
  { flags: '--force', description: 'also change frozen paths' },
  { flags: '-y, --yes', description: 'accepted for consistency; this command never asks' },
];

const LISTED_WHEN_DONE = 10;

/** Returns the command that takes what `undo` and `redo` do not take: a change, a checkpoint, or a path. */
export function insteadOfInverse(given: string): string {
  if (/^cp_\d+\.\d+$/.test(given)) return `savepoint rollback --change ${given}`;
  const checkpoint = /^cp_\d+$/.test(given) ? given : meantCheckpoint(given);
  return checkpoint === null ? `savepoint restore last -- ${shellWord(given)}` : `savepoint restore ${checkpoint}`;
}

export async function inverseInput(
  { options }: VerbArguments,
  context: CommandContext,
): Promise<InputOf<typeof VERBS.undo>> {
  return {
    ...(await conflictInput(options, context)),
    ...(options['dryRun'] === true ? { dryRun: true } : {}),
    ...(options['force'] === true ? { force: true } : {}),
  };
}

export function inverseText(output: OutputOf<typeof VERBS.undo>, view: OutputView, next: string): string {
  const { style } = view;
  const { checkpoint, dryRun, outcome } = output;
  const what = titleText(output.description);
  const count = listedPaths(output).length;
  const unchanged = output.plan.kept.length === 0 ? 'the files already are in that state' : 'no file was changed';
  const paths = count === 0 ? unchanged : countText(count, 'path');
  if (dryRun) {
    return lines(
      `Preview: ${wouldDo(what)}${outcome === 'nothing' ? `; ${unchanged.replace('was', 'would be')}` : ''}`,
      planLines(output, style),
      planNotes(output, null, view),
      openCallNotes(output),
      conflictSides(output, view),
      outcome === 'ready' ? [`${paths} would change. The current state would be saved first.`] : [],
    );
  }
  return lines(
    `${what}: ${paths}${checkpoint === null ? '' : `  (now ${checkpoint.id})`}`,
    planLines(output, style, listedIn(view, LISTED_WHEN_DONE)),
    planNotes(output, null, view),
    openCallNotes(output),
    captureWarnings(output.capture),
    view.isPage ? [] : next,
  );
}

function openCallNotes({ openCalls }: OutputOf<typeof VERBS.undo>): string[] {
  return openCalls.map(
    ({ agent, tool, summary, call }) =>
      `  note: ${showText(agent)} is still running ${showText(`${tool} ${summary}`.trimEnd())} (call ${showText(call)}), which may write these files again`,
  );
}
