/** Readers of test runners. A test is identified by its name; its message is only displayed. */

import {
  FindingList,
  field,
  jsonFrom,
  linesOf,
  listIn,
  mainOutput,
  type Reader,
  textIn,
  textOrNull,
  UNREADABLE,
} from './reading.ts';
import { elementsOf } from './xml.ts';

/** The rule of a file whose tests could not be collected. */
export const NOT_COLLECTED = '(the tests of the file were not collected)';

/** The JSON reports of vitest and jest. */
export const readTestJson: Reader = (output) => {
  const json = jsonFrom(mainOutput(output));
  if (!Array.isArray(field(json, 'testResults'))) return UNREADABLE;
  const list = new FindingList(output);
  let ran = 0;
  for (const file of listIn(json, 'testResults')) {
    const path = textOrNull(file, 'name');
    const tests = listIn(file, 'assertionResults');
    const failed = tests.filter((test) => textIn(test, 'status') === 'failed');
    ran += tests.filter((test) => ['passed', 'failed'].includes(textIn(test, 'status'))).length;
    for (const test of failed) {
      const rule = textIn(test, 'fullName') || textIn(test, 'title');
      list.add({ path, rule, message: '', detail: firstLine(listIn(test, 'failureMessages')[0]) });
    }
    if (textIn(file, 'status') === 'failed' && failed.length === 0) {
      list.add({ path, rule: NOT_COLLECTED, message: firstLine(textIn(file, 'message')) });
    }
  }
  return list.reading(ran);
};

/** JUnit's XML, as pytest and the test runner of Node write it. */
export const readJunit: Reader = (output) => {
  const text = mainOutput(output).toString('utf8');
  if (!/<testsuites?[\s>/]/.test(text.slice(0, 4_096))) return UNREADABLE;
  const list = new FindingList(output);
  let ran = 0;
  let open: ReadonlyMap<string, string> | null = null;
  let isFailed = false;
  let isSkipped = false;
  const close = (): void => {
    if (open !== null && !isSkipped) ran++;
    open = null;
  };
  for (const element of elementsOf(text)) {
    const { name, attributes } = element;
    if (name === 'testcase') {
      close();
      [open, isFailed, isSkipped] = [attributes, false, false];
    } else if (open !== null && name === 'skipped') isSkipped = true;
    else if (open !== null && (name === 'failure' || name === 'error') && !isFailed) {
      isFailed = true;
      const test: ReadonlyMap<string, string> = open;
      const message = firstLine(attributes.get('message') ?? '');
      const parts = [test.get('classname') ?? '', test.get('name') ?? ''].filter((part) => part !== '');
      const isCollected = !/^collection (?:failure|error)|^error while loading/i.test(message);
      list.add({
        path: test.get('file') ?? null,
        rule: `${parts.join('.')}${isCollected ? '' : ` ${NOT_COLLECTED}`}`,
        message: '',
        detail: message,
      });
      if (!isCollected) isSkipped = true;
    }
  }
  close();
  return list.reading(ran);
};

/** `go test -json`. Old versions print failures to build as plain text. */
export const readGoTest: Reader = (output) => {
  const list = new FindingList(output);
  const failedIn = new Set<string>();
  const failedPackages = new Set<string>();
  let [ran, isReadable] = [0, false];
  const plain: string[] = [];
  for (const line of [...linesOf(output.stdout), ...linesOf(output.stderr)]) {
    const json = line.startsWith('{') ? jsonFrom(line) : undefined;
    const action = textIn(json, 'Action');
    if (action === '') {
      plain.push(line);
      continue;
    }
    isReadable = true;
    const [inPackage, test] = [textIn(json, 'Package'), textIn(json, 'Test')];
    if (action === 'build-output') plain.push(textIn(json, 'Output').trimEnd());
    if (test !== '' && (action === 'pass' || action === 'fail')) ran++;
    if (action !== 'fail') continue;
    if (test === '') failedPackages.add(inPackage);
    else {
      failedIn.add(inPackage);
      list.add({ path: null, rule: `${inPackage} ${test}`, message: '', detail: 'failed' });
    }
  }
  for (const line of plain) {
    const found = /^([^\s:][^:]{0,4096}\.go):(\d{1,7}(?::\d{1,7})?): (.*)$/.exec(line);
    if (found !== null) list.add({ path: found[1]!, at: found[2]!, rule: null, message: found[3]! });
    const failed = /^FAIL\s+(\S{1,1000}) \[(?:build|setup) failed\]/.exec(line);
    if (failed !== null) failedPackages.add(failed[1]!);
  }
  for (const name of failedPackages) {
    if (name !== '' && !failedIn.has(name)) list.add({ path: null, rule: name, message: 'the package failed' });
  }
  return isReadable || list.length > 0 ? list.reading(ran) : UNREADABLE;
};

function firstLine(text: unknown): string {
  if (typeof text !== 'string') return '';
  const start = text.slice(0, 4_096).trimStart();
  return start.split('\n', 1)[0] ?? '';
}
