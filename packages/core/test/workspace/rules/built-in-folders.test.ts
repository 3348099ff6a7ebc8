import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { FaultyFs, world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { nodeFs } from '../../../src/io/node/fs.ts';
import type { DiskPath, Name } from '../../../src/model/names.ts';
import { ALWAYS, dependencyFolder, hasCacheMark, WHEN_IGNORED } from '../../../src/workspace/rules/built-in-folders.ts';

const name = (text: string): Name => text as Name;
const SIGNATURE = 'Signature: 8a477f597d28d172789f06886806bc55';

describe('by name', () => {
  test.each(['node_modules', '__pycache__', '.venv', '.next', '.terraform', 'DerivedData'])('%s always', (folder) => {
    for (const ignored of [true, false]) {
      expect(dependencyFolder(name(folder), { ignored, hasMark: false })).toBe('always');
    }
  });

  test.each(['build', 'dist', 'target', 'bin', 'vendor', 'venv', 'coverage', 'Pods', 'tmp'])(
    '%s when ignored',
    (folder) => {
      expect(dependencyFolder(name(folder), { ignored: true, hasMark: false })).toBe('when-ignored');
      expect(dependencyFolder(name(folder), { ignored: false, hasMark: false })).toBeNull();
    },
  );

  test('no other name, whether ignored or not: different letter case, or part of another name', () => {
    for (const folder of ['src', 'Node_Modules', 'node_modules2', 'Build', '.git', 'constructor', '__proto__', '']) {
      expect(dependencyFolder(name(folder), { ignored: true, hasMark: false }), folder).toBeNull();
    }
  });

  test('names that apply only in certain folders', () => {
    const ask = (folder: string, parent?: string): unknown =>
      dependencyFolder(name(folder), { ignored: false, hasMark: false, parent: parent as Name | undefined });
    expect([ask('cache', '.yarn'), ask('cache', 'src'), ask('cache')]).toEqual(['always', null, null]);
    expect(dependencyFolder(name('cache'), { ignored: true, hasMark: false })).toBe('when-ignored');
    expect([ask('unplugged', '.yarn'), ask('.yarn')]).toEqual(['always', null]);
  });

  test('a marker file applies whatever the name of the folder', () => {
    expect(dependencyFolder(name('anything'), { ignored: false, hasMark: true })).toBe('always');
  });

  test('every row has a reason and is in one table once', () => {
    const rows = [...ALWAYS, ...WHEN_IGNORED];
    for (const row of rows) expect(row.reason.length, row.name).toBeGreaterThan(10);
    const keys = rows.map((row) => `${row.in ?? ''}/${row.name}`);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('by marker file', () => {
  function folderWith(files: Readonly<Record<string, string>>): DiskPath {
    const { workspace } = world(onTestFinished);
    for (const [file, content] of Object.entries(files)) writeFileSync(`${workspace}/${file}`, content);
    return workspace as DiskPath;
  }
  const marked = (folder: DiskPath): boolean => hasCacheMark(nodeFs, folder, nodeFs.list(folder));

  test('CACHEDIR.TAG with the specified signature', () => {
    expect(marked(folderWith({ 'CACHEDIR.TAG': SIGNATURE, a: '' }))).toBe(true);
    expect(marked(folderWith({ 'CACHEDIR.TAG': `${SIGNATURE}\n# made by a test\n` }))).toBe(true);
    for (const wrong of ['', SIGNATURE.slice(0, -1), ` ${SIGNATURE}`, SIGNATURE.toUpperCase(), '\n'.repeat(100)]) {
      expect(marked(folderWith({ 'CACHEDIR.TAG': wrong })), wrong).toBe(false);
    }
    expect(marked(folderWith({ 'cachedir.tag': SIGNATURE }))).toBe(false);
  });

  test('a marker that is a link, a folder or unreadable is ignored', () => {
    const linked = folderWith({ real: SIGNATURE });
    symlinkSync('real', `${linked}/CACHEDIR.TAG`);
    expect(marked(linked)).toBe(false);
    const folder = folderWith({});
    mkdirSync(`${folder}/CACHEDIR.TAG`);
    expect(marked(folder)).toBe(false);
    const valid = folderWith({ 'CACHEDIR.TAG': SIGNATURE });
    const fs = new FaultyFs(nodeFs, { at: 1, fault: { fail: 'EACCES', sticky: true } });
    expect(hasCacheMark(fs, valid, [name('CACHEDIR.TAG')])).toBe(false);
    expect(hasCacheMark(nodeFs, folderWith({}), [name('CACHEDIR.TAG')])).toBe(false);
  });

  test('a Python virtual environment, unless it contains other files', () => {
    const environment = folderWith({ 'pyvenv.cfg': 'home = /usr/bin\n' });
    for (const part of ['bin', 'include', 'lib', 'lib64']) mkdirSync(`${environment}/${part}`);
    expect(marked(environment)).toBe(true);
    writeFileSync(`${environment}/app.py`, '');
    expect(marked(environment)).toBe(false);
    expect(marked(folderWith({ 'pyvenv.cfg': '' }))).toBe(true);
    const folder = folderWith({});
    mkdirSync(`${folder}/pyvenv.cfg`);
    expect(marked(folder)).toBe(false);
  });
});
