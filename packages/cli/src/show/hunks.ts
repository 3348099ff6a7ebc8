/** The hunks of the changes that a rollback reverts. */
import { type JsonName, nameFromJson } from '@savepoint/core';
import { type OutputOf, showContent, type VERBS } from '@savepoint/core/frontend';
import type { OutputView, Style } from '../view.ts';
import { pathText } from './format.ts';

type RollbackJson = Pick<OutputOf<typeof VERBS.rollback>, 'hunks' | 'results'>;
type HunkJson = RollbackJson['hunks'][number];

/**
 * On a command line, the hunks have names and are shown as they were made, so that the user can choose some of them. A
 * page shows what happens to the files, and only for files that change.
 */
export function hunkLines(output: RollbackJson, { style, isPage }: OutputView): string[] {
  const results = output.results.filter(({ result }) => !isPage || result === 'restored' || result === 'merged');
  const found = results.flatMap(({ path, changes }) => {
    const hunks = output.hunks.filter(({ id }) => changes.includes(id.slice(0, id.indexOf(':'))));
    return hunks.length === 0 ? [] : [{ path, hunks }];
  });
  if (found.length === 0) return [];
  return [
    isPage ? 'lines that change:' : 'hunks, as they were made (roll back single ones with --hunk):',
    ...found.flatMap(({ path, hunks }) => [
      style.strong(pathText(path)),
      ...hunks.flatMap((hunk) => (isPage ? revertedLines(hunk, style) : madeLines(hunk, style))),
    ]),
  ];
}

function madeLines({ id, before, after, text, cut }: HunkJson, style: Style): readonly string[] {
  return [
    `${style.id(id)}  @@ -${before.join(',')} +${after.join(',')} @@`,
    ...linesOf(text).map((line) => painted(line, style)),
    ...(cut ? ['  … (cut; see `savepoint diff --change`)'] : []),
  ];
}

function revertedLines({ before, after, text, cut }: HunkJson, style: Style): readonly string[] {
  return [
    style.id(`@@ -${after.join(',')} +${before.join(',')} @@`),
    ...reverted(linesOf(text)).map((line) => painted(line, style)),
    ...(cut ? ['  … (cut)'] : []),
  ];
}

/** The lines of the opposite hunk: in each group, the removed lines are first again. */
function reverted(lines: readonly string[]): readonly string[] {
  const done: string[] = [];
  let [removed, added]: [string[], string[]] = [[], []];
  for (const line of [...lines, ' ']) {
    if (line.startsWith('+')) removed.push(`-${line.slice(1)}`);
    else if (line.startsWith('-')) added.push(`+${line.slice(1)}`);
    else {
      done.push(...removed, ...added, line);
      [removed, added] = [[], []];
    }
  }
  return done.slice(0, -1);
}

function linesOf(text: JsonName): readonly string[] {
  return showContent(nameFromJson(text)).replace(/\n$/, '').split('\n');
}

function painted(line: string, style: Style): string {
  return line.startsWith('+') ? style.good(line) : line.startsWith('-') ? style.bad(line) : line;
}
