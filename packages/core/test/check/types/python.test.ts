import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { world } from '@savepoint/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { compareResults } from '../../../src/check/compare.ts';
import { findChecks } from '../../../src/check/find/find-checks.ts';
import { filesOfFolder } from '../../../src/check/find/project-files.ts';
import { type CheckRun, DEFAULT_LIMITS, runCheck } from '../../../src/check/run.ts';
import { findingsOfPython, type ProposedPython, unsaidOfPython } from '../../../src/check/types/python-findings.ts';
import type { TypeFindings } from '../../../src/check/types/type-findings.ts';
import { nodePorts } from '../../../src/io/node/ports.ts';
import { type DiskPath, onDisk, type TreePath } from '../../../src/model/names.ts';
import { type FilesOfTest, write } from './proposed-types.ts';

/** Takes the place of pyright, and prints what pyright 1.1.414 prints for the errors that comments name. */
const PYRIGHT = `#!/usr/bin/env node
const fs = require('node:fs');
if (fs.existsSync('crash.py')) process.exit(3);
const generalDiagnostics = fs.readdirSync('.').filter((name) => name.endsWith('.py')).sort().flatMap((name) =>
  fs.readFileSync(name, 'utf8').split('\\n').flatMap((text, line) => {
    const [, rule, message] = /# (report\\w+): (.*)/.exec(text) ?? [];
    const range = { start: { line, character: 0 }, end: { line, character: 1 } };
    return rule === undefined ? [] : [{ file: process.cwd() + '/' + name, severity: 'error', message, range, rule }];
  }));
console.log(JSON.stringify({ version: '1.1.414', generalDiagnostics, summary: {} }));
process.exit(generalDiagnostics.length > 0 ? 1 : 0);
`;

const WITH_PYRIGHT = { 'pyrightconfig.json': '{}', 'node_modules/.bin/pyright': PYRIGHT };

interface Options extends Partial<Omit<ProposedPython, 'imports'>> {
  readonly imports?: ReadonlyMap<TreePath, readonly TreePath[]>;
  readonly run?: CheckRun;
}

/** Both states are folders of their own, as copies are. */
async function check(base: FilesOfTest, proposed: FilesOfTest, options: Options = {}): Promise<TypeFindings> {
  const { folder } = world(onTestFinished);
  const ports = nodePorts(true);
  const place = (name: string, files: FilesOfTest): DiskPath => {
    const root = join(folder, name) as DiskPath;
    mkdirSync(root, { recursive: true });
    write(root, files);
    if (files['node_modules/.bin/pyright'] !== undefined) chmodSync(join(root, 'node_modules/.bin/pyright'), 0o755);
    return root;
  };
  const run = (root: DiskPath): CheckRun => ({
    ports,
    place: {
      files: root,
      seenAs: root,
      output: place('output', {}),
      command: ({ file, args, cwd, env }) => ({ file, args, cwd: cwd === undefined ? root : onDisk(root, cwd), env }),
    },
    env: { PATH: process.env['PATH'] ?? '' },
    limits: DEFAULT_LIMITS,
  });
  const now = place('proposed', proposed);
  const { checks } = findChecks(filesOfFolder(ports.fs, now), { projectFile: true, roots: [] });
  const before = place('base', base);
  const { imports = new Map(), changed = [], importers = [], run: given = run(now) } = options;
  const results = [];
  for (const one of checks) {
    results.push(compareResults(await runCheck(one, given), await runCheck(one, run(before)), new Map()));
  }
  return findingsOfPython(checks, results, { changed, importers, imports: () => imports });
}

const MISSING = 'import gone  # reportMissingImports: Import "gone" could not be resolved\n';
const UNKNOWN = 'x = y  # reportUnknownVariableType: Type of "x" is unknown\n';
const OLD = 'a: int = ""  # reportAssignmentType: Type "str" is not assignable to declared type "int"\n';

test('new errors of pyright are findings, with lines, and those that follow from a missing module apart', async () => {
  const base = { ...WITH_PYRIGHT, 'a.py': OLD, 'b.py': '', 'c.py': '' };
  const proposed = { ...WITH_PYRIGHT, 'a.py': OLD, 'b.py': UNKNOWN, 'c.py': `\n${MISSING}${UNKNOWN}${OLD}` };
  const { findings, unsaid } = await check(base, proposed, {
    changed: ['c.py' as TreePath],
    imports: new Map([['b.py' as TreePath, ['c.py' as TreePath]]]),
  });
  expect(unsaid).toEqual([]);
  expect(findings.map((one) => [one.class, one.path, one.line, one.follows])).toEqual([
    ['breaks', 'c.py', 2, null],
    ['follows', 'c.py', 3, 0],
    ['breaks', 'c.py', 4, null],
    ['follows', 'b.py', 1, 0],
  ]);
  expect(findings[0]).toMatchObject({ rule: 'type-error', message: 'Import "gone" could not be resolved' });
});

test('what cannot be said is said, with the reason', async () => {
  const reasons = async (...given: Parameters<typeof check>) =>
    (await check(...given)).unsaid.map(({ reason }) => reason);
  expect(unsaidOfPython([], ['a.py' as TreePath]).map(({ reason }) => reason)).toEqual(['no-config']);
  expect(unsaidOfPython([], ['a.go' as TreePath])).toEqual([]);
  expect(await reasons(WITH_PYRIGHT, { ...WITH_PYRIGHT, 'crash.py': '' })).toEqual(['crashed']);
  // Then nothing is new for certain, so there are no findings.
  const withoutBase = await check({ ...WITH_PYRIGHT, 'crash.py': '' }, { ...WITH_PYRIGHT, 'a.py': OLD });
  expect(withoutBase).toMatchObject({ findings: [], unsaid: [{ reason: 'no-base', tool: 'pyright' }] });
  const missing = { 'pyrightconfig.json': '{}', 'a.py': OLD };
  const { folder } = world(onTestFinished);
  write(folder, missing);
  expect(await reasons({}, missing, { run: runIn(folder, { PATH: '' }) })).toEqual(['not-installed']);
});

test.each(['package.json', 'requirements-dev.txt', 'pyproject.toml'])('pyright is found by %s', (name) => {
  const { folder } = world(onTestFinished);
  const text =
    {
      'package.json': '{ "devDependencies": { "pyright": "1.1.414" } }',
      'requirements-dev.txt': 'pyright==1.1.414\n',
      'pyproject.toml': '[dependency-groups]\ndev = [\n  "pyright>=1.1",\n]\n',
    }[name] ?? '';
  write(folder, { [name]: text });
  const { checks } = findChecks(filesOfFolder(nodePorts(true).fs, folder), { projectFile: true, roots: [] });
  expect(checks.map((one) => one.name)).toEqual(['pyright']);
});

function runIn(root: DiskPath, env: Readonly<Record<string, string>>): CheckRun {
  return {
    ports: nodePorts(true),
    place: { files: root, seenAs: root, output: root, command: ({ file, args }) => ({ file, args, cwd: root, env }) },
    env,
    limits: DEFAULT_LIMITS,
  };
}
