import { readFileSync } from 'node:fs';
import { type DiskPath, nameToJson, SavepointError, type TreePath } from '@savepoint/core';
import { type InputOf, VERBS } from '@savepoint/core/frontend';
import type { Fd } from '@savepoint/core/ports';
import { manifest, SimDisk } from '@savepoint/testkit';
import { describe, expect, it } from 'vitest';
import { engine, ROOT, treeOf } from '../../../../tests/simulated.ts';
import { VerbsWorld } from '../verbs/verbs-world.ts';

/** Inputs that an agent may send by mistake or with malice: refused with a reason, and nothing changes. */
type File = InputOf<typeof VERBS.edit>['files'][number];

async function refusal(w: VerbsWorld, file: File): Promise<string> {
  const before = manifest(w.dir);
  const error = await w.call(VERBS.edit, { files: [file] }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error, JSON.stringify(file)).toBeInstanceOf(SavepointError);
  expect(manifest(w.dir)).toEqual(before);
  const { details } = (error as SavepointError).toJSON();
  const [reported] = details as { code: string; edit_status: { error?: { code: string } | null }[] }[];
  return [reported?.code, ...(reported?.edit_status ?? []).flatMap(({ error: failed }) => failed?.code ?? [])].join(
    ' ',
  );
}

const create = (file_path: File['file_path']): File => ({ file_path, edits: [{ op: 'create', content: 'x\n' }] });

describe('paths', () => {
  const GIT = ['.git/config', '.GIT/config', '.Git/hooks/pre-commit', 'sub/.git/config', 'GIT~1/config'];
  const DISGUISED = ['.g\u200cit/config', '.git\u200d/config', '.git::$INDEX_ALLOCATION/config', '.git ./config'];

  it.each([...GIT, ...DISGUISED])('%j leads into a repository', async (path) => {
    expect(await refusal(new VerbsWorld(), create(path))).toBe('PATH_REFUSED');
  });

  it.each(['a\0b', '', '.', '..', 'a/../../b', '/etc/passwd', 'x/'.repeat(2_500), `${'y'.repeat(256)}/z`])(
    '%j is not a path of the workspace',
    async (path) => {
      expect(await refusal(new VerbsWorld(), create(path))).toMatch(/^(PATH_REFUSED|NOT_A_FILE)$/);
    },
  );

  it('a file whose name is not UTF-8 can be edited', async () => {
    const w = new VerbsWorld();
    const name = nameToJson('caf\xe9.txt' as TreePath);
    await w.call(VERBS.edit, { files: [create(name)] });
    expect(readFileSync(Buffer.from(`${w.world.workspace}/caf\xe9.txt`, 'latin1'), 'utf8')).toBe('x\n');
  });
});

describe('edits', () => {
  it.each([
    ['an empty search', { old_string: '', new_string: 'x' }],
    ['a search for what is replaced by itself', { old_string: 'one', new_string: 'one' }],
    [
      'an overlapping second one',
      { old_string: 'one\ntwo', new_string: '1' },
      { old_string: 'two\n', new_string: '2' },
    ],
    ['a patch of something else', { op: 'patch', patch: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-nine\n+ten\n' }],
    ['a patch that is none', { op: 'patch', patch: 'nonsense' }],
    ['a rename onto a file', { op: 'rename', to: 'b.txt' }],
    ['a rename out of the workspace', { op: 'rename', to: '../b.txt' }],
    ['a line that is not there', { op: 'insert', line: 99, content: 'x\n' }],
  ] as const)('%s', async (_name, ...edits) => {
    const w = new VerbsWorld();
    w.write('a.txt', 'one\ntwo\n');
    w.write('b.txt', 'kept\n');
    const before = manifest(w.dir);
    const files = [{ file_path: 'a.txt', edits: [...edits] }] as unknown as readonly File[];
    await expect(w.call(VERBS.edit, { files: [...files] })).rejects.toThrow();
    expect(manifest(w.dir)).toEqual(before);
  });
});

it('a file that grows while it is read is not overwritten', async () => {
  const disk = new SimDisk();
  disk.makeFolder(ROOT, 0o755);
  const path = `${ROOT}/log.txt` as DiskPath;
  const log = disk.openNew(path, 0o644);
  disk.write(log, Buffer.from('start\n'), 0);
  await engine(disk, 10).checkpoint();
  const { ino } = disk.fstat(log);
  let text = 'start\n';
  let reads = 0;
  let seen: Fd | null = null;
  const read = disk.read.bind(disk);
  disk.read = (file, ...where) => {
    const got = read(file, ...where);
    // Append once for each time that the file is opened.
    if (disk.fstat(file).ino === ino && file !== seen) {
      seen = file;
      reads += 1;
      const line = `line ${reads}\n`;
      disk.write(log, Buffer.from(line), text.length);
      text += line;
    }
    return got;
  };
  const edits = [{ op: 'replace', old: 'start', new: 'edited', replaceAll: false, tolerant: false } as const];
  const file = { given: 'log.txt', path: 'log.txt' as TreePath, edits, expectedHash: null, force: false };
  await expect(engine(disk, 11).edit([file])).rejects.toMatchObject({ code: 'CONFLICT' });
  disk.read = read;
  expect(reads).toBeGreaterThan(2);
  expect(treeOf(disk).tree.get('log.txt')).toBe(`file 644 ${text}`);
});
