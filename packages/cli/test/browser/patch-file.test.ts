import { bytesFromText } from '@savepoint/core';
import { expect, it } from 'vitest';
import { type ListedChange, patchFiles } from '../../src/browser/diff/patch-file.ts';

const change = (path: string, more: Partial<ListedChange> = {}): ListedChange => ({
  path: bytesFromText(path),
  from: null,
  word: 'changed',
  note: '',
  added: 1,
  removed: 1,
  ...more,
});

it('finds the lines of each file under its name, also of names with spaces, quotes and bytes that are not ASCII', () => {
  const section = (name: string, line: string): string =>
    `diff --git ${name.replaceAll('?', 'a')} ${name.replaceAll('?', 'b')}\nindex 1..2 100644\n--- x\n+++ y\n@@ -3 +3 @@ f()\n-old\n+${line}\n`;
  const patch = `# new folder d: 0755\n${section('?/a b/b x.ts', 'one')}${section('"?/tab\\t\\"\\303\\244"', 'two')}`;
  const files = patchFiles(patch, [change('d'), change('tab\t"ä'), change('a b/b x.ts')]);
  expect(files.map(({ title, lines }) => [title, lines.map(({ text }) => text)])).toEqual([
    ['d', []],
    ['"tab\\t\\"ä"', ['@@ -3 +3 @@ f()', 'old', 'two']],
    ['a b/b x.ts', ['@@ -3 +3 @@ f()', 'old', 'one']],
  ]);
  expect(files[2]?.lines[1]).toEqual({ kind: 'removed', text: 'old', number: 3 });
});

it('takes lines that look like a header as content, and escapes what could control a terminal', () => {
  const patch =
    'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n --- a\n+++ b\n+\x1b[2J\xe2\x80\xae\n-z\n\\ No newline at end of file\n';
  const [file] = patchFiles(patch, [change('x')]);
  expect(file?.lines).toEqual([
    { kind: 'hunk', text: '@@ -1,2 +1,3 @@' },
    { kind: 'context', text: '--- a', number: 1 },
    { kind: 'added', text: '++ b', number: 2 },
    { kind: 'added', text: expect.not.stringMatching(/[\x1b\u202e]/), number: 3 },
    { kind: 'removed', text: 'z', number: 2 },
    { kind: 'note', text: 'No newline at end of file' },
  ]);
});

it('shows a moved file without its lines', () => {
  const patch = 'diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n';
  const [file] = patchFiles(patch, [
    change('new', { from: 'old', word: 'renamed', note: 'moved', added: 0, removed: 0 }),
  ]);
  expect(file).toMatchObject({ title: 'old → new', lines: [{ kind: 'note', text: 'moved' }] });
});
