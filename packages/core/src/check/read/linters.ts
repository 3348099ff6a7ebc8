/** Readers of linters and type checkers that print JSON. */

import {
  FindingList,
  field,
  jsonFrom,
  linesOf,
  listIn,
  mainOutput,
  positionOf,
  type Reader,
  textIn,
  textOrNull,
  UNREADABLE,
} from './reading.ts';

/** `eslint -f json`. Warnings count only if they alone made it fail. */
export const readEslint: Reader = (output) => {
  const json = jsonFrom(mainOutput(output));
  if (!Array.isArray(json)) return UNREADABLE;
  const messages = json.flatMap((file) => listIn(file, 'messages').map((message) => ({ file, message })));
  const errors = messages.filter(({ message }) => field(message, 'severity') === 2 || field(message, 'fatal') === true);
  const list = new FindingList(output);
  for (const { file, message } of errors.length === 0 && output.exit !== 0 ? messages : errors) {
    list.add({
      path: textOrNull(file, 'filePath'),
      rule: textOrNull(message, 'ruleId'),
      message: textIn(message, 'message'),
      ...positionOf(field(message, 'line'), field(message, 'column')),
    });
  }
  return list.reading();
};

/** `biome lint --reporter=json`. */
export const readBiome: Reader = (output) => {
  const json = jsonFrom(output.stdout);
  if (!Array.isArray(field(json, 'diagnostics'))) return UNREADABLE;
  const all = listIn(json, 'diagnostics');
  const errors = all.filter((one) => ['error', 'fatal'].includes(textIn(one, 'severity')));
  const list = new FindingList(output);
  for (const one of errors.length === 0 && output.exit !== 0 ? all : errors) {
    list.add({
      path: textOrNull(one, 'location', 'path') ?? textOrNull(one, 'location', 'path', 'file'),
      rule: textOrNull(one, 'category'),
      message: textIn(one, 'message') || textIn(one, 'description'),
      ...positionOf(field(one, 'location', 'start', 'line'), field(one, 'location', 'start', 'column')),
    });
  }
  return list.reading();
};

/** `ruff check --output-format json`. */
export const readRuff: Reader = (output) => {
  const json = jsonFrom(mainOutput(output));
  if (!Array.isArray(json)) return UNREADABLE;
  const list = new FindingList(output);
  for (const one of json) {
    list.add({
      path: textOrNull(one, 'filename'),
      rule: textOrNull(one, 'code'),
      message: textIn(one, 'message'),
      ...positionOf(field(one, 'location', 'row'), field(one, 'location', 'column')),
    });
  }
  return list.reading();
};

/** `mypy --output json`: an object in each line. */
export const readMypy: Reader = (output) => {
  const list = new FindingList(output);
  let isReadable = output.exit === 0;
  for (const line of linesOf(output.stdout)) {
    const one = line.startsWith('{') ? jsonFrom(line) : undefined;
    if (one === undefined) continue;
    isReadable = true;
    if (textIn(one, 'severity') !== 'error') continue;
    list.add({
      path: textOrNull(one, 'file'),
      rule: textOrNull(one, 'code'),
      message: textIn(one, 'message'),
      ...positionOf(field(one, 'line'), field(one, 'column')),
    });
  }
  return isReadable ? list.reading() : UNREADABLE;
};

/** `pyright --outputjson`. */
export const readPyright: Reader = (output) => {
  const json = jsonFrom(output.stdout);
  if (!Array.isArray(field(json, 'generalDiagnostics'))) return UNREADABLE;
  const list = new FindingList(output);
  for (const one of listIn(json, 'generalDiagnostics')) {
    if (textIn(one, 'severity') !== 'error') continue;
    const line = field(one, 'range', 'start', 'line');
    list.add({
      path: textOrNull(one, 'file'),
      rule: textOrNull(one, 'rule'),
      message: textIn(one, 'message'),
      ...positionOf(typeof line === 'number' ? line + 1 : undefined, undefined),
    });
  }
  return list.reading();
};
