import { nameFromJson, SavepointError } from '@savepoint/core';
import { type OutputOf, shellWord, VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { withPathHint } from '../../path-hint.ts';
import { changeLine, statOf, totalsLine } from '../../show/changes.ts';
import { findingsText } from '../../show/findings.ts';
import { pathText } from '../../show/format.ts';
import { patchText } from '../../show/patch.ts';
import { rootChangeLines } from '../../show/roots.ts';
import type { OutputView } from '../../view.ts';

export const diff = command({
  verb: VERBS.diff,
  operands: [
    ['[from]', 'a checkpoint (default: the last one)'],
    ['[to]', 'another checkpoint (default: the current files)'],
  ],
  takesPaths: true,
  isPaged: true,
  options: [
    { flags: '--stat', description: 'show a diffstat', conflicts: 'nameOnly' },
    { flags: '--name-only', description: 'show only the paths', conflicts: 'patch' },
    {
      flags: '--patch',
      description: 'show a patch in git format; the default on a terminal',
      conflicts: 'stat',
    },
    {
      flags: '--review',
      description: 'say what the change breaks elsewhere in the code; with --patch, below the patch',
      conflicts: 'nameOnly',
    },
    {
      flags: '--types',
      description: "with --review: also type errors, from the project's own TypeScript if it is trusted",
    },
    { flags: '--change <id>', description: 'show only this change (cp_12.3), with numbered hunks', conflicts: 'stat' },
  ],
  examples: [
    'savepoint diff',
    'savepoint diff --change cp_12.3',
    'savepoint diff --stat cp_1 cp_4',
    'savepoint diff --name-only @prompt',
    'savepoint diff --review cp_1 cp_4',
    'savepoint diff last --patch -- src docs/guide.md',
    'savepoint diff cp_4 --patch | git apply -R',
  ],

  excessExample: (path) => `savepoint diff last -- ${shellWord(path)}`,

  input({ operands: [from, to], paths, options }, { output }) {
    const isListed = ['stat', 'nameOnly', 'review'].some((name) => options[name] === true);
    if (from === '' || to === '') {
      throw new SavepointError('BAD_ID', 'The name of a checkpoint cannot be empty.', { given: '' });
    }
    return {
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(paths.length === 0 ? {} : { paths: [...paths] }),
      ...(options['patch'] === true || (output === 'terminal' && !isListed && options['change'] === undefined)
        ? { patch: true }
        : {}),
      ...(options['review'] === true ? { review: true } : {}),
      ...(options['types'] === true ? { types: true } : {}),
      ...(typeof options['change'] === 'string' ? { change: options['change'] } : {}),
    };
  },

  carryOut(input, _given, { savepoint, signal }) {
    return withPathHint(
      () => VERBS.diff.handle(savepoint, input, { signal }),
      (path) => `savepoint diff -- ${path}`,
    );
  },

  render(output, view, given) {
    const difference = differenceText(output, view, given.options);
    if (output.review === null) return difference;
    // A patch may have bytes of any encoding.
    return Buffer.concat([Buffer.from(difference), Buffer.from(`\n${findingsText(output.review, view)}`)]);
  },
});

function differenceText(
  { from, to, changes, totals, patch, hunks, rootChanges }: OutputOf<typeof VERBS.diff>,
  view: OutputView,
  options: Readonly<Record<string, unknown>>,
): string | Buffer {
  const heading = `${from === null ? 'before' : from.id} \u2192 ${to === null ? 'current files' : to.id}`;
  const roots = rootChangeLines(rootChanges);
  if (options['nameOnly'] === true) return lines(changes.map(({ path }) => (path === '' ? '.' : pathText(path))));
  const isPatchKnown =
    options['change'] === undefined ||
    changes.every((one) => one.beforeUncaptured === null && one.afterUncaptured === null);
  const plain = patch === null || !isPatchKnown ? null : nameFromJson(patch.text);
  if (plain !== null && hunks !== null) return patchText(numbered(plain, hunks), view);
  if (plain !== null && (options['patch'] === true || options['change'] !== undefined)) return patchText(plain, view);
  if (changes.length === 0)
    return lines(roots.length === 0 ? `${heading}: no changes` : [`${heading}: no files changed`, ...roots]);
  if (plain !== null) return `${lines(heading, totalsLine(totals), roots)}\n${patchText(plain, view)}`;
  const body = options['stat'] === true ? statOf(changes, view) : changes.map((one) => changeLine(one, view.style));
  return lines(heading, body, totalsLine(totals), roots);
}

/** Hunks are in the same order in both. Only a hunk header starts with `@@`. */
function numbered(patch: string, hunks: readonly { readonly number: number }[]): string {
  let next = 0;
  return patch.replace(/^@@ .* @@/gm, (head) => {
    const hunk = hunks[next++];
    return hunk === undefined ? head : `${head} hunk ${hunk.number}`;
  });
}
