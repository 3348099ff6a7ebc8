import { type JsonName, nameFromJson, showName } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { nameOfArgument } from '../../argument-path.ts';
import { command, lines } from '../../command.ts';
import { localTime } from '../../show/format.ts';

const operands = [['[paths...]', 'files or folders (default: the current folder)']] as const;

export const freeze = command({
  verb: VERBS.freeze,
  operands,
  takesPaths: true,
  options: [{ flags: '-l, --list', description: 'only list the frozen paths' }],
  examples: ['savepoint freeze migrations .github', 'savepoint freeze --list'],

  input: ({ operands: names, paths, options }) => ({
    ...pathsIn(names, paths),
    ...(options['list'] === true ? { list: true } : {}),
  }),

  render: ({ frozen }) => lines(shown(frozen)),
});

export const unfreeze = command({
  verb: VERBS.unfreeze,
  operands,
  takesPaths: true,
  options: [],
  examples: ['savepoint unfreeze migrations', 'savepoint unfreeze'],

  input: ({ operands: names, paths }) => pathsIn(names, paths),

  render: ({ frozen, stillFrozen }, { style }) =>
    lines(
      stillFrozen.map(({ path, by }) => style.bad(`${name(path)} is still frozen, because ${name(by)} is frozen.`)),
      shown(frozen),
    ),
});

/** Without paths, the field is absent: an empty list is refused. */
function pathsIn(names: readonly string[], paths: readonly JsonName[]): { paths?: JsonName[] } {
  const given = [...names.map(nameOfArgument), ...paths];
  return given.length === 0 ? {} : { paths: given };
}

function shown(frozen: readonly { readonly path: JsonName; readonly since: string }[]): string[] {
  if (frozen.length === 0) return ['Nothing is frozen.'];
  return ['Frozen for agents:', ...frozen.map(({ path, since }) => `  ${name(path)}  since ${localTime(since)}`)];
}

function name(path: JsonName): string {
  const bytes = nameFromJson(path);
  return bytes === '' ? 'the entire workspace' : showName(bytes);
}
