import { type JsonName, nameFromJson, SavepointError, showName } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { nameOfArgument } from '../../argument-path.ts';
import { command, lines, type VerbArguments } from '../../command.ts';
import { localTime } from '../../show/format.ts';
import { changedLines, damagedScopeLines, scopeName } from '../../show/scope.ts';
import type { OutputView } from '../../view.ts';

type ScopesJson = OutputOf<typeof VERBS.scopeList>;
type ScopeJson = ScopesJson['scopes'][number];

const SESSION = {
  flags: '--session <id>',
  description: 'the scope of this session: its id, or a unique prefix',
} as const;

export const scopeAdd = command({
  verb: VERBS.scopeAdd,
  operands: [['<paths...>', 'files or folders']],
  takesPaths: true,
  options: [SESSION],
  examples: ['savepoint scope add src/auth.ts docs', 'savepoint scope add --session 3f2a src/auth.ts'],
  input: (given) => ({ paths: pathsOf(given), ...sessionOf(given) }),
  render: (output, view) => lines(scopesText(output, view)),
});

export const scopeDrop = command({
  verb: VERBS.scopeDrop,
  operands: [['[paths...]', 'files or folders']],
  takesPaths: true,
  options: [{ flags: '--all', description: 'drop the entire scope' }, SESSION],
  examples: ['savepoint scope drop docs', 'savepoint scope drop --all'],

  input: (given) => {
    const paths = pathsOf(given);
    const all = given.options['all'] === true;
    if (all === paths.length > 0) {
      throw new SavepointError('USAGE', 'Name paths, or use --all.', { argument: 'paths' });
    }
    return { ...(all ? { all } : { paths }), ...sessionOf(given) };
  },

  render: (output, view) => lines(scopesText(output, view)),
});

export const scopeList = command({
  verb: VERBS.scopeList,
  operands: [],
  takesPaths: false,
  options: [SESSION],
  examples: ['savepoint scope list'],
  input: (given) => sessionOf(given),
  render: (output, view) => lines(scopesText(output, view)),
});

function scopesText({ scopes, damaged }: ScopesJson, view: OutputView): string[] {
  const found = scopes.flatMap((scope) => {
    const ended = scope.running ? '' : '  [ended]';
    return [
      `Scope of ${scopeName(scope)}:${ended}`,
      ...scope.paths.map(({ path, by, since }) => `  ${nameText(path)}  ${byText(by)}, ${localTime(since)}`),
      ...changedLines(scope, view),
    ];
  });
  return [...(found.length === 0 ? ['Nothing is in scope.'] : found), ...damagedScopeLines(damaged, view)];
}

function byText(by: ScopeJson['paths'][number]['by']): string {
  return by === 'mention' ? 'mentioned in a prompt' : by === 'agent' ? 'added by the agent' : 'added by you';
}

function nameText(path: JsonName): string {
  const bytes = nameFromJson(path);
  return bytes === '' ? 'the entire workspace' : showName(bytes);
}

function pathsOf({ operands, paths }: VerbArguments): JsonName[] {
  return [...operands.map(nameOfArgument), ...paths];
}

function sessionOf({ options }: VerbArguments): { session?: string } {
  return typeof options['session'] === 'string' ? { session: options['session'] } : {};
}
