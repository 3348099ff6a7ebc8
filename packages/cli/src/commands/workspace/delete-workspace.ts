import { bytesFromText, nameFromJson } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { confirm, IRREVERSIBLE_HINT } from '../../input/confirm.ts';
import { countText, pathText, sizeText } from '../../show/format.ts';

type DeletedJson = OutputOf<typeof VERBS.deleteWorkspace>;

export const deleteWorkspace = command({
  verb: VERBS.deleteWorkspace,
  operands: [['<workspace>', 'its folder, or its id as `savepoint workspaces` prints it']],
  takesPaths: false,
  options: [
    { flags: '-n, --dry-run', description: 'only show what would be deleted' },
    { flags: '-y, --yes', description: 'do not ask for confirmation' },
  ],
  examples: ['savepoint workspaces delete ../old-project', 'savepoint workspaces delete 3f2a91bc --yes'],

  input: ({ operands: [operand = ''], options }, { absolutePath }) => ({
    workspace: isId(operand) ? operand : nameFromJson(absolutePath(operand)),
    ...(options['dryRun'] === true ? { dryRun: true } : {}),
  }),

  async carryOut(input, { options }, context) {
    const { savepoint, signal } = context;
    if (options['yes'] === true || input.dryRun === true) {
      return VERBS.deleteWorkspace.handle(savepoint, input, { signal });
    }
    const seen = await VERBS.deleteWorkspace.handle(savepoint, { ...input, dryRun: true }, { signal });
    await confirm(context, {
      verb: 'workspaces delete',
      consequence: `This would delete ${storeText(seen)}`,
      hint: IRREVERSIBLE_HINT,
      preview: `This deletes ${storeText(seen)}. The files of the workspace stay unchanged. It cannot be undone.\n`,
      question: 'Delete it?',
      declinedMessage: 'Nothing was deleted.',
    });
    return VERBS.deleteWorkspace.handle(savepoint, { ...input, workspace: seen.id }, { signal });
  },

  render: (output) =>
    lines(output.dryRun ? `Preview: would delete ${storeText(output)}.` : `Deleted ${storeText(output)}.`),
});

function isId(operand: string): boolean {
  return /^[0-9a-f]{4,32}$/.test(bytesFromText(operand));
}

function storeText({ path, bytes, copies }: DeletedJson): string {
  const size = bytes === null ? '' : ` (${sizeText(bytes)})`;
  const more =
    copies.length === 0 ? '' : `, and its ${countText(copies.length, 'copy', 'copies')} (${copies.join(', ')})`;
  return `all checkpoints of ${pathText(path)}${size}${more}`;
}
