import { bytesFromText, nameFromJson, showName, showText } from '@savepoint/core';
import { type InputOf, showContent, VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { readRequest } from '../../input/read-request.ts';
import { changeWord } from '../../show/changes.ts';
import { findingsText } from '../../show/findings.ts';
import { countText } from '../../show/format.ts';
import { checkedRequest, requestIn } from './checked-request.ts';

const EXPECTED = 'a JSON object with a field `files`';
const HINT = 'Nothing was changed. `savepoint help edit` shows a valid request.';

export const edit = command({
  verb: VERBS.edit,
  operands: [['[file]', 'the request as JSON (default: standard input)']],
  takesPaths: false,
  options: [
    { flags: '-n, --dry-run', description: 'only show the diff' },
    { flags: '--findings', description: 'with --dry-run: also what the edit would break elsewhere in the code' },
    { flags: '-m, --message <text>', description: 'the purpose of the edit' },
  ],
  examples: [
    'savepoint edit edits.json --dry-run --findings',
    `echo '{"files":[{"file_path":"a.txt","edits":[{"old_string":"one","new_string":"two"}]}]}' | savepoint edit`,
  ],

  async input({ operands, options }, { signal }) {
    const asked = requestIn(await readRequest(operands[0] ?? null, signal), EXPECTED, HINT);
    return {
      ...asked,
      ...(options['dryRun'] === true ? { dry_run: true } : {}),
      ...(options['findings'] === true ? { findings: true } : {}),
      ...(typeof options['message'] === 'string' ? { message: options['message'] } : {}),
    } as InputOf<typeof VERBS.edit>;
  },

  async carryOut(input, _given, { savepoint, signal }) {
    const others = async () => (await VERBS.edit.otherProblems?.(savepoint, input, { signal })) ?? null;
    return VERBS.edit.handle(savepoint, await checkedRequest(VERBS.edit, input, HINT, others), { signal });
  },

  render(output, view) {
    const { style } = view;
    const rows = output.files.map(({ file_path, operation, edits_applied }) => {
      return `  ${showName(nameFromJson(file_path))}  ${operation === 'none' ? 'unchanged' : changeWord(operation)}, ${countText(edits_applied, 'edit')}`;
    });
    if (output.dry_run) {
      const left = (output.diff?.left_out ?? []).map(
        ({ path, why }) => `# omitted from this diff: ${showName(nameFromJson(path))} (${why})`,
      );
      return lines(
        'Would edit:',
        rows,
        showContent(bytesFromText(output.diff?.text ?? ''))
          .trimEnd()
          .split('\n'),
        left,
        output.findings === null ? [] : [findingsText(output.findings, view).trimEnd()],
      );
    }
    const { checkpoint_before: before, checkpoint_after: after } = output;
    if (after === null) return lines('Nothing to change: the files already have this content.', rows);
    return lines(
      `${showText(after.description)}  (now ${style.id(after.id)}, before: ${before?.id ?? ''})`,
      rows,
      'Run `savepoint undo` to revert.',
    );
  },
});
