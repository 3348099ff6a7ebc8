/** The reader for tools whose output is not known: the exit status decides, and lines that look like errors are findings. */

import { cleanMessage, plainText } from './clean.ts';
import { FindingList, linesOf, type Reader } from './reading.ts';

const ERROR_WORDS =
  /\b(?:errors?|fail(?:ed|ure|ures|s)?|fatal|panic(?:ked)?|exception|traceback|assert(?:ion)?|undefined|cannot|could not|not ok|unexpected|invalid)\b|[✗✘✖×]/i;
const POSITION = /^\s*((?:[\w@.+-]+\/){0,30}[\w@+-][\w@.+-]*\.\w{1,10}):(\d{1,7})(?::(\d{1,7}))?(?::|\s|$)/;
const MAX_LINE = 2_000;
/** If no line looks like an error, the last lines are the findings. */
const LAST_LINES = 20;

export const readLines: Reader = (output) => {
  const list = new FindingList(output);
  if (output.exit === 0) return list.reading();
  const lines = [...linesOf(output.stdout), ...linesOf(output.stderr)]
    .map((line) => plainText(line.slice(0, MAX_LINE)))
    .filter((line) => line.trim() !== '');
  const errors = lines.filter((line) => ERROR_WORDS.test(line) || POSITION.test(line));
  for (const line of errors.length > 0 ? errors : lines.slice(-LAST_LINES)) {
    const position = POSITION.exec(line);
    const rest = position === null ? line : line.slice(position[0].length);
    list.add({
      path: position?.[1] ?? null,
      ...(position === null ? {} : { at: [position[2], position[3]].filter((part) => part !== undefined).join(':') }),
      rule: null,
      message: withoutNumbers(cleanMessage(rest, output.paths)),
      detail: rest.trim(),
    });
  }
  if (list.length === 0) list.add({ path: null, rule: null, message: `exit status ${output.exit}` });
  return list.reading();
};

/** Counts change with each test that is added. */
function withoutNumbers(text: string): string {
  return text.replace(/(?<![\w.-])\d+(?![\w-])/g, '<n>');
}
