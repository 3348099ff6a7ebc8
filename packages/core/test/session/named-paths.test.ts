/** The paths that a command names: evidence, so what is not clear is left out or named loosely, but never slow. */
import { describe, expect, test } from 'vitest';
import { simpleCommands } from '../../src/content/shell-words.ts';
import type { PathContext } from '../../src/io/locate-path.ts';
import type { DiskPath, TreePath } from '../../src/model/names.ts';
import { namedPaths } from '../../src/session/named-paths.ts';
import { isNamed } from '../../src/timeline/capture/named.ts';

const fs: PathContext['fs'] = {
  lstat: () => {
    throw new Error('looked up on the disk');
  },
  realpath: () => {
    throw new Error('looked up on the disk');
  },
};

function placeIn(folder: string): PathContext {
  const dir = (folder === '' ? '/w' : `/w/${folder}`) as DiskPath;
  return { root: '/w' as DiskPath, dir, folder: folder as TreePath, platform: 'linux', fs };
}

function names(command: string, path: string, folder = ''): boolean {
  return isNamed(namedPaths(command, placeIn(folder)), path as TreePath);
}

describe('names', () => {
  test.each([
    ["sed -i 's/a/b/' a.txt", 'a.txt'],
    ["sed -Ei.bak 's/a/b/' ./a.txt", 'a.txt'],
    ['echo x > a.txt', 'a.txt'],
    ['echo x >>a.txt', 'a.txt'],
    ['cat b.txt > a.txt', 'a.txt'],
    ['make &> a.txt', 'a.txt'],
    ['make 2>a.txt', 'a.txt'],
    ['cat <<EOF > a.txt\nrm b.txt\nEOF', 'a.txt'],
    ['true && rm a.txt', 'a.txt'],
    ['FOO=1 sudo -n rm a.txt', 'a.txt'],
    ['rm -rf src', 'src/deep/a.txt'],
    ['git checkout HEAD -- src', 'src/a.txt'],
    ['mv b.txt dir', 'dir/b.txt'],
    ['cp b.txt a.txt', 'a.txt'],
    ['rm *.txt', 'a.txt'],
    ['rm src/**/*.[tj]s', 'src/deep/down/a.ts'],
    ['touch {a,b}.txt', 'a.txt'],
    ['touch "with blank.txt"', 'with blank.txt'],
    ['touch with\\ blank.txt', 'with blank.txt'],
    ['prettier --write --config=x a.txt', 'a.txt'],
    ['dd if=/dev/zero of=a.txt', 'a.txt'],
    ['tee /w/a.txt', 'a.txt'],
    ['cd sub && tee a.txt', 'sub/a.txt'],
    ['bash -lc "rm a.txt"', 'a.txt'],
    ['bash -lc rm a.txt', 'a.txt'],
    ["python3 -c \"open('a.txt', 'w')\"", 'a.txt'],
    ["python3 - <<'EOF'\nopen('a.txt', 'w')\nEOF", 'a.txt'],
    ['node gen.js a.txt', 'a.txt'],
    ['find . -name b -exec tee a.txt \\;', 'a.txt'],
    ['tee ünïcode.txt', Buffer.from('ünïcode.txt').toString('latin1')],
  ])('%s', (command, path) => expect(names(command, path)).toBe(true));

  test('relative to the folder of the command', () => {
    expect(names('tee a.txt', 'sub/a.txt', 'sub')).toBe(true);
    expect(names('tee a.txt', 'a.txt', 'sub')).toBe(false);
    expect(names('tee ../a.txt', 'a.txt', 'sub')).toBe(true);
  });
});

describe('does not name', () => {
  test.each([
    ['npm test', 'a.txt'],
    ['cat a.txt', 'a.txt'],
    ['cat a.txt | grep x', 'a.txt'],
    ['grep x a.txt > b.txt', 'a.txt'],
    ['git diff a.txt', 'a.txt'],
    ['git commit -m "change a.txt"', 'a.txt'],
    ["sed -n '/x/p' a.txt", 'a.txt'],
    ['find . -name a.txt', 'a.txt'],
    ['cp a.txt b.txt', 'a.txt'],
    ['node a.js', 'a.js'],
    ['wc -l < a.txt', 'a.txt'],
    ['ls # a.txt', 'a.txt'],
    ['rm -rf .', 'a.txt'],
    ['rm -rf /w', 'a.txt'],
    ['rm ../a.txt', 'a.txt'],
    ['rm "$FILE"/a.txt', 'a.txt'],
    ['rm *.txt', 'sub/a.txt'],
    ['touch src', 'src/a.txt'],
    ['', 'a.txt'],
  ])('%s', (command, path) => expect(names(command, path)).toBe(false));
});

describe('hostile commands', () => {
  test.each([
    ['a megabyte of words', 'rm a '.repeat(200_000)],
    ['a megabyte of quotes', `'"\``.repeat(350_000)],
    ['a megabyte of stars', `rm ${'*'.repeat(1_000_000)}`],
    ['stars and folders', `rm ${'*a/**/'.repeat(160)}`],
    ['many folders', 'cd a; cd /b; '.repeat(5_000)],
    ['here-documents without an end', 'cat <<A <<B <<C\n'.repeat(20_000)],
    ['absolute paths', `rm ${Array.from({ length: 5_000 }, (_, at) => `/x/${at}`).join(' ')}`],
    ['odd characters', 'rm \0 \ud800 \ufffd \r\n \\'],
  ])('%s', (_, command) => {
    const named = namedPaths(command, placeIn(''));
    expect(named.length).toBeLessThanOrEqual(200);
    expect(isNamed(named, 'b/'.repeat(500) as TreePath)).toBe(false);
  });

  test('an open quote reaches to the end, and a command is cut', () => {
    expect(simpleCommands('rm "a b')).toEqual([{ words: ['rm', 'a b'], targets: [], text: '' }]);
    expect(simpleCommands('x'.repeat(1_000_000))[0]?.words[0]?.length).toBe(64 * 1024);
  });
});
