import { type JsonName, nameFromJson, showName } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/faces';
import { agree, FOR_GOOD } from '../../agree.ts';
import { command, lines } from '../../command.ts';
import { nameOfArgument } from '../../given-name.ts';
import { listed } from '../../show/capture.ts';
import { counted, size } from '../../show/words.ts';

type PurgeJson = OutputOf<typeof VERBS.purge>;

export const purge = command({
  verb: VERBS.purge,
  operands: [['<paths...>', 'files or folders']],
  takesPaths: true,
  options: [
    { flags: '-n, --dry-run', description: 'change nothing, only say what would go' },
    { flags: '--yes', description: 'do not ask' },
  ],
  examples: ['savepoint purge .env --dry-run', 'savepoint purge .env config/keys'],

  input: ({ operands, paths, options }) => ({
    paths: [...operands.map(nameOfArgument), ...paths],
    ...(options['dryRun'] === true ? { dryRun: true } : {}),
  }),

  async carryOut(input, { options }, session) {
    const { savepoint, signal } = session;
    if (options['yes'] !== true && input.dryRun !== true) {
      const seen = await VERBS.purge.handle(savepoint, { ...input, dryRun: true }, { signal });
      if (seen.checkpoints.length > 0 || seen.contents > 0) {
        const what = `${counted(seen.contents, 'content')} from ${counted(seen.checkpoints.length, 'checkpoint')}`;
        await agree(session, {
          verb: 'purge',
          would: `That would take ${what}`,
          hint: FOR_GOOD,
          shown: `This takes ${what}, for good. It cannot be undone.\n`,
          question: 'Purge them?',
          declined: 'Not purged.',
        });
      }
    }
    return VERBS.purge.handle(savepoint, input, { signal });
  },

  render(result) {
    return lines(outcome(result), unreached(result));
  },
});

function outcome({ dryRun, paths, checkpoints, contents, store }: PurgeJson): string[] {
  const names = paths.map(name).join(', ');
  const of = counted(checkpoints.length, 'checkpoint');
  if (dryRun) {
    const held = checkpoints.length === 0 ? 'No checkpoint has' : `${of} ${checkpoints.length === 1 ? 'has' : 'have'}`;
    return [`${held} something of ${names}; ${counted(contents, 'content')} would go. Nothing was changed.`];
  }
  const searched =
    store === null
      ? ''
      : ` Searched ${counted(store.objectsSearched, 'object')} and ${counted(store.filesSearched, 'file')} of the store: ` +
        `nothing of it is left. The store took ${size(store.bytesBefore)} and takes ${size(store.bytesAfter)}.`;
  if (checkpoints.length === 0) return [`No checkpoint had anything of ${names}.${searched}`];
  return [
    `Purged ${counted(contents, 'content')} of ${names} from ${of}.${searched}`,
    'What was exported or copied elsewhere before is not reached.',
  ];
}

function unreached({ sameBytes, stillThere, otherWorkspaces }: PurgeJson): string[] {
  return [
    ...listed(sameBytes.map(name), (count) => `The same bytes stay under ${counted(count, 'other path')}:`),
    ...listed(
      stillThere.map(name),
      (count) =>
        `${counted(count, 'path')} ${count === 1 ? 'is' : 'are'} still in the folder; the next checkpoint takes what is ` +
        'there, unless `exclude` leaves it out (`savepoint config`):',
    ),
    ...listed(
      otherWorkspaces.map(name),
      (count) =>
        `${counted(count, 'workspace')} around or inside this one ${count === 1 ? 'has a store' : 'have stores'}:`,
    ),
  ];
}

function name(path: JsonName): string {
  return showName(nameFromJson(path));
}
