/** The page with all keys. */
import type { Style } from '../../view.ts';

const SECTIONS: readonly (readonly [title: string, keys: readonly (readonly [key: string, text: string])[]])[] = [
  [
    'Move',
    [
      ['j k ↓ ↑', 'one row or line'],
      ['ctrl-d ctrl-u', 'half a page; PgDn and PgUp: a page'],
      ['g G', 'to the first, to the last'],
      ['1 2 3 4', 'turns, important checkpoints, all checkpoints, those taken on request'],
      ['enter tab', 'to the diff; esc or tab: back to the list'],
      ['/', 'filter while you type; esc ends it'],
    ],
  ],
  [
    'Diff',
    [
      ['n N', 'next and previous file'],
      ['] [', 'next and previous hunk'],
      ['space', 'fold or unfold the file; z: all files'],
      ['← →', 'scroll long lines'],
      ['J K', 'scroll the diff from the list'],
      ['m', 'mark a row, then compare it with any other; two marks: compare these'],
    ],
  ],
  [
    'Change',
    [
      ['c', 'create a checkpoint'],
      ['r', 'restore all files, chosen ones, or also the conversation; of a turn: the state before it'],
      ['b', 'roll back a file, a checkpoint, a turn, a session or an agent'],
      ['u', 'undo the last operation; ctrl-r or U: redo'],
      ['p', 'pin or unpin a checkpoint, so that no clean-up drops it'],
    ],
  ],
  [
    'Other',
    [
      ['R', 'look again'],
      ['ctrl-z', 'suspend'],
      ['q ctrl-c', 'quit'],
    ],
  ],
];

const KEY_COLUMNS = 15;

export function helpLines(style: Style): readonly string[] {
  return SECTIONS.flatMap(([title, keys], index) => [
    ...(index === 0 ? [] : ['']),
    style.strong(title),
    ...keys.map(([key, text]) => `  ${style.id(key.padEnd(KEY_COLUMNS))} ${text}`),
  ]);
}
