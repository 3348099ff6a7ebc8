import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { SavepointError } from '@savepoint/core';
import { realPorts, world } from '@savepoint/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WorkspaceLocation } from '../../src/engine/calls/workspaces.ts';
import {
  declaredPaths,
  followLinks,
  locatePath,
  type PathContext,
  pathContextIn,
  treePathOf,
} from '../../src/io/locate-path.ts';
import type { DiskPath, TreePath } from '../../src/model/names.ts';
import { scopeOf } from '../../src/verbs/input/paths.ts';

const { fs } = realPorts();

function place(
  folder: string,
  dir = `/real/project/${folder}`.replace(/\/$/, ''),
  platform: WorkspaceLocation['platform'] = 'linux',
): WorkspaceLocation {
  return { root: '/real/project' as DiskPath, folder: folder as TreePath, dir: dir as DiskPath, platform, fs };
}

describe('paths as given by callers', () => {
  it.each([
    ['a.txt', '', 'a.txt'],
    ['./a.txt', '', 'a.txt'],
    ['.', '', ''],
    ['sub/', '', 'sub'],
    ['a.txt', 'x/y', 'x/y/a.txt'],
    ['.', 'x/y', 'x/y'],
    ['..', 'x/y', 'x'],
    ['../..', 'x/y', ''],
    ['../../', 'x/y', ''],
    ['.././/../a.txt', 'x/y', 'a.txt'],
    ['..a', 'x', 'x/..a'],
    ['...', 'x', 'x/...'],
    ['/real/project', 'x', ''],
    ['/real/project/', 'x', ''],
    ['/real/project/b/c', 'x', 'b/c'],
    ['-rf', '', '-rf'],
    ['./src/', '', 'src'],
    ['a/./b//c', '', 'a/b/c'],
    ['caf\u00e9', '', 'caf\xc3\xa9'],
    // Ordinary names except on Windows.
    ['a\\b', '', 'a\\b'],
    ['c:x', '', 'c:x'],
    ['C:\\x', 'y', 'y/C:\\x'],
  ])('%j from %j is %j', (given, folder, wanted) => {
    expect(treePathOf(place(folder), given)).toBe(wanted);
  });

  it('an absolute path may go through the name that the caller uses for the folder', () => {
    expect(treePathOf(place('x', '/link/x'), '/link/x/a.txt')).toBe('x/a.txt');
    expect(treePathOf(place('', '/link'), '/link')).toBe('');
  });

  it('bytes that are not UTF-8 are preserved', () => {
    expect(treePathOf(place('x'), { b64: Buffer.from('caf\xe9', 'latin1').toString('base64') })).toBe('x/caf\xe9');
  });

  it.each([
    ['../a.txt', ''],
    ['../../../a.txt', 'x/y'],
    ['/real/project2', ''],
    ['/real', ''],
    ['/etc/passwd', ''],
    ['x/../y', ''],
    ['../x/../y', 'z'],
    ['/real/project/x/../../../etc/passwd', ''],
    ['.git/config', ''],
    ['../.git', 'x'],
    ['.GIT', ''],
    ['', ''],
    ['a\0b', ''],
    ['a/../../x', ''],
    ['git~1/x', ''],
    ['.g\u200cit/x', ''],
    ['.git::$INDEX_ALLOCATION', ''],
    ['n'.repeat(256), ''],
    ['n/'.repeat(2500), ''],
    ['lone \ud800', ''],
    [{ b64: Buffer.from('..').toString('base64') }, ''],
    [{ b64: '' }, ''],
  ])('%j from %j is refused', (given, folder) => {
    let thrown: unknown = null;
    try {
      treePathOf(place(folder), given);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(SavepointError);
    expect((thrown as SavepointError).code).toBe('PATH_REFUSED');
    expect(thrown).toHaveProperty('data.path');
  });

  it('no path means the current folder, and at the top everything', () => {
    expect(scopeOf(place('x/y'), [])).toEqual(['x/y']);
    expect(scopeOf(place(''), [])).toEqual([]);
    expect(scopeOf(place('x/y'), ['a', '../b'])).toEqual(['x/y/a', 'x/b']);
  });

  it('reports what is wrong', () => {
    expect(() => treePathOf(place(''), 'a/../b')).toThrow('The path a/../b cannot be used: it goes up with ".."');
    expect(() => treePathOf(place(''), '/etc/x')).toThrow('The path "/etc/x" is outside the workspace.');
    expect(() => treePathOf(place(''), 'a/.GIT')).toThrow(
      'has a name that is equivalent to .git for git or some file systems',
    );
    expect(() => treePathOf(place(''), 'a\u202e/..')).toThrow(/^[\x20-\x7e]*$/);
  });

  it.each([
    ['src\\a.ts', 'src/a.ts'],
    ['C:\\real\\project\\a', 'a'],
    ['C:/real/project\\a\\', 'a'],
  ])('%j on Windows is %j', (given, wanted) => {
    const root = 'C:\\real\\project' as DiskPath;
    expect(treePathOf({ ...place('', root, 'win32'), root }, given)).toBe(wanted);
  });

  it.each(['C:\\x', 'c:x', '\\x', '\\\\host\\share', '..\\x', 'a\\..\\b', 'nul', 'a:b'])(
    '%j on Windows is refused',
    (given) => {
      expect(locatePath(place('', '/real/project', 'win32'), given).kind).toBe('refused');
    },
  );
});

describe('links', () => {
  /** `ws` with `file`, `folder/inner`, and links; next to it `elsewhere`, and `way`, a link to `ws`. */
  function standpoint(): PathContext & { readonly at: (name: string) => string } {
    const w = world(onTestFinished);
    const top = Buffer.from(w.folder, 'latin1').toString();
    const at = (name: string) => `${top}/${name}`;
    mkdirSync(at('workspace/folder'));
    mkdirSync(at('elsewhere'));
    for (const name of ['workspace/file', 'workspace/folder/inner', 'elsewhere/file']) writeFileSync(at(name), 'x');
    symlinkSync('workspace', at('way'));
    symlinkSync('folder', at('workspace/to-folder'));
    symlinkSync('folder/inner', at('workspace/to-inner'));
    symlinkSync('../elsewhere', at('workspace/out'));
    symlinkSync('../elsewhere/file', at('workspace/out-file'));
    symlinkSync('nowhere', at('workspace/dangling'));
    return {
      root: w.workspace,
      dir: w.workspace,
      folder: '' as TreePath,
      platform: 'linux',
      fs: realPorts().fs,
      at,
    };
  }

  it.each([
    ['file', 'file', { kind: 'inside', path: 'file' }],
    ['new/deep', 'new/deep', { kind: 'inside', path: 'new/deep' }],
    ['to-folder/inner', 'to-folder/inner', { kind: 'inside', path: 'folder/inner' }],
    ['to-folder/new', 'to-folder/new', { kind: 'inside', path: 'folder/new' }],
    ['to-inner', 'to-inner', { kind: 'inside', path: 'folder/inner' }],
    ['out/file', 'out/file', { kind: 'outside' }],
    ['out-file', 'out-file', { kind: 'outside' }],
    ['dangling', 'dangling', { kind: 'dangling', link: 'dangling', code: 'ENOENT' }],
    ['file/x', 'file/x', { kind: 'no-folder' }],
  ])('%s is called %s, and is written at %j', (given, named, wanted) => {
    const s = standpoint();
    expect(treePathOf(s, given)).toBe(named);
    expect(followLinks(s, named as TreePath, 'followed')).toEqual(wanted);
  });

  it('an absolute path may lead into the workspace through any links', () => {
    const s = standpoint();
    expect(treePathOf(s, s.at('way/folder/inner'))).toBe('folder/inner');
    expect(treePathOf(s, s.at('way/new/deep'))).toBe('new/deep');
    expect(treePathOf(s, s.at('way'))).toBe('');
    expect(locatePath(s, s.at('workspace/out/../file'))).toMatchObject({ problem: 'unclear' });
    expect(locatePath(s, s.at('elsewhere/file'))).toMatchObject({ problem: 'outside' });
  });

  it('relative paths start from the folder that the caller is in, wherever that is', () => {
    const s = standpoint();
    const from = (name: string) => pathContextIn(s, s.at(name) as DiskPath);
    expect(treePathOf(from('way/folder'), 'inner')).toBe('folder/inner');
    expect(treePathOf(from('workspace/to-folder'), '../file')).toBe('file');
    expect(treePathOf(from('elsewhere'), '../workspace/file')).toBe('file');
    expect(treePathOf(from(''), './workspace/folder/')).toBe('folder');
    expect(locatePath(from('elsewhere'), 'file')).toMatchObject({ problem: 'outside' });
    expect(locatePath(from('elsewhere'), '../'.repeat(99))).toMatchObject({ problem: 'outside' });
  });

  it('".." after a folder is resolved; after a link, or what is not there, it is refused', () => {
    const s = standpoint();
    expect(treePathOf(s, 'folder/../file')).toBe('file');
    expect(treePathOf(s, s.at('workspace/../workspace/folder/../file'))).toBe('file');
    expect(treePathOf(pathContextIn(s, s.at('workspace/folder') as DiskPath), '../folder/../file')).toBe('file');
    expect(treePathOf(s, 'folder/..')).toBe('');
    expect(locatePath(s, s.at('workspace/folder/../../elsewhere/file'))).toMatchObject({ problem: 'outside' });
    for (const given of [
      'to-folder/../file',
      'file/../file',
      'none/../file',
      'folder/../../workspace/file',
      'folder//../file',
    ])
      expect(locatePath(s, given)).toMatchObject({ problem: 'unclear' });
  });

  it('a call is recorded with the given name and with the resolved path', () => {
    const s = standpoint();
    const given = ['to-inner', 'out-file', 'out/file', 'dangling', '.git/config', 'a/../b', '/etc/passwd'];
    expect(declaredPaths(s, given)).toEqual({
      paths: ['to-inner', 'folder/inner', 'out-file', 'dangling'],
      refused: [
        { given: 'out/file', problem: 'outside', why: 'goes outside the workspace' },
        { given: '.git/config', problem: 'name', why: expect.stringContaining('.git') },
        { given: 'a/../b', problem: 'unclear', why: 'goes up with ".."' },
        { given: '/etc/passwd', problem: 'outside', why: 'is outside the workspace' },
      ],
    });
  });
});
