import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { TOP, tool } from '../../scripts/steps.mjs';
import { folderOf } from './folder-of.ts';
import { reportOf } from './report-of.ts';

const script = fileURLToPath(new URL('../../scripts/summary.mjs', import.meta.url));

/** Runs the command on the reports, with this list of allowed skips. */
function summary(reports: readonly string[], skips: unknown = []): { status: number | null; lines: string[] } {
  const list = join(folderOf({ 'skips.json': JSON.stringify(skips) }), 'skips.json');
  const { status, stdout } = spawnSync(process.execPath, [script, '--skips', list, ...reports], { encoding: 'utf8' });
  return { status, lines: stdout.trimEnd().split('\n') };
}

/** Paths as the script sees them: from the project's top. */
const report = (tests: Parameters<typeof reportOf>[1][string]): string => {
  const path = reportOf(folderOf({}), { 'a.test.ts': tests });
  const text = readFileSync(path, 'utf8').replace(
    /"name":"[^"]*a\.test\.ts"/,
    `"name":${JSON.stringify(join(TOP, 'a.test.ts'))}`,
  );
  writeFileSync(path, text);
  return path;
};

const skip = { test: 'a.test.ts › outer › c', reason: 'needs loop devices', where: 'without root' };

describe('summary', () => {
  it('adds up all runs, in its last line', () => {
    const runs = [report({ a: 'passed', b: 'passed' }), report({ a: 'passed' })];
    expect(summary(runs)).toEqual({ status: 0, lines: ['3 passed, 0 failed, 0 skipped'] });
  });

  it('fails with a failed test, and names it', () => {
    const lines = ['failed: a.test.ts › b', '1 passed, 1 failed, 0 skipped'];
    expect(summary([report({ a: 'passed', b: 'failed' })])).toEqual({ status: 1, lines });
  });

  it('lists a test that passed on its second attempt as flaky, and fails with more than three', () => {
    const flaky = { outcome: 'passed', failures: ['Error: too late\n    at somewhere'] } as const;
    const lines = ['flaky: a.test.ts › b: Error: too late', '2 passed, 0 failed, 0 skipped'];
    expect(summary([report({ a: 'passed', b: flaky })])).toEqual({ status: 0, lines });
    expect(summary([report({ a: flaky, b: flaky, c: flaky })]).status).toBe(0);
    const four = summary([report({ a: flaky, b: flaky, c: flaky, d: flaky })]);
    expect(four.status).toBe(1);
    expect(four.lines.slice(-2)).toEqual(['4 tests are flaky: at most 3 may be', '4 passed, 0 failed, 0 skipped']);
  });

  it('fails with a skipped test that is not on the list', () => {
    const lines = [
      'skipped without an entry in tests/skips.json: a.test.ts › outer c',
      '1 passed, 0 failed, 1 skipped',
    ];
    expect(summary([report({ a: 'passed', 'outer c': 'skipped' })])).toEqual({ status: 1, lines });
  });

  it('allows a skip that is on the list, and one of a whole file', () => {
    const run = report({ a: 'passed', 'outer c': 'skipped' });
    expect(summary([run], [skip])).toEqual({ status: 0, lines: ['1 passed, 0 failed, 1 skipped'] });
    expect(summary([run], [{ ...skip, test: 'a.test.ts › *' }]).status).toBe(0);
    expect(summary([run], [{ ...skip, test: 'b.test.ts › *' }]).status).toBe(1);
  });

  it('fails when the list names a missing test', () => {
    const lines = [
      'tests/skips.json names a test that is gone: a.test.ts › outer › c',
      '1 passed, 0 failed, 0 skipped',
    ];
    expect(summary([report({ a: 'passed' })], [skip])).toEqual({ status: 1, lines });
  });

  it.each([
    ['no reason', [{ ...skip, reason: ' ' }]],
    ['no place', [{ test: skip.test, reason: 'x' }]],
    ['no test name', [{ ...skip, test: 'a.test.ts' }]],
    ['no list', { test: skip.test }],
  ])('fails when the list is malformed: %s', (_, skips) => {
    expect(summary([report({ a: 'passed' })], skips).status).toBe(1);
  });

  it('fails when a report is missing or truncated', () => {
    const good = report({ a: 'passed' });
    expect(summary([good, `${good}.gone`])).toMatchObject({
      status: 1,
      lines: { length: 2, 1: '1 passed, 0 failed, 0 skipped' },
    });
    const torn = join(folderOf({ 'torn.json': '{"testResults":[' }), 'torn.json');
    expect(summary([good, torn]).status).toBe(1);
  });

  it('fails when nothing ran', () => {
    expect(summary([])).toEqual({ status: 1, lines: ['no test passed', '0 passed, 0 failed, 0 skipped'] });
  });
});

describe('a real run', () => {
  /** Runs vitest itself on one file. Returns its own status (`run`) and the summary's result. */
  function ran(text: string): { run: number | null; status: number | null; lines: string[] } {
    const top = folderOf({ 'x.test.mjs': text, 'vitest.config.mjs': 'export default {};' });
    const vitest = tool('vitest', 'vitest');
    const source = join(TOP, 'node_modules/vitest/dist/index.js');
    writeFileSync(join(top, 'x.test.mjs'), text.replace("'vitest'", JSON.stringify(source)));
    const args = [vitest, 'run', '--root', top, '--reporter=json', `--outputFile=${join(top, 'out.json')}`];
    const run = spawnSync(process.execPath, args, { cwd: top, encoding: 'utf8' }).status;
    return { run, ...summary([join(top, 'out.json')]) };
  }

  it('is counted: passed, failed, skipped, to do', () => {
    const text =
      "import { test } from 'vitest'; test('a', () => {}); test('b', () => { throw new Error('x'); }); test.skip('c', () => {}); test.todo('d');";
    expect(ran(text).lines.at(-1)).toBe('1 passed, 1 failed, 2 skipped');
  });

  it('whose file cannot be loaded counts as failed', () => {
    expect(ran("import { test } from 'vitest'; throw new Error('no');")).toMatchObject({
      status: 1,
      lines: { 2: '0 passed, 1 failed, 0 skipped' },
    });
  });

  it('that fails outside of its tests is detected only by its exit status', () => {
    const late = "test('a', () => { setTimeout(() => { throw new Error('late'); }, 0); });";
    const text = `import { test } from 'vitest'; ${late} test('b', () => new Promise((done) => setTimeout(done, 50)));`;
    // This is why scripts/test.mjs and .ci/run check the status of each step, and not only the summary.
    expect(ran(text)).toEqual({ run: 1, status: 0, lines: ['2 passed, 0 failed, 0 skipped'] });
  });
});
