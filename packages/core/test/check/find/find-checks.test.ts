import { mkdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type World, world } from '@savepoint/testkit';
import { expect, onTestFinished, test } from 'vitest';
import type { Check } from '../../../src/check/check.ts';
import { type FoundChecks, findChecks } from '../../../src/check/find/find-checks.ts';
import { filesOfFolder } from '../../../src/check/find/project-files.ts';
import { nodeFs } from '../../../src/io/node/fs.ts';
import type { TreePath } from '../../../src/model/names.ts';

type Files = Readonly<Record<string, string | object>>;

function found(files: Files, roots: readonly string[] = []): FoundChecks {
  const at = projectWith(files);
  return findChecks(filesOfFolder(nodeFs, at.workspace), { projectFile: true, roots: roots as readonly TreePath[] });
}

function projectWith(files: Files): World {
  const at = world(onTestFinished);
  for (const [path, content] of Object.entries(files)) {
    const file = join(at.workspace, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return at;
}

/** Each check as a person would type it. */
function commands(files: Files, roots: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(found(files, roots).checks.map((check) => [check.name, commandOf(check)]));
}

function commandOf({ program, args, folder, env }: Check): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const place = folder === '' ? [] : [`cd ${folder};`];
  return [...place, ...variables, program.name, ...args].join(' ');
}

const VITEST = 'run --coverage.enabled=false --reporter=json --outputFile={output}';
const PYTEST = '--continue-on-collection-errors -p no:cacheprovider -o junit_family=xunit1 --junitxml={output}';

test('an empty folder has no checks', () => {
  expect(found({ 'README.md': '# Hello' })).toEqual({ checks: [], notes: [] });
});

test('finds the tools of a JavaScript project, and no script that only runs them', () => {
  expect(
    commands({
      'package.json': {
        scripts: {
          test: 'vitest',
          lint: 'eslint . && biome lint',
          check: 'npm run lint && tsc --noEmit',
          build: 'vite build',
        },
        devDependencies: { vitest: '4.0.0' },
      },
      'tsconfig.json': '{ "compilerOptions": {} }',
      'biome.json': '{}',
      'eslint.config.js': '',
    }),
  ).toEqual({
    tsc: 'tsc -p tsconfig.json --noEmit --pretty false',
    biome: 'biome lint --reporter=json --max-diagnostics=none .',
    eslint: 'eslint . -f json -o {output}',
    vitest: `vitest ${VITEST}`,
    'npm:build': 'npm run --silent build',
  });
});

test('a build runs only on request', () => {
  const { checks } = found({ 'package.json': { scripts: { build: 'make-it', test: 'mocha' } } });
  expect(checks.map(({ name, onRequest }) => [name, onRequest])).toEqual([
    ['npm:test', false],
    ['npm:build', true],
  ]);
});

test('keeps the arguments and variables of plain scripts', () => {
  expect(
    commands({
      'package.json': {
        scripts: {
          test: 'cross-env TZ=UTC jest --watch --config "jest own.json"',
          lint: 'eslint --fix "src/**/*.ts" -f stylish',
          typecheck: 'tsc -p tsconfig.check.json --noEmit --pretty',
        },
      },
      'tsconfig.json': '{}',
    }),
  ).toEqual({
    tsc: 'tsc -p tsconfig.check.json --noEmit --pretty false',
    eslint: 'eslint src/**/*.ts -f json -o {output}',
    jest: 'TZ=UTC jest --config jest own.json --ci --coverage=false --json --outputFile={output}',
  });
});

test('runs scripts that need a shell, or unknown tools, as they are', () => {
  expect(commands({ 'package.json': { scripts: { test: 'mocha && ava', lint: 'standard | snazzy' } } })).toEqual({
    'npm:lint': 'npm run --silent lint',
    'npm:test': 'npm run --silent test',
  });
  expect(
    commands({ 'package.json': { scripts: { test: 'node --test --experimental-test-coverage test/*.js' } } }),
  ).toEqual({
    'npm:test': 'npm run --silent test',
  });
  expect(commands({ 'package.json': { scripts: { test: 'node --test test' } } })).toEqual({
    'node-test': 'node --test --test-reporter=junit --test-reporter-destination={output} test',
  });
});

test.each([
  [{ 'pnpm-lock.yaml': '' }, 'pnpm', 'run --silent test'],
  [{ 'yarn.lock': '' }, 'yarn', 'run test'],
  [{ 'bun.lock': '' }, 'bun', 'run test'],
  [{ 'package-lock.json': '{}' }, 'npm', 'run --silent test'],
])('uses the package manager of %j', (lock, manager, args) => {
  expect(commands({ 'package.json': { scripts: { test: 'mocha' } }, ...lock })).toEqual({
    [`${manager}:test`]: `${manager} ${args}`,
  });
});

test('the field packageManager decides before lock files', () => {
  const files = { 'package.json': { packageManager: 'pnpm@9.0.0', scripts: { test: 'mocha' } }, 'yarn.lock': '' };
  expect(Object.keys(commands(files))).toEqual(['pnpm:test']);
});

test('the script that npm writes into each new project is not a check', () => {
  expect(commands({ 'package.json': { scripts: { test: 'echo "Error: no test specified" && exit 1' } } })).toEqual({});
});

test('builds a TypeScript project that only has references', () => {
  expect(commands({ 'tsconfig.json': '{ "files": [], /* all */ "references": [{ "path": "a" }, ] }' })).toEqual({
    tsc: 'tsc -b --pretty false',
  });
});

test('in a monorepo, tools of the top check all packages; only members can have more', () => {
  const member = { scripts: { lint: 'standard' }, devDependencies: { vitest: '4' } };
  const files = {
    'package.json': { workspaces: ['packages/*', '!packages/old'], devDependencies: {} },
    'packages/a/package.json': member,
    'packages/a/tsconfig.json': '{}',
    'packages/old/package.json': member,
    'demo/package.json': member,
  };
  expect(commands(files)).toEqual({
    'tsc:packages/a': 'cd packages/a; tsc -p tsconfig.json --noEmit --pretty false',
    'vitest:packages/a': `cd packages/a; vitest ${VITEST}`,
    'npm:lint:packages/a': 'cd packages/a; npm run --silent lint',
  });
  expect(Object.keys(commands({ ...files, 'vitest.config.ts': '', 'tsconfig.json': '{}' }))).toEqual([
    'tsc',
    'vitest',
    'npm:lint:packages/a',
  ]);
});

test('reads the packages of a pnpm workspace', () => {
  const files = {
    'package.json': {},
    'pnpm-workspace.yaml': 'packages:\n  # all\n  - \'libs/**\'\n  - "!libs/old"\ncatalog:\n  - x\n',
    'libs/deep/a/package.json': { devDependencies: { jest: '29' } },
    'libs/old/package.json': { devDependencies: { jest: '29' } },
  };
  expect(Object.keys(commands(files))).toEqual(['jest:libs/deep/a']);
});

test('finds the tools of a Python project', () => {
  const pyproject =
    '[tool.ruff]\nline-length = 100\n[tool.mypy]\nfiles = ["src"]\n[tool.pytest.ini_options]\n[tool.pyright]\n';
  expect(commands({ 'pyproject.toml': pyproject })).toEqual({
    ruff: 'ruff check --no-cache --output-format json --output-file {output} .',
    mypy: 'mypy --no-error-summary --output json',
    pyright: 'pyright --outputjson',
    pytest: `pytest ${PYTEST}`,
  });
  expect(commands({ 'tests/test_a.py': '', 'poetry.lock': '' })).toEqual({ pytest: `poetry run pytest ${PYTEST}` });
  expect(commands({ 'setup.cfg': '[tool:pytest]\n[mypy]\n' })).toEqual({
    mypy: 'mypy --no-error-summary --output json .',
    pytest: `pytest ${PYTEST}`,
  });
});

test('finds Go modules, each on its own, and a Rust workspace as one', () => {
  expect(
    Object.keys(
      commands({ 'go.mod': 'module a', 'tools/go.mod': 'module b', 'Cargo.toml': '', 'crates/x/Cargo.toml': '' }),
    ),
  ).toEqual(['go-vet', 'go-test', 'cargo-check', 'cargo-test', 'go-vet:tools', 'go-test:tools']);
});

test('a Makefile counts for kinds of checks that no tool was found for', () => {
  const makefile = 'test: build\n\tpytest\n\nlint fmt:\n\tshellcheck x.sh\nX := 1\nbuild:\n\tcc\n';
  expect(commands({ Makefile: makefile })).toEqual({
    'make:lint': 'make -f Makefile lint',
    'make:test': 'make -f Makefile test',
    'make:build': 'make -f Makefile build',
  });
  expect(Object.keys(commands({ Makefile: makefile, 'pytest.ini': '' }))).toEqual([
    'pytest',
    'make:lint',
    'make:build',
  ]);
});

test('the project can write checks of its own, and leave out others', () => {
  const { checks, notes } = found({
    '.savepoint.json': {
      checks: {
        smoke: {
          command: ['node', 'smoke.mjs', '{output}'],
          kind: 'tests',
          format: 'junit',
          folder: 'a/',
          timeout_minutes: 2,
        },
        tsc: false,
        eslint: false,
        bad: { command: 'rm -rf /' },
      },
    },
    'tsconfig.json': '{}',
    'biome.json': '{}',
  });
  expect(checks.map(({ name }) => name)).toEqual(['smoke', 'biome']);
  expect(checks[0]).toMatchObject({
    folder: 'a',
    format: 'junit',
    timeoutMs: 120_000,
    args: ['smoke.mjs', '{output}'],
  });
  expect(notes).toEqual([
    '.savepoint.json: checks.bad must have a command: a list of the program and its arguments.',
    '.savepoint.json leaves out the check "eslint", which was not found.',
  ]);
});

test('a written check may say what it reads, and one that does not is what it was', () => {
  const of = (more: object) => found({ '.savepoint.json': { checks: { one: { command: ['x'], ...more } } } });
  expect(of({ reads: ['src/', 'a b.txt'] }).checks[0]?.reads).toEqual(['src', 'a b.txt']);
  expect(of({ reads: ['src', '.'] }).checks[0]?.reads).toBeNull();
  const plain = of({}).checks[0];
  expect([plain?.reads, plain?.definedBy[0]?.text]).toEqual([null, expect.not.stringContaining('reads')]);
  for (const reads of [[], 'src', ['../out'], ['/etc'], [7], ['a//b'], null]) {
    const { checks, notes } = of({ reads });
    expect([checks.length, notes.length]).toEqual([0, 1]);
  }
});

test('repositories inside the workspace are projects of their own', () => {
  const files = {
    'package.json': { devDependencies: { vitest: '4' } },
    'deps/lib/package.json': { devDependencies: { vitest: '4' } },
  };
  expect(Object.keys(commands(files))).toEqual(['vitest']);
  expect(Object.keys(commands(files, ['deps/lib']))).toEqual(['vitest', 'vitest:deps/lib']);
});

test('what defines a check is part of it', () => {
  const { checks } = found({
    'package.json': { scripts: { test: 'sh run.sh', pretest: 'node evil.js' } },
    '.npmrc': 'script-shell=./evil',
    Makefile: 'include rules/own.mk\nlint:\n\techo\n',
    'rules/own.mk': 'x:\n\ty\n',
  });
  const defined = checks.map(({ name, definedBy }) => [name, definedBy.map(({ file, part }) => [file, part])]);
  expect(defined).toEqual([
    [
      'npm:test',
      [
        ['package.json', 'scripts'],
        ['.npmrc', null],
      ],
    ],
    [
      'make:lint',
      [
        ['Makefile', null],
        ['rules/own.mk', null],
      ],
    ],
  ]);
  expect(checks[0]?.definedBy[0]?.text).toContain('evil.js');
});

test('a check is left out if a file that defines it is a link or too large', () => {
  const at = projectWith({
    'package.json': { scripts: { lint: 'sh run.sh' } },
    conf: 'script-shell=./evil',
    'py/pytest.ini': `[pytest]\n${'# x\n'.repeat(300_000)}`,
    'c/Makefile': 'sinclude own.mk\nlint:\n\techo\n',
    'c/own.mk': 'x:\n',
  });
  const find = (): FoundChecks => findChecks(filesOfFolder(nodeFs, at.workspace), { projectFile: true, roots: [] });
  symlinkSync('conf', join(at.workspace, '.npmrc'));
  expect(find()).toMatchObject({
    checks: [],
    notes: [expect.stringMatching(/npm:lint.*\.npmrc is a link/), expect.stringMatching(/pytest:py.*pytest\.ini/)],
  });
  unlinkSync(join(at.workspace, '.npmrc'));
  expect(find().checks.map(({ name }) => name)).toEqual(['npm:lint']);
  rmSync(join(at.workspace, 'package.json'));
  expect(find().checks.find(({ name }) => name === 'make:lint:c')?.definedBy).toMatchObject([
    { file: 'c/Makefile' },
    { file: 'c/own.mk' },
  ]);
});

test.each([
  ['[]'],
  ['{"scripts": [1], "workspaces": {"packages": 3}, "dependencies": null}'],
  ['{"scripts": {"__proto__": "x", "test": 5}}'],
  ['{ "a": "'],
  ['{'.repeat(100_000)],
  ['/*'.repeat(100_000)],
  [`{ "x": 1 ${' '.repeat(200_000)}`],
])('malformed files name no tools: %.40s', (text) => {
  const files = Object.fromEntries(
    [
      'package.json',
      'tsconfig.json',
      '.savepoint.json',
      'pnpm-workspace.yaml',
      'Makefile',
      'pyproject.toml',
      'setup.cfg',
    ].map((name) => [name, text]),
  );
  expect(Object.keys(commands(files)).filter((name) => name !== 'tsc')).toEqual([]);
});
