import { type JsonName, nameFromJson, SavepointError, showName } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { nameOfArgument } from '../../argument-path.ts';
import { command, lines } from '../../command.ts';
import { confirm, IRREVERSIBLE_HINT } from '../../input/confirm.ts';
import { listWithHeading } from '../../show/capture.ts';
import { countText, sizeText } from '../../show/format.ts';

type PurgeJson = OutputOf<typeof VERBS.purge>;

export const purge = command({
  verb: VERBS.purge,
  operands: [['[paths...]', 'files or folders']],
  takesPaths: true,
  options: [
    { flags: '-n, --dry-run', description: 'only show what would be removed' },
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  examples: ['savepoint purge .env --dry-run', 'savepoint purge .env config/keys'],

  input: ({ operands, paths, options }) => {
    const all = [...operands.map(nameOfArgument), ...paths];
    if (all.length === 0) throw new SavepointError('USAGE', 'Name at least one path to purge.', {});
    return { paths: all, ...(options['dryRun'] === true ? { dryRun: true } : {}) };
  },

  async carryOut(input, { options }, context) {
    const { savepoint, signal } = context;
    if (options['yes'] !== true && input.dryRun !== true) {
      const seen = await VERBS.purge.handle(savepoint, { ...input, dryRun: true }, { signal });
      if (seen.checkpoints.length > 0 || seen.contents > 0) {
        const what = `${versions(seen.contents)} from ${countText(seen.checkpoints.length, 'checkpoint')}`;
        await confirm(context, {
          verb: 'purge',
          consequence: `This would permanently remove ${what}`,
          hint: IRREVERSIBLE_HINT,
          preview: `This permanently removes ${what}. It cannot be undone.\n`,
          question: 'Purge them?',
          declinedMessage: 'Nothing was purged.',
        });
      }
    }
    return VERBS.purge.handle(savepoint, input, { signal });
  },

  render(result) {
    return lines(outcomeLines(result), remainderLines(result));
  },
});

function outcomeLines({ dryRun, paths, checkpoints, contents, store }: PurgeJson): string[] {
  const names = paths.map(name).join(', ');
  const of = countText(checkpoints.length, 'checkpoint');
  if (dryRun) {
    if (checkpoints.length === 0 && contents === 0) return [`Nothing to purge: no checkpoint has ${names}.`];
    return [`Preview: would remove ${versions(contents)} of ${names} from ${of}. Nothing was changed.`];
  }
  const searched =
    store === null
      ? ''
      : ` Searched ${countText(store.objectsSearched, 'object')} and ${countText(store.filesSearched, 'file')} in the store: ` +
        `nothing is left. Store size: ${sizeText(store.bytesBefore)} before, ${sizeText(store.bytesAfter)} now.`;
  if (checkpoints.length === 0) return [`No checkpoint had ${names}.${searched}`];
  return [
    `Purged ${versions(contents)} of ${names} from ${of}.${searched}`,
    'Copies that were exported or made elsewhere are not purged.',
  ];
}

function versions(contents: number): string {
  return countText(contents, 'version');
}

function remainderLines({ sameBytes, stillThere, otherWorkspaces, copies }: PurgeJson): string[] {
  return [
    ...listWithHeading(
      sameBytes.map(name),
      (count) => `The same content is kept at ${countText(count, 'other path')}:`,
    ),
    ...listWithHeading(
      stillThere.map(name),
      (count) =>
        `${countText(count, 'path')} still ${count === 1 ? 'exists' : 'exist'} in the workspace. The next checkpoint captures ` +
        `${count === 1 ? 'it' : 'them'} again, unless excluded (option \`exclude\`):`,
    ),
    ...listWithHeading(
      otherWorkspaces.map(name),
      (count) =>
        `${countText(count, 'enclosing or nested workspace')} ${count === 1 ? 'has its own store' : 'have their own stores'}:`,
    ),
    ...listWithHeading(
      copies,
      (count) =>
        `${countText(count, 'copy', 'copies')} of the workspace may still have the content (\`savepoint copies\`, \`savepoint fork drop\`):`,
    ),
  ];
}

function name(path: JsonName): string {
  return showName(nameFromJson(path));
}
