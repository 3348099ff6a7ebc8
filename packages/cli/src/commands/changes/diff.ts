import { nameFromJson, SavepointError } from '@savepoint/core';
import { showContent, VERBS } from '@savepoint/core/faces';
import { command, lines } from '../../command.ts';
import { changeLine, statOf, totalsLine } from '../../show/changes.ts';
import { rootChangeLines } from '../../show/roots.ts';
import type { Style } from '../../view.ts';

export const diff = command({
  verb: VERBS.diff,
  operands: [
    ['[from]', 'a checkpoint; without it, the last one'],
    ['[to]', 'another checkpoint; without it, the folder as it is'],
  ],
  takesPaths: true,
  options: [
    { flags: '--stat', description: 'a line for each path, with a bar' },
    { flags: '--patch', description: "the differences themselves, in git's format", conflicts: 'stat' },
    { flags: '--change <id>', description: 'that change alone, as cp_12.3, its hunks numbered', conflicts: 'stat' },
  ],
  examples: [
    'savepoint diff',
    'savepoint diff --change cp_12.3',
    'savepoint diff --stat cp_1 cp_4',
    'savepoint diff last --patch -- src docs/guide.md',
    'savepoint diff cp_4 --patch | git apply -R',
  ],

  input({ operands: [from, to], paths, options }) {
    if (from === '' || to === '') {
      throw new SavepointError('BAD_ID', 'An empty name does not name a checkpoint.', { given: '' });
    }
    return {
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(paths.length === 0 ? {} : { paths: [...paths] }),
      ...(options['patch'] === true ? { patch: true } : {}),
      ...(typeof options['change'] === 'string' ? { change: options['change'] } : {}),
    };
  },

  render({ from, to, changes, totals, patch, hunks, rootChanges }, view, { options }) {
    if (patch !== null) {
      const plain = nameFromJson(patch.text);
      // A patch may say anything behind the second @@ of a hunk.
      const bytes = hunks === null ? plain : numbered(plain, hunks);
      // A program gets the bytes as they are; a terminal gets nothing that could act on it.
      return view.isTerminal ? coloured(showContent(bytes), view.style) : Buffer.from(bytes, 'latin1');
    }
    const heading = `${from === null ? 'before' : from.id} \u2192 ${to === null ? 'the folder as it is' : to.id}`;
    const roots = rootChangeLines(rootChanges);
    if (changes.length === 0)
      return lines(roots.length === 0 ? `${heading}: no difference` : [`${heading}: no file differs`, ...roots]);
    const body = options['stat'] === true ? statOf(changes, view) : changes.map((one) => changeLine(one, view.style));
    return lines(heading, body, totalsLine(totals), roots);
  },
});

function coloured(patch: string, style: Style): string {
  return patch
    .split('\n')
    .map((line) => {
      if (/^(?:diff |index |--- |\+\+\+ |new |old |deleted |# )/.test(line)) return style.strong(line);
      if (line.startsWith('@@')) return style.id(line);
      return line.startsWith('+') ? style.good(line) : line.startsWith('-') ? style.bad(line) : line;
    })
    .join('\n');
}

/** A hunk's head takes the same place in both lists; lines of its body begin with another sign. */
function numbered(patch: string, hunks: readonly { readonly number: number }[]): string {
  let next = 0;
  return patch.replace(/^@@ .* @@/gm, (head) => {
    const hunk = hunks[next++];
    return hunk === undefined ? head : `${head} hunk ${hunk.number}`;
  });
}
