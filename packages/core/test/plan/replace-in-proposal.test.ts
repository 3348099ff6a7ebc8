import { expect, test } from 'vitest';
import { replaceInProposal } from '../../src/plan/replace-in-proposal.ts';

const DISK = 'one\ntwo\nthree\nfour\nfive\nsix\n';

function replaced(
  proposed: string | null,
  old: string,
  now: string,
  onDisk: string | null = DISK,
  all = false,
): string {
  const seen = {
    onDisk: onDisk === null ? null : Buffer.from(onDisk),
    proposed: proposed === null ? null : Buffer.from(proposed),
  };
  const found = replaceInProposal(seen, [{ old, new: now, all }]);
  return found.ok ? (found.proposed?.toString() ?? 'no file') : `refused: ${found.message}`;
}

test.each<[string, string | null, string, string, string]>([
  ['text that both have', 'ONE\ntwo\nthree\nfour\nfive\nsix\n', 'five', 'FIVE', 'ONE\ntwo\nthree\nfour\nFIVE\nsix\n'],
  ['text that moved in the proposal', `zero\n${DISK}`, 'five', 'FIVE', 'zero\none\ntwo\nthree\nfour\nFIVE\nsix\n'],
  [
    'text of the proposal only',
    'ONE\ntwo\nthree\nfour\nfive\nsix\n',
    'ONE',
    'EINS',
    'EINS\ntwo\nthree\nfour\nfive\nsix\n',
  ],
  ['text of the disk only', 'ONE\ntwo\nthree\nfour\nfive\nsix\n', 'one', 'UN', 'UN\ntwo\nthree\nfour\nfive\nsix\n'],
  [
    'text of the disk, of which a part was proposed',
    'one\nTWO\nthree\nfour\nFIVE\nsix\n',
    'one\ntwo\nthree\n',
    '1\n2\n3\n',
    '1\n2\n3\nfour\nFIVE\nsix\n',
  ],
  [
    'another line after the same one',
    'one\nnew\ntwo\nthree\nfour\nfive\nsix\n',
    'one',
    'one\nnewer',
    'one\nnewer\nnew\ntwo\nthree\nfour\nfive\nsix\n',
  ],
  ['a file that is to be deleted', null, 'two', 'TWO', 'one\nTWO\nthree\nfour\nfive\nsix\n'],
])('%s is replaced', (_, proposed, old, now, expected) => {
  expect(replaced(proposed, old, now)).toBe(expected);
});

test('text in another place of the proposal is not taken for that of the disk', () => {
  const moved = 'ONE\ntwo\nthree\nfour\nfive\nsix\none\n';
  expect(replaced(moved, 'one', 'UN')).toContain('refused: This text is in another place');
  // With its surroundings, it is clear.
  expect(replaced(moved, 'six\none', 'six\nUN')).toBe('ONE\ntwo\nthree\nfour\nfive\nsix\nUN\n');
});

test('what neither has is refused, and so is an empty text in a file', () => {
  expect(replaced('ONE\ntwo\n', 'seven', '7')).toContain('refused: The search text was not found');
  expect(replaced(DISK, 'o', '0')).toContain('refused: The search text is in');
  expect(replaced(DISK, '', 'x')).toContain('refused: The text to replace is empty');
  expect(replaced(null, '', 'x\n', null)).toBe('x\n');
});

test('line ends stay, and all places of the proposal are replaced', () => {
  expect(replaced('ONE\r\ntwo\r\n', 'ONE\ntwo', 'a\nb', 'one\r\ntwo\r\n')).toBe('a\r\nb\r\n');
  expect(replaced('x\nx\nx\n', 'x', 'y', 'x\n', true)).toBe('y\ny\ny\n');
});
