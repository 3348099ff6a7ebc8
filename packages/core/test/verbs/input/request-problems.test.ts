import { editProblemText, requestProblems, schemasOf, VERBS } from '@savepoint/core/frontend';
import { expect, it } from 'vitest';

async function problemsOf(request: unknown): Promise<readonly string[]> {
  const { input } = await schemasOf(VERBS.edit);
  const { error } = input.safeParse(request);
  return requestProblems(error?.issues ?? [], request, input).map((problem) => editProblemText(problem, request));
}

const inFile = (edits: unknown): unknown => ({ files: [{ file_path: 'a.txt', edits }] });

it.each([
  ['no new text', inFile([{ old_string: 'x' }]), ['file 1 (a.txt), edit 1: new_string: missing']],
  ['an insert without a line', inFile([{ op: 'insert', text: 'x' }]), ['file 1 (a.txt), edit 1: line: missing']],
  [
    'an unknown operation',
    inFile([{ op: 'delete' }, { op: 'creat' }]),
    [
      'file 1 (a.txt), edit 2: op: must be one of replace, insert, write, patch, create, delete, rename, mode, not "creat"',
    ],
  ],
  [
    'an unknown key',
    inFile([{ op: 'delete', now: true }]),
    ['file 1 (a.txt), edit 1: unknown key "now" (known keys: op)'],
  ],
  [
    'keys in another spelling',
    inFile([{ oldString: 'x', newString: 'y', replaceAll: true }]),
    [
      'file 1 (a.txt), edit 1: unknown key "oldString"; use old_string, unknown key "newString"; use new_string, unknown key "replaceAll"; use replace_all',
    ],
  ],
  [
    'a key in another spelling, in an edit of another form',
    inFile([{ op: 'write', contents: 'x' }]),
    ['file 1 (a.txt), edit 1: unknown key "contents"; use content'],
  ],
  [
    'another key of a file',
    { files: [{ path: 'a.txt', edits: [{ op: 'delete' }] }] },
    ['file 1: unknown key "path"; use file_path'],
  ],
  ['a number as edit', inFile([3]), ['file 1 (a.txt), edit 1: must be an object, not a number']],
  ['text as edits', inFile('x'), ['file 1 (a.txt): edits: must be an array, not a string']],
  ['no edits', inFile([]), ['file 1 (a.txt): edits: must not be empty']],
  [
    'a negative line',
    inFile([{ op: 'insert', line: -1, text: '' }]),
    ['file 1 (a.txt), edit 1: line: must be at least 0'],
  ],
  [
    'half a line',
    inFile([{ op: 'insert', line: 0.5, text: '' }]),
    ['file 1 (a.txt), edit 1: line: must be a whole number, not 0.5'],
  ],
  ['no name', { files: [{ edits: [{ op: 'delete' }] }] }, ['file 1: file_path: missing']],
  [
    'a bad name',
    { files: [{ file_path: null, edits: [{ op: 'delete' }] }] },
    ['file 1: file_path: must be a string or an object, not null'],
  ],
  ['no files', {}, ['files: missing']],
  ['another key', { ...(inFile([{ op: 'delete' }]) as object), dryrun: true }, ['unknown key "dryrun"; use dry_run']],
  [
    'a name with a line feed',
    { files: [{ file_path: 'a\nb', edits: [] }] },
    ['file 1 ("a\\nb"): edits: must not be empty'],
  ],
])('%s', async (_, request, expected) => {
  expect(await problemsOf(request)).toEqual(expected);
});
