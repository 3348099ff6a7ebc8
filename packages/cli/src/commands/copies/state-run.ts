/** What `bisect` and `replay` have in common on the command line. */
import { SavepointError, showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import type { VerbArguments } from '../../command.ts';
import { authorsText } from '../../show/authors.ts';
import { countText, pathText } from '../../show/format.ts';

type StepJson = OutputOf<typeof VERBS.replay>['steps'][number];
type RunJson = NonNullable<StepJson['run']>;
type NotesJson = Pick<OutputOf<typeof VERBS.replay>, 'damaged' | 'unknown' | 'notes'>;

export const RUN_OPTIONS = [
  { flags: '--turns', description: 'step by the prompts to agents instead of by checkpoints' },
  { flags: '--clean', description: 'make a new copy for each state, so that no build output stays' },
] as const;

/** @throws SavepointError USAGE */
export function commandAfter({ rest = [] }: VerbArguments, name: string): string[] {
  if (rest.length > 0) return [...rest];
  const hint = `Example: \`savepoint ${name} … -- npm test\`.`;
  throw new SavepointError('USAGE', `${name} needs a command after --.`, { argument: 'command' }, { hint });
}

export function runInput({ options }: VerbArguments, env: Readonly<Record<string, string>>) {
  return {
    env: { ...env },
    ...(options['turns'] === true ? { turns: true } : {}),
    ...(options['clean'] === true ? { clean: true } : {}),
  };
}

/** `exit status 1 after 2.5 s`. */
export function runText({ status, problem, took }: Pick<RunJson, 'status' | 'problem' | 'took'>): string {
  const how = problem === null ? `exit status ${status}` : showText(problem);
  return `${how} after ${Math.round(took / 100) / 10} s`;
}

const LISTED_LINES = 10;

/** The last lines of the output of a command. */
export function tailLines(run: RunJson | null): readonly string[] {
  const text = run === null ? '' : `${run.stdout}${run.stderr}`.trimEnd();
  return text === ''
    ? []
    : text
        .split('\n')
        .slice(-LISTED_LINES)
        .map((line) => `  ${showText(line)}`);
}

export function authorsLine(change: StepJson['changes'][number]): string {
  const calls = [...new Set(change.authors.flatMap(({ call }) => call ?? []))];
  return `by ${authorsText(change)}${calls.length === 0 ? '' : `, call ${calls.map((id) => showText(id)).join(' or ')}`}`;
}

export function runNotes({ damaged, unknown, notes }: NotesJson): readonly string[] {
  return [
    ...notes.map((note) => showText(note)),
    ...(damaged.length === 0
      ? []
      : [`Left out, because they cannot be read: ${damaged.map(({ id }) => id).join(', ')}.`]),
    ...(unknown.length === 0
      ? []
      : [
          `${countText(unknown.length, 'path')} not captured at some state, and left as they were: ` +
            `${unknown.slice(0, LISTED_LINES).map(pathText).join(', ')}${unknown.length > LISTED_LINES ? ', …' : ''}`,
        ]),
  ];
}
