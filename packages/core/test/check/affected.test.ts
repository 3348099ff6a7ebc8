import { expect, test } from 'vitest';
import { affectedChecks } from '../../src/check/affected.ts';
import type { Check } from '../../src/check/check.ts';
import type { TreePath } from '../../src/model/names.ts';

const path = (text: string): TreePath => text as TreePath;

function check(name: string, reads: readonly string[] | null, text = name): Check {
  return {
    name,
    tool: name,
    kind: 'lint',
    folder: path(''),
    program: { name: 'sh', beside: [], inPath: true },
    args: [],
    env: {},
    format: 'lines',
    definedBy: [{ file: path('.savepoint.json'), part: name, text }],
    runs: null,
    onRequest: false,
    reads: reads?.map(path) ?? null,
    timeoutMs: null,
  };
}

test.each([
  ['nothing is said', null, ['other'], true],
  ['another path', ['src'], ['other', 'srcx', 'a/src'], false],
  ['the path itself', ['src'], ['src'], true],
  ['a path below', ['src'], ['x', 'src/deep/a'], true],
  ['a folder above, which was removed or replaced', ['src/deep/a'], ['src'], true],
])('%s', (_, reads, changed, isAffected) => {
  const known = check('one', reads);
  expect(affectedChecks([known], [known], changed.map(path))).toEqual(isAffected ? [known] : []);
});

test('a check that did not run, or is defined in another way by now, runs', () => {
  const [old, now] = [check('one', ['src']), check('one', ['src'], 'changed')];
  expect(affectedChecks([now, check('two', ['src'])], [old], [path('other')])).toHaveLength(2);
});
