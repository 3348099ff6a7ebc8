import { nameFromJson, SavepointError } from '@savepoint/core';
import { showContent, VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { changeLine, statOf, totalsLine } from '../../show/changes.ts';
import { rootChangeLines } from '../../show/roots.ts';
import type { Style } from '../../view.ts';

export const diff = command({
  verb: VERBS.diff,
  operands: [
    ['[from]', 'a checkpoint (default: the last one)'],
    ['[to]', 'another checkpoint (default: the current files)'],
  ],
  takesPaths: true,
  options: [
    { flags: '--stat', description: 'show a diffstat' },
    { flags: '--patch', description: 'show a patch in git format', conflicts: 'stat' },
    { flags: '--change <id>', description: 'show only this change (cp_12.3), with numbered hunks', conflicts: 'stat' },
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
      throw new SavepointError('BAD_ID', 'The name of a checkpoint cannot be empty.', { given: '' });
    }
    return {
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(paths.length === 0 ? {} : { paths: [...paths] }),
      ...(options['patch'] === true ? { patch: true } : {}),
      ...(typeof options['change'] === 'string' ? { change: options['change'] } : {}),
    };
  },

  async carryOut(input, _given, { savepoint, signal }) {
    try {
      return await VERBS.diff.handle(savepoint, input, { signal });
    } catch (error) {
      if (!(error instanceof SavepointError) || error.code !== 'BAD_ID') throw error;
      const hint = `${error.hint}\nPaths go after --, for example: \`savepoint diff -- src\`.`;
      throw new SavepointError('BAD_ID', error.message, error.data, { hint, cause: error });
    }
  },

  render({ from, to, changes, totals, patch, hunks, rootChanges }, view, { options }) {
    if (patch !== null) {
      const plain = nameFromJson(patch.text);
      // A patch may have any text after the second @@ of a hunk header.
      const bytes = hunks === null ? plain : numbered(plain, hunks);
      // A program gets the raw bytes; for a terminal, control characters are escaped.
      return view.isTerminal ? coloured(showContent(bytes), view.style) : Buffer.from(bytes, 'latin1');
    }
    const heading = `${from === null ? 'before' : from.id} \u2192 ${to === null ? 'current files' : to.id}`;
    const roots = rootChangeLines(rootChanges);
    if (changes.length === 0)
      return lines(roots.length === 0 ? `${heading}: no changes` : [`${heading}: no files changed`, ...roots]);
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

/** Hunks are in the same order in both. Only a hunk header starts with `@@`. */
function numbered(patch: string, hunks: readonly { readonly number: number }[]): string {
  let next = 0;
  return patch.replace(/^@@ .* @@/gm, (head) => {
    const hunk = hunks[next++];
    return hunk === undefined ? head : `${head} hunk ${hunk.number}`;
  });
}
