import { SimDisk, seededRandom, world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { foldName, isProbeName, probeFolding } from '../../src/io/folding.ts';
import { nodeFs } from '../../src/io/node/fs.ts';
import { bytesFromText, type DiskPath } from '../../src/model/names.ts';

const fold = (text: string): string => foldName(bytesFromText(text));

describe('foldName', () => {
  test.each([
    ['README', 'readme'],
    ['\u00c9', '\u00e9'],
    ['\u00e9', 'e\u0301'],
    ['stra\u00dfe', 'STRASSE'],
    ['\ufb01le', 'FILE'],
    ['\u03a3\u03a3', '\u03c3\u03c2'],
    ['\u212a', 'k'],
    ['\u017fave', 'save'],
    ['a\u200db', 'ab'],
    ['\u1e9e', 'ss'],
    ['\u03b1\u0345\u0301', '\u1fb4'],
  ])('%j and %j may be the same name', (one, other) => {
    expect(fold(one)).toBe(fold(other));
  });

  test.each([
    ['a', 'b'],
    ['e', '\u00e9'],
    ['a.txt', 'a_txt'],
    ['\u4e2d', '\u6587'],
  ])('%j and %j are different names', (one, other) => {
    expect(fold(one)).not.toBe(fold(other));
  });

  test('all spellings of a character get the same key', { timeout: 30_000 }, () => {
    const apart: string[] = [];
    for (let code = 0x80; code <= 0x1ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      const spellings = [character.normalize('NFD'), character.toUpperCase(), character.toLowerCase()];
      const keys = new Set([character, ...spellings].map((spelling) => fold(`x${spelling}x`)));
      if (keys.size > 1) apart.push(`${code.toString(16)} ${[...keys].map(encodeURIComponent)}`);
    }
    expect(apart).toEqual([]);
  });

  test('folds ASCII in names that are not UTF-8, and distinguishes their other bytes', () => {
    expect(foldName('CAF\xe9')).toBe(foldName('caf\xe9'));
    expect(foldName('caf\xe9')).not.toBe(foldName('caf\xe8'));
    expect(foldName('caf\xe9')).not.toBe(foldName('caf\xc9'));
  });
});

describe('probeFolding', () => {
  test('tests the disk and leaves no file', () => {
    for (const folds of [false, true]) {
      const disk = new SimDisk({ folds });
      disk.makeFolder('/work' as DiskPath, 0o755);
      const seen: string[] = [];
      disk.onCall = ({ operation, path }) => seen.push(`${operation} ${isProbeName(path.slice('/work/'.length))}`);
      expect(probeFolding(disk, seededRandom(1), '/work' as DiskPath)).toEqual({
        letterCase: folds,
        normalisation: folds,
      });
      expect(seen).toEqual(['openNew true', 'unlink true']);
      expect(disk.list('/work' as DiskPath)).toEqual([]);
    }
  });

  test.skipIf(process.platform !== 'linux')('reports that this disk does not fold names', () => {
    const { workspace } = world(onTestFinished);
    expect(probeFolding(nodeFs, seededRandom(1), workspace)).toEqual({ letterCase: false, normalisation: false });
    expect(nodeFs.list(workspace)).toEqual([]);
  });

  test('removes its file if the test fails', () => {
    const disk = new SimDisk();
    disk.lstat = () => {
      throw new Error('no');
    };
    expect(() => probeFolding(disk, seededRandom(1), '/' as DiskPath)).toThrow('no');
    expect(disk.list('/' as DiskPath)).toEqual([]);
  });
});
