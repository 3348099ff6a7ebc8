import { SavepointError } from '@savepoint/core';
import { describe, expect, it } from 'vitest';
import type { DiskPath, TreePath } from '../../src/model/names.ts';
import type { Place } from '../../src/savepoint.ts';
import { scopeOf, treePathOf } from '../../src/verbs/given-paths.ts';

function place(folder: string, dir = `/real/project/${folder}`.replace(/\/$/, '')): Place {
  return { root: '/real/project' as DiskPath, folder: folder as TreePath, dir: dir as DiskPath, platform: 'linux' };
}

describe('paths as callers give them', () => {
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
  ])('%j from %j is %j', (given, folder, wanted) => {
    expect(treePathOf(place(folder), given)).toBe(wanted);
  });

  it('an absolute path may go through the name that the caller has for the folder', () => {
    expect(treePathOf(place('x', '/link/x'), '/link/x/a.txt')).toBe('x/a.txt');
    expect(treePathOf(place('', '/link'), '/link')).toBe('');
  });

  it('bytes that are no UTF-8 stay what they are', () => {
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
  ])('%j from %j is refused', (given, folder) => {
    let thrown: unknown = null;
    try {
      treePathOf(place(folder), given);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(SavepointError);
    expect((thrown as SavepointError).code).toBe('PATH_REFUSED');
    expect((thrown as SavepointError).data['path']).toBeDefined();
  });

  it('none means the folder that the caller stands in, and at the top everything', () => {
    expect(scopeOf(place('x/y'), [])).toEqual(['x/y']);
    expect(scopeOf(place(''), [])).toEqual([]);
    expect(scopeOf(place('x/y'), ['a', '../b'])).toEqual(['x/y/a', 'x/b']);
  });
});
