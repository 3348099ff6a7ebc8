import { SavepointError, showText } from '@savepoint/core';
import { type OutputOf, runReplayVerb, VERBS } from '@savepoint/core/frontend';
import { type CommandContext, command, lines } from '../../command.ts';
import { askText } from '../../input/ask.ts';
import { shortText } from '../../show/checkpoint.ts';
import { countText, lineCounts, pathText } from '../../show/format.ts';
import { patchText } from '../../show/patch.ts';
import type { OutputView } from '../../view.ts';
import { writeAll } from '../../write.ts';
import { commandAfter, RUN_OPTIONS, runInput, runNotes, runText, tailLines } from './state-run.ts';

export const replay = command({
  verb: VERBS.replay,
  operands: [['[range]', 'from..to: cp_3..cp_9, @prompt~2..last; each may be left out']],
  takesPaths: false,
  takesCommand: true,
  options: [{ flags: '--stop-on-failure', description: 'end at the first exit status other than 0' }, ...RUN_OPTIONS],
  examples: ['savepoint replay cp_3..cp_9', 'savepoint replay @prompt~2.. --turns -- npm test'],

  input(given, { variables }) {
    const [range = '..'] = given.operands;
    const at = range.indexOf('..');
    if (at < 0) {
      const message = `A range such as cp_3..cp_9 is needed, not ${JSON.stringify(range)}.`;
      throw new SavepointError('USAGE', message, { argument: range });
    }
    const [from, to] = [range.slice(0, at), range.slice(at + 2)];
    return {
      ...(from === '' ? {} : { from }),
      ...(to === '' ? {} : { to }),
      ...((given.rest ?? []).length === 0 ? {} : { command: commandAfter(given, 'replay') }),
      ...(given.options['stopOnFailure'] === true ? { stopOnFailure: true } : {}),
      ...runInput(given, variables),
    };
  },

  carryOut: (input, _given, context) => {
    const { savepoint, signal, output, ask, clearProgress } = context;
    const isInteractive = ask !== null && output === 'terminal' && input.command === undefined;
    let before: string | null = null;
    return runReplayVerb(
      savepoint,
      input,
      { signal },
      {
        withFiles: isInteractive,
        onStep: async (step, files) => {
          if (output === 'json') return 'next';
          clearProgress();
          writeAll(1, lines(stepLines(step, context.view)));
          if (!isInteractive) return 'next';
          if (files !== null) writeAll(1, `  files: ${pathText(files)}\n`);
          const from = before;
          before = step.checkpoint.id;
          return askForNext(from, before, context);
        },
      },
    );
  },

  // The states were shown as they were reached.
  render: (output) => lines(runNotes(output)),
});

type StepJson = OutputOf<typeof VERBS.replay>['steps'][number];

function stepLines({ checkpoint, changes, prompts, run, problem }: StepJson, { style }: OutputView): readonly string[] {
  const words = prompts.flatMap((prompt) => prompt.words ?? []).map(shortText);
  const agents = [...new Set(prompts.map(({ actor }) => showText(actor.name)))].join(', ');
  const [added, removed] = [sum(changes.map((one) => one.added)), sum(changes.map((one) => one.removed))];
  const about = words.length === 0 ? shortText(checkpoint.description) : words.join('; ');
  const files = new Set(changes.map(({ path }) => JSON.stringify(path))).size;
  const counts = `${countText(files, 'file')} ${lineCounts(added, removed)}`.trimEnd();
  const result = run === null ? (problem === null ? '' : `  ${style.bad(showText(problem))}`) : `  ${runText(run)}`;
  const who = agents === '' ? '' : `${agents}  `;
  return [
    `${style.id(checkpoint.id)}  ${who}${about}  ${style.faint(counts)}${result}`,
    ...(run !== null && run.status !== 0 ? tailLines(run) : []),
  ];
}

/** @throws SavepointError CANCELLED on Ctrl-C */
async function askForNext(
  before: string | null,
  id: string,
  { savepoint, signal, view }: CommandContext,
): Promise<'next' | 'stop'> {
  for (;;) {
    const answer = (await askText('Enter: next, d: diff, q: quit', signal))?.trim();
    if (answer === undefined || answer === 'q') return 'stop';
    if (answer !== 'd') return 'next';
    if (before === null) continue;
    const { patch } = await savepoint.diff({ from: before, to: id, patch: true });
    if (patch !== null) writeAll(1, patchText(patch.text.toString('latin1'), view));
  }
}

function sum(counts: readonly (number | null)[]): number {
  return counts.reduce<number>((all, one) => all + (one ?? 0), 0);
}
