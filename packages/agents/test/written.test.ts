import { expect, test } from 'vitest';
import { hasFailed, writtenText } from '../src/written.ts';

/** What file tools report to write. */

test.each(['replace_all', 'replaceAll', 'allow_multiple'])('every occurrence is replaced with %s', (name) => {
  const written = writtenText('f', { old_string: 'a', new_string: 'b', [name]: true }, {});
  expect(written?.result).toEqual([{ old: 'a', new: 'b', all: true }]);
});

/** As Claude Code 2.1 reports it; `MultiEdit` as its early versions did. */
const CLAUDE = { filePath: '/w/f', structuredPatch: [], userModified: false };

test('the result of a tool says what it found', () => {
  const edits = [
    { old_string: 'a', new_string: 'b' },
    { old_string: 'c', new_string: 'd', replace_all: true },
  ];
  const result = [
    { old: 'a', new: 'b', all: false },
    { old: 'c', new: 'd', all: true },
  ];
  expect(writtenText('f', { edits }, {})).toEqual({ path: 'f', result });
  const response = { ...CLAUDE, edits, originalFileContents: 'a c c' };
  expect(writtenText('f', { edits }, response)).toEqual({ path: 'f', result, found: 'a c c' });
});

test('a notebook is reported as a whole', () => {
  const response = { new_source: 'x', error: '', notebook_path: '/w/f', original_file: '{}', updated_file: '{"a":1}' };
  const input = { notebook_path: '/w/f', new_source: 'x' };
  expect(writtenText('f', input, response)).toEqual({ path: 'f', result: '{"a":1}', found: '{}' });
  expect(hasFailed(response)).toBe(false);
  expect(hasFailed({ ...response, error: 'no such cell' })).toBe(true);
});

test('what the user changed before the tool wrote it is what it wrote', () => {
  const content = { ...CLAUDE, type: 'create', content: 'mine\n', originalFile: null, userModified: true };
  const written = { path: 'f', result: 'mine\n', found: null, changedByUser: true };
  expect(writtenText('f', { content: 'its\n' }, content)).toEqual(written);
  expect(writtenText('f', { content: 'x', modified_by_user: true }, {})).toMatchObject({ changedByUser: true });
  const edit = { ...CLAUDE, oldString: 'a', newString: 'mine', originalFile: 'a', replaceAll: false };
  expect(writtenText('f', { old_string: 'a', new_string: 'its' }, edit)).toEqual({
    path: 'f',
    result: [{ old: 'a', new: 'mine', all: false }],
    found: 'a',
  });
});

test('an original that is too large to report is not a missing file', () => {
  const response = { ...CLAUDE, type: 'update', content: 'x', originalFile: null };
  expect(writtenText('f', { content: 'x' }, response)).toEqual({ path: 'f', result: 'x' });
});

test('a write that waits for a review wrote nothing', () => {
  expect(hasFailed({ ...CLAUDE, type: 'update', content: 'x', originalFile: 'y', staged: true })).toBe(true);
});

test('the blocks of a diff are replacements', () => {
  const diff =
    '------- SEARCH\nold\n=======\nnew\nlines\n+++++++ REPLACE\n<<<<<<< SEARCH\nx\n=======\n>>>>>>> REPLACE\n';
  expect(writtenText('f', { path: 'f', diff }, {})?.result).toEqual([
    { old: 'old\n', new: 'new\nlines\n', all: false },
    { old: 'x\n', new: '', all: false },
  ]);
  expect(writtenText('f', { path: 'f', diff: '------- SEARCH\nold\n=======\nnew\n' }, {})).toBeNull();
});
