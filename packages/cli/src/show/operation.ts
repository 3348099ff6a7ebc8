/** Asks before an operation that brings changes into the folder, and shows what it did. */

import { type CommandContext, lines } from '../command.ts';
import { confirm, DRY_RUN_HINT } from '../input/confirm.ts';
import type { OutputView } from '../view.ts';
import { captureWarnings, listedIn } from './capture.ts';
import { titleText } from './checkpoint.ts';
import { countText } from './format.ts';
import { conflictSides, listedPaths, type OperationJson, planLines, planNotes } from './plan.ts';

const LISTED_WHEN_DONE = 10;

/** What an operation is called, in its questions. */
export interface OperationWords {
  /** As the user types it. */
  readonly verb: string;
  readonly noun: string;
  /** For example `Merge`. */
  readonly asked: string;
  /** For example `merged`. */
  readonly done: string;
}

/** An operation that a command runs, and what its options say. */
export interface AskedOperation<Input, Output> {
  readonly run: (input: Input) => Promise<Output>;
  readonly input: Input;
  /** What is previewed, if that is less than the input. */
  readonly previewed?: Input;
  /** Whether the user does not want to be asked. */
  readonly isSure: boolean;
}

/**
 * Runs an operation. Shows a preview and asks first, if there is something to do: then exactly that is done.
 * @throws SavepointError NEEDS_CONFIRMATION, CANCELLED, and what the operation throws
 */
export async function confirmAndRun<
  Input extends { readonly dryRun?: boolean | undefined; readonly expected?: string | undefined },
  Output extends OperationJson,
>(
  { run, input, previewed = input, isSure }: AskedOperation<Input, Output>,
  context: Pick<CommandContext, 'ask' | 'view'>,
  words: OperationWords,
): Promise<Output> {
  if (input.dryRun === true || isSure) return run(input);
  const preview = await run({ ...previewed, dryRun: true });
  await confirmOperation(preview, context, words);
  return run({ ...input, expected: preview.fingerprint });
}

/** @param nothing the text if there was nothing to do */
export function operationText(output: OperationJson, view: OutputView, nothing: string): string {
  const { style } = view;
  const { checkpoint, dryRun, outcome } = output;
  const paths = countText(listedPaths(output).length, 'path');
  if (outcome === 'nothing') return lines(nothing, planNotes(output, null, view));
  if (dryRun) {
    return lines(
      `Preview: ${paths} would change.`,
      planLines(output, style),
      planNotes(output, null, view),
      conflictSides(output, view),
    );
  }
  return lines(
    `${titleText(output.description)}: ${paths}${checkpoint === null ? '' : `  (now ${checkpoint.id})`}`,
    planLines(output, style, listedIn(view, LISTED_WHEN_DONE)),
    planNotes(output, null, view),
    captureWarnings(output.capture),
    view.isPage ? [] : 'Run `savepoint undo` to revert.',
  );
}

/** Asks only if the preview has something to do. */
async function confirmOperation(
  preview: OperationJson,
  context: Pick<CommandContext, 'ask' | 'view'>,
  { verb, noun, asked, done }: OperationWords,
): Promise<void> {
  if (preview.outcome !== 'ready') return;
  const { view } = context;
  const paths = countText(listedPaths(preview).length, 'path');
  await confirm(context, {
    verb,
    consequence: `The ${noun} would change ${paths}`,
    hint: DRY_RUN_HINT,
    preview: lines(planLines(preview, view.style), planNotes(preview, null, view)),
    question: `${asked} ${paths}?`,
    declinedMessage: `Nothing was ${done}.`,
  });
}
