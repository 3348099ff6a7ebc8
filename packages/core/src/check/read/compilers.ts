/** Readers of compilers: tsc, go vet, cargo. */

import { plainText } from './clean.ts';
import {
  FindingList,
  field,
  jsonFrom,
  linesOf,
  listIn,
  positionOf,
  type Reader,
  textIn,
  textOrNull,
  UNREADABLE,
} from './reading.ts';

const TSC_LINE = /^(.{1,4096}?)\((\d{1,7},\d{1,7})\): error (TS\d{1,6}): (.*)$/;
const TSC_GLOBAL = /^error (TS\d{1,6}): (.*)$/;
const GO_LINE = /^(?:vet: )?([^\s:][^:]{0,4096}\.go):(\d{1,7}(?::\d{1,7})?): (.*)$/;

/** `tsc --pretty false`. Lines that are indented continue a message, and explain it. */
export const readTsc: Reader = (output) => {
  const list = new FindingList(output);
  for (const line of linesOf(output.stdout)) {
    const found = TSC_LINE.exec(line);
    if (found !== null) {
      const [, path, at, rule, message] = found as unknown as [string, string, string, string, string];
      list.add({ path, rule, message, at: at.replace(',', ':') });
      continue;
    }
    const global = TSC_GLOBAL.exec(line);
    if (global !== null) list.add({ path: null, rule: global[1]!, message: global[2]! });
  }
  return output.exit === 0 || list.length > 0 ? list.reading() : UNREADABLE;
};

/** `go vet`: each package after a line that starts with `#`. */
export const readGoVet: Reader = (output) => {
  const list = new FindingList(output);
  for (const line of [...linesOf(output.stderr), ...linesOf(output.stdout)]) {
    const found = GO_LINE.exec(line);
    if (found !== null) list.add({ path: found[1]!, at: found[2]!, rule: null, message: found[3]! });
  }
  return output.exit === 0 || list.length > 0 ? list.reading() : UNREADABLE;
};

/** `cargo check` and `cargo test` with `--message-format json`; the tests themselves print text. */
export const readCargo: Reader = (output) => {
  const list = new FindingList(output);
  let isReadable = false;
  let ran: number | null = null;
  // The same error is printed for the library and again for its tests.
  const seen = new Set<string>();
  for (const line of linesOf(output.stdout)) {
    const plain = plainText(line);
    const tests = /^running (\d{1,9}) tests?$/.exec(plain);
    if (tests !== null) {
      isReadable = true;
      ran = (ran ?? 0) + Number(tests[1]);
    }
    const failed = /^test (.{1,2000}?) \.\.\. FAILED\b/.exec(plain);
    if (failed !== null) list.add({ path: null, rule: failed[1]!, message: '', detail: 'failed' });
    const json = line.startsWith('{') ? jsonFrom(line) : undefined;
    const reason = textIn(json, 'reason');
    if (reason === '') continue;
    isReadable = true;
    const text = textIn(json, 'message', 'rendered');
    if (reason !== 'compiler-message' || (text !== '' && seen.has(text))) continue;
    seen.add(text);
    addMessage(list, field(json, 'message'), textIn(json, 'message', 'level'));
  }
  return isReadable || output.exit === 0 ? list.reading(ran) : UNREADABLE;
};

function addMessage(list: FindingList, message: unknown, level: string): void {
  // The last message of a target only counts the others.
  const text = textIn(message, 'message');
  if (!level.startsWith('error') || /^aborting due to/.test(text)) return;
  const spans = listIn(message, 'spans');
  const span = spans.find((one) => field(one, 'is_primary') === true) ?? spans[0];
  list.add({
    path: textOrNull(span, 'file_name'),
    // Cargo prints paths from the top of its workspace.
    rule: textOrNull(message, 'code', 'code'),
    message: text,
    ...positionOf(field(span, 'line_start'), field(span, 'column_start')),
  });
}
