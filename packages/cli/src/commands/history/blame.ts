import { nameFromJson, SavepointError } from '@savepoint/core';
import { type OutputOf, showContent, VERBS } from '@savepoint/core/frontend';
import { nameOfArgument } from '../../argument-path.ts';
import { command, lines } from '../../command.ts';
import { type AuthorshipJson, authorsText, toolText } from '../../show/authors.ts';
import { countText, localTime, pathText } from '../../show/format.ts';
import type { OutputView } from '../../view.ts';

type BlameJson = OutputOf<(typeof VERBS)['blame']>;
type RangeJson = BlameJson['ranges'][number];

export const blame = command({
  verb: VERBS.blame,
  operands: [['<file>', 'the file']],
  takesPaths: false,
  options: [
    { flags: '-L, --lines <first,last>', description: 'only these lines: 10,20, or 10,+5 for five lines' },
    { flags: '--at <checkpoint>', description: 'the file as of this checkpoint (default: as it is now)' },
  ],
  examples: ['savepoint blame src/a.ts', 'savepoint blame -L 10,20 src/a.ts', 'savepoint blame --at cp_12 src/a.ts'],

  input({ operands: [file], options: { lines: range, at } }) {
    return {
      file: nameOfArgument(file ?? ''),
      text: true,
      ...(typeof range === 'string' ? { lines: lineRange(range) } : {}),
      ...(typeof at === 'string' ? { at } : {}),
    };
  },

  render(output, view) {
    const { file, total, ranges } = output;
    if (total === 0) return lines(`${pathText(file)} has no lines.`);
    return lines(blameRows(output, view), notes(output, ranges));
  },
});

/** @throws SavepointError USAGE */
function lineRange(text: string): number[] {
  const [, first, plus, last] = /^([1-9]\d{0,8}),(\+?)([1-9]\d{0,8})$/.exec(text) ?? [];
  const from = Number(first);
  const to = plus === '+' ? from + Number(last) - 1 : Number(last);
  if (first !== undefined && from <= to) return [from, to];
  throw new SavepointError(
    'USAGE',
    `-L needs the first and the last line, such as 10,20 or 10,+5, not ${JSON.stringify(text)}.`,
    { argument: '-L' },
  );
}

/** One row for each line of the file, as `git blame` prints them. */
function blameRows({ file, ranges, total }: BlameJson, { style }: OutputView): string[] {
  const cells = ranges.map((range) => [
    range.change ?? range.checkpoint ?? '–',
    originText(range),
    // The time of the oldest checkpoint says nothing about older lines.
    range.time === null || range.origin === 'older' ? '' : localTime(range.time),
    toolText(authorshipOf(range), range.trigger ?? ''),
    range.path === null || pathText(range.path) === pathText(file) ? '' : pathText(range.path),
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((row) => row[column]!.length)));
  const digits = String(total).length;
  return ranges.flatMap(({ first, text }, index) => {
    const [id, who, time, ...more] = cells[index]!.map((cell, column) => cell.padEnd(widths[column]!));
    const about = [style.id(id!), who, style.faint(time!), ...more].filter((cell) => cell !== '').join('  ');
    return (text ?? []).map((line, offset) => {
      const number = String(first + offset).padStart(digits);
      return `${about}  ${style.faint(`${number})`)} ${showContent(nameFromJson(line).replace(/\r$/, ''))}`;
    });
  });
}

function originText(range: RangeJson): string {
  if (range.origin === 'older') return 'older';
  if (range.origin === 'unknown') return 'unknown ?';
  const authors = authorsText(authorshipOf(range));
  return range.origin === 'uncaptured' ? `${authors}, now` : authors;
}

function authorshipOf({ authors, grade }: RangeJson): AuthorshipJson {
  return { authors, grade: grade ?? 'open' };
}

const WHY_UNKNOWN: Readonly<Record<NonNullable<RangeJson['why']>, string>> = {
  unlisted: 'a checkpoint without a complete list of its changes has them first',
  dropped: 'a checkpoint that is gone had them first',
  skipped: 'the file was not captured for a time',
  missing: 'the content to compare with is no longer in the store',
  'too-long': 'the contents are too long to compare',
};

function notes({ file }: BlameJson, ranges: readonly RangeJson[]): string[] {
  const older = ranges.filter(({ origin }) => origin === 'older');
  const [first] = older;
  const unknown = [...new Set(ranges.flatMap(({ why }) => why ?? []))];
  return [
    ...(first === undefined
      ? []
      : [
          `older: ${countText(countLines(older), 'line')} from before ${first.checkpoint}, the oldest checkpoint. ` +
            `\`git blame ${pathText(file)}\` may know who wrote them.`,
        ]),
    ...unknown.map((why) => {
      const count = countLines(ranges.filter((range) => range.why === why));
      return `unknown: the author of ${countText(count, 'line')} is not recorded: ${WHY_UNKNOWN[why]}.`;
    }),
  ];
}

function countLines(ranges: readonly RangeJson[]): number {
  return ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}
