import { SavepointError, showText } from '@savepoint/core';
import { runReplayVerb, VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { shortText } from '../../show/checkpoint.ts';
import { countText, lineCounts } from '../../show/format.ts';
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

  carryOut: (input, _given, { savepoint, signal }) => runReplayVerb(savepoint, input, { signal }, {}),

  render(output, { style }) {
    return lines(
      output.steps.flatMap(({ checkpoint, changes, prompts, run, problem }) => {
        const words = prompts.flatMap((prompt) => prompt.words ?? []).map(shortText);
        const agents = [...new Set(prompts.map(({ actor }) => showText(actor.name)))].join(', ');
        const [added, removed] = [sum(changes.map((one) => one.added)), sum(changes.map((one) => one.removed))];
        const about = words.length === 0 ? shortText(checkpoint.description) : words.join('; ');
        const files = new Set(changes.map(({ path }) => JSON.stringify(path))).size;
        const counts = `${countText(files, 'file')} ${lineCounts(added, removed)}`.trimEnd();
        const result =
          run === null ? (problem === null ? '' : `  ${style.bad(showText(problem))}`) : `  ${runText(run)}`;
        const failed = run !== null && run.status !== 0;
        return [
          `${style.id(checkpoint.id)}  ${agents === '' ? '' : `${agents}  `}${about}  ${style.faint(counts)}${result}`,
          ...(failed ? tailLines(run) : []),
        ];
      }),
      runNotes(output),
    );
  },
});

function sum(counts: readonly (number | null)[]): number {
  return counts.reduce<number>((all, one) => all + (one ?? 0), 0);
}
