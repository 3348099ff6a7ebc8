import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Check } from '../../src/check/check.ts';
import { compareResults } from '../../src/check/compare.ts';
import { DEFAULT_LIMITS } from '../../src/check/run.ts';
import type { TreePath } from '../../src/model/names.ts';
import { project } from './place.ts';

function written(command: readonly string[], more: Partial<Check> = {}): Check {
  const [name = '', ...args] = command;
  return {
    name: 'own',
    tool: 'own',
    kind: 'tests',
    folder: '' as TreePath,
    program: { name, beside: [], inPath: true },
    args,
    env: {},
    format: 'lines',
    definedBy: [],
    runs: null,
    onRequest: false,
    reads: null,
    timeoutMs: null,
    ...more,
  };
}

const sh = (script: string, more: Partial<Check> = {}): Check => written(['sh', '-c', script], more);

test('tsc: an error is a finding without its position, and survives lines above it', async () => {
  const { run, write } = project({
    'tsconfig.json': '{ "compilerOptions": { "strict": true, "types": [] }, "include": ["src"] }',
    'src/a.ts': 'export const a: number = "x";\n',
  });
  const before = await run('tsc');
  expect(before).toMatchObject({
    outcome: 'failed',
    findings: [
      {
        tool: 'tsc',
        path: 'src/a.ts',
        rule: 'TS2322',
        message: "Type 'string' is not assignable to type 'number'.",
        shown: "src/a.ts:1:14: Type 'string' is not assignable to type 'number'. [TS2322]",
      },
    ],
  });
  write({ 'src/a.ts': '\n\nexport const a: number = "x";\n', 'src/b.ts': 'export const b: string = 1;\n' });
  const after = compareResults(await run('tsc'), before, new Map());
  expect(after).toMatchObject({ comparison: 'worse', remaining: 1, fixed: 0, new: [{ path: 'src/b.ts' }] });
  write({ 'src/a.ts': '', 'src/b.ts': '' });
  const passed = await run('tsc');
  expect(passed).toMatchObject({ outcome: 'passed', findings: [] });
  expect(compareResults(passed, before, new Map())).toMatchObject({ comparison: 'ok', fixed: 1 });
});

test('tsc: a broken configuration is not an empty success', async () => {
  const { run } = project({ 'tsconfig.json': '{ "extends": "./nothing.json", "include": ["src"] }' });
  expect((await run('tsc')).outcome).not.toBe('passed');
});

test('biome: errors are findings', async () => {
  const { run } = project({ 'biome.json': '{}', 'src/a.js': 'export const a = (b) => b == 1;\n' });
  const result = await run('biome');
  expect(result.findings).toMatchObject([{ path: 'src/a.js', rule: 'lint/suspicious/noDoubleEquals' }]);
});

test('vitest: failed tests and files that cannot be collected are findings; the tree stays as it is', async () => {
  const { run, write, at } = project({
    'package.json': { type: 'module', devDependencies: { vitest: '4' } },
    'vitest.config.js': 'export default { cacheDir: "../vite-cache" };\n',
    'a.test.js': `import { expect, test } from 'vitest';
test('adds', () => { expect(1).toBe(2); });
test('subtracts', () => undefined);
`,
    'b.test.js': "import './missing.js';\n",
  });
  const before = readdirSync(at.workspace).sort();
  const result = await run('vitest');
  expect(result).toMatchObject({
    outcome: 'failed',
    findings: [
      { path: 'a.test.js', rule: 'adds', message: '' },
      { path: 'b.test.js', rule: '(the tests of the file were not collected)' },
    ],
  });
  expect(result.findings[0]?.shown).toContain('expected 1 to be 2');
  expect(JSON.stringify(result.findings)).not.toContain(at.workspace);
  expect(readdirSync(at.workspace).sort()).toEqual(before);
  write({ 'a.test.js': '', 'b.test.js': '' });
  expect((await run('vitest')).outcome).toBe('failed');
});

test('vitest: no test at all is a result of its own', async () => {
  const { run } = project({ 'package.json': { devDependencies: { vitest: '4' } } });
  expect(await run('vitest')).toMatchObject({ outcome: 'collected-nothing', why: 'it ran no tests' });
});

test('the test runner of Node: failed tests are findings', async () => {
  const { run } = project({
    'package.json': { scripts: { test: 'node --test a.test.mjs' } },
    'a.test.mjs':
      "import test from 'node:test';\ntest('adds', () => { throw new Error('no'); });\ntest('ok', () => {});\n",
  });
  expect(await run('node-test')).toMatchObject({ outcome: 'failed', findings: [{ rule: 'test.adds', message: '' }] });
});

test('an unknown tool: its exit status decides, and lines that look like errors are findings', async () => {
  const { run } = project({});
  expect(await run(sh('echo error: not an error'))).toMatchObject({ outcome: 'passed', findings: [] });
  expect(await run(sh('echo 12 tests; echo "src/a.c:3:7: undefined x" >&2; exit 3'))).toMatchObject({
    outcome: 'failed',
    findings: [{ path: 'src/a.c', message: 'undefined x', shown: 'src/a.c:3:7: undefined x' }],
  });
  expect(await run(sh('exit 3'))).toMatchObject({ outcome: 'failed', findings: [{ message: 'exit status 3' }] });
});

test('what does not finish, crashes or is not installed is never a success', async () => {
  const { run } = project({ 'tsconfig.json': '{}' });
  expect(await run(sh('sleep 60', { timeoutMs: 100 }))).toMatchObject({
    outcome: 'did-not-finish',
    why: 'it was killed after 0.1 s',
  });
  expect(await run(sh('kill -SEGV $$'))).toMatchObject({ outcome: 'crashed', why: 'SIGSEGV ended it' });
  expect(await run(sh('exit 2', { format: 'eslint', kind: 'lint' }))).toMatchObject({
    outcome: 'crashed',
    why: 'it ended with exit status 2 and named no failure',
  });
  expect(await run(sh('exit 0', { format: 'junit' }))).toMatchObject({
    outcome: 'crashed',
    why: 'its output cannot be read',
  });
  expect(await run(sh('exit 127'))).toMatchObject({ outcome: 'not-installed' });
  expect(await run(written(['no-such-program-here']))).toMatchObject({
    outcome: 'not-installed',
    why: 'no-such-program-here was not found',
  });
  expect(await run(written(['./missing.sh']))).toMatchObject({ outcome: 'not-installed' });
});

test('can be cancelled, with everything that it started', async () => {
  const { run, at } = project({});
  const stop = new AbortController();
  const running = run(sh('(sleep 30; touch late) & touch begun; wait'), {
    signal: stop.signal,
  });
  while (!existsSync(join(at.workspace, 'begun'))) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  expect(await running).toMatchObject({ outcome: 'did-not-finish', why: 'it was cancelled' });
});

test.runIf(process.platform === 'linux')('is killed if it needs too much memory', async () => {
  const { run } = project({});
  const script = 'const all = []; setInterval(() => all.push(Buffer.alloc(16 * 1024 * 1024, 1)), 20)';
  expect(
    await run(written(['node', '-e', script]), { limits: { ...DEFAULT_LIMITS, maxMemory: 200 * 1024 * 1024 } }),
  ).toMatchObject({ outcome: 'did-not-finish', why: 'it was killed because it needed more than 200 MB of memory' });
});

test('passes on the output as it arrives, and keeps its end', async () => {
  const { run } = project({});
  const parts: string[] = [];
  const result = await run(sh('echo one; echo two >&2'), { onOutput: (part) => parts.push(part.toString()) });
  expect(parts.sort().join('')).toBe('one\ntwo\n');
  expect(result.output).toBe('one\ntwo\n');
});

test('the output file is outside of the tree, and not followed if it is a link', async () => {
  const { run, at } = project({});
  writeFileSync(join(at.workspace, 'secret.json'), '[]');
  const own = written(['sh', '-c', 'ln -s "$PWD/secret.json" "$0"', '{output}'], { format: 'ruff', kind: 'lint' });
  expect(await run(own)).toMatchObject({ outcome: 'crashed', why: 'its output file cannot be read' });
  const good = written(['sh', '-c', 'echo "[]" > "$0"; case "$0" in "$PWD"*) exit 9;; esac', '{output}'], {
    format: 'ruff',
    kind: 'lint',
  });
  expect(await run(good)).toMatchObject({ outcome: 'passed' });
});

test('gets no variables except the given ones, and does not think that it has a terminal', async () => {
  const { run } = project({});
  process.env['SAVEPOINT_TEST_LEAK'] = 'leaked';
  const result = await run(sh('env', { env: { OWN: '1' } }));
  delete process.env['SAVEPOINT_TEST_LEAK'];
  expect(result.output).toContain('OWN=1\n');
  expect(result.output).toContain('NO_COLOR=1\n');
  expect(result.output).not.toContain('LEAK');
});
