/** What the command of a verb prints: computed here, and printed by the process that the user started. */
import { answerStatus } from '@savepoint/core/frontend';
import { safeJson } from '@savepoint/core/ports';
import type { CommandContext, VerbArguments, VerbCommand } from './command.ts';
import type { OutputView } from './view.ts';

export interface CommandResult {
  readonly text: string | Buffer;
  /** Whether it goes through the pager. */
  readonly isPaged: boolean;
  readonly exit: number;
  /** Warnings that the text itself contains, which need not be printed again. */
  readonly warnings: readonly string[];
}

/**
 * @param view of standard output
 * @throws SavepointError
 */
export async function resultOf(
  command: VerbCommand,
  given: VerbArguments,
  input: Parameters<VerbCommand['verb']['handle']>[1],
  { context, view }: { readonly context: CommandContext; readonly view: OutputView },
): Promise<CommandResult> {
  const { verb } = command;
  const { savepoint, signal, output: form } = context;
  const output = await (command.carryOut?.(input, given, context) ?? verb.handle(savepoint, input, { signal }));
  const answer = { exit: answerStatus(verb, output), warnings: warningsIn(output) };
  if (form === 'json') return { ...answer, text: `${safeJson(output, view.isTerminal ? 2 : 0)}\n`, isPaged: false };
  const isPaged = command.isPaged === true && view.isTerminal;
  return { ...answer, text: command.render(output, view, given), isPaged };
}

function warningsIn(output: unknown): readonly string[] {
  return (output as { readonly capture?: { readonly warnings: readonly string[] } | null }).capture?.warnings ?? [];
}
