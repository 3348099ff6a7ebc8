import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_TYPE_LIMITS } from '../../../src/check/types/type-findings.ts';
import { nodeTypeChecker } from '../../../src/io/node/type-checker-program.ts';
import type { TypeCheckRequest } from '../../../src/io/type-checker.ts';
import { proposedProject, TYPESCRIPTS } from './proposed-types.ts';

const CONFIG = JSON.stringify({
  compilerOptions: { strict: true, lib: ['es2015'], types: [], module: 'esnext', moduleResolution: 'bundler' },
  include: ['src'],
});
const FILES = { 'tsconfig.json': CONFIG, 'src/a.ts': 'export const a = 1;\n' };
const CHANGE = { 'src/a.ts': 'export const a: string = 1;\n' };

/** A package that takes the place of TypeScript. */
const planted = (program: string, version = '5.9.3') => ({
  'package.json': JSON.stringify({
    name: 'typescript',
    version,
    main: 'main.js',
    exports: { '.': './main.js', './unstable/async': './main.js' },
  }),
  'main.js': program,
});

test('nothing of the project runs before a person has trusted its check', async () => {
  const marker = 'require("node:fs").writeFileSync(__dirname + "/ran", "");';
  const project = proposedProject(planted(marker, '7.0.2'), FILES);
  const { findings, unsaid, checked } = await project.check(CHANGE, { isTrusted: false });
  expect({ findings, checked }).toEqual({ findings: [], checked: {} });
  expect(unsaid).toMatchObject([{ reason: 'not-trusted', tool: 'typescript', path: '' }]);
  const ran = join(project.folder, 'node_modules/typescript/ran');
  expect(existsSync(ran)).toBe(false);
  // The same package does run once it is trusted.
  expect((await project.check(CHANGE)).unsaid).toMatchObject([{ reason: 'unsupported-version' }]);
  expect(existsSync(ran)).toBe(true);
});

test('what is missing or not known is said', async () => {
  const noConfig = proposedProject(TYPESCRIPTS[6], { 'src/a.ts': '' });
  expect(await noConfig.check(CHANGE)).toMatchObject({ findings: [], checked: {}, unsaid: [{ reason: 'no-config' }] });
  const notInstalled = proposedProject(null, FILES);
  expect((await notInstalled.check(CHANGE)).unsaid).toMatchObject([{ reason: 'not-installed', path: '' }]);
  for (const version of ['3.9.10', '8.0.0', 'x']) {
    const { unsaid } = await proposedProject(planted('', version), FILES).check(CHANGE);
    expect(unsaid).toMatchObject([{ reason: 'unsupported-version', path: 'node_modules/typescript' }]);
  }
  const other = proposedProject(planted('module.exports = { sys: {} };'), FILES);
  expect((await other.check(CHANGE)).unsaid).toMatchObject([{ reason: 'unsupported-version' }]);
});

test('a build without the program for it says so', async () => {
  const project = proposedProject(TYPESCRIPTS[6], FILES);
  const { typeChecker: _, ...ports } = project.ports;
  expect((await project.check(CHANGE, { ports })).unsaid).toMatchObject([{ reason: 'not-available' }]);
});

test('a crash, a hang and too much memory end the process, and the reason is said', async () => {
  const limits = { ...DEFAULT_TYPE_LIMITS, timeoutMs: 1_500 };
  const crash = await proposedProject(planted('process.abort();'), FILES).check(CHANGE);
  expect(crash.unsaid).toMatchObject([{ reason: 'crashed' }]);
  const thrown = await proposedProject(planted('throw new Error("no luck");'), FILES).check(CHANGE);
  expect(thrown.unsaid).toMatchObject([{ reason: 'crashed', message: 'no luck' }]);
  const hang = await proposedProject(planted('for (;;);'), FILES).check(CHANGE, { limits });
  expect(hang.unsaid).toMatchObject([{ reason: 'timed-out' }]);
  const eat = 'const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1));';
  const small = { ...DEFAULT_TYPE_LIMITS, maxMemory: 200 * 1024 ** 2 };
  const large = await proposedProject(planted(eat), FILES).check(CHANGE, { limits: small });
  expect(large.unsaid).toMatchObject([{ reason: 'out-of-memory' }]);
});

test('a checker that hangs ends when the process that started it is killed', async () => {
  const project = proposedProject(planted('for (;;);'), FILES);
  const request: TypeCheckRequest = {
    root: project.folder,
    typescript: 'node_modules/typescript',
    configs: ['tsconfig.json'],
    files: { base: {}, proposed: {} },
    changed: [],
    importers: [],
    renamed: {},
    timeoutMs: 600_000,
    maxMemory: 1024 ** 3,
  };
  const start = nodeTypeChecker.start(1024 ** 3, false);
  const program = `
const child = require('node:child_process').spawn(process.execPath, ${JSON.stringify(start?.args)}, {
  cwd: ${JSON.stringify(project.folder)}, detached: true, env: {}, stdio: ['pipe', 'ignore', 'ignore'],
});
child.stdin.end(${JSON.stringify(JSON.stringify(request))});
setInterval(() => undefined, 1_000);`;
  const parent = spawn(process.execPath, ['-e', program], { stdio: 'ignore' });
  await expect.poll(() => processesIn(project.folder), { timeout: 20_000 }).not.toEqual([String(parent.pid)]);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const started = processesIn(project.folder).filter((pid) => pid !== String(parent.pid));
  expect(started).toHaveLength(1);
  parent.kill('SIGKILL');
  await expect.poll(() => processesIn(project.folder), { timeout: 20_000 }).toEqual([]);
});

test('the checker gets no variables of the caller, and below version 7 it cannot write or start programs', async () => {
  process.env['SECRET_OF_THE_CALLER'] = 'x';
  const program = `
const tried = (what) => { try { what(); return 'done'; } catch (error) { return error.code; } };
throw new Error(JSON.stringify([
  Object.keys(process.env).filter((name) => name !== 'GOMEMLIMIT' && name !== '__CF_USER_TEXT_ENCODING'),
  tried(() => require('node:fs').writeFileSync(__dirname + '/written', '')),
  tried(() => require('node:child_process').execFileSync('true')),
]));`;
  const { unsaid } = await proposedProject(planted(program), FILES).check(CHANGE);
  expect(unsaid[0]?.message).toBe('[[],"ERR_ACCESS_DENIED","ERR_ACCESS_DENIED"]');
});

test('what the checker prints is not trusted', async () => {
  const file = {
    kind: 'file',
    group: 'changed',
    base: [],
    proposed: [{ line: -1, code: {}, message: '\u001b[31mred', names: [1], related: [{ file: '/etc/passwd' }] }],
  };
  const lines = [
    'hello',
    '{',
    JSON.stringify({ ...file, file: '../../outside.ts' }),
    JSON.stringify({ ...file, file: 'src/a.ts', group: 'other' }),
    JSON.stringify({ ...file, file: 'src/a.ts' }),
    JSON.stringify({ kind: 'group', group: 'rest', files: 'many' }),
  ];
  const program = `require('node:fs').writeSync(1, ${JSON.stringify(`${lines.join('\n')}\n`)}); process.exit(0);`;
  const { findings, unsaid, checked } = await proposedProject(planted(program), FILES).check(CHANGE);
  expect(findings).toMatchObject([{ path: 'src/a.ts', line: null, message: 'red', evidence: [] }]);
  expect(checked).toEqual({});
  expect(unsaid).toMatchObject([{ reason: 'crashed' }]);
});

describe.each([6, 7] as const)('TypeScript %i', (version) => {
  test('a check that is cancelled leaves no process, and the folder as it was', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [
        `src/f${at}.ts`,
        `import { a } from "./a";\nexport const x${at}: string = a;\n`,
      ]),
    );
    const project = proposedProject(TYPESCRIPTS[version], { ...FILES, ...many });
    const before = project.digest();
    const running = version === 6 ? 1 : 2;
    let during: readonly string[] = [];
    // On a busy machine, it may have ended before its first findings are read.
    for (let attempt = 0; attempt < 10 && during.length < running; attempt++) {
      const stop = new AbortController();
      const onFindings = (): void => {
        during = processesIn(project.folder);
        stop.abort();
      };
      const checking = project.check(CHANGE, { signal: stop.signal, onFindings });
      await expect(checking).rejects.toMatchObject({ code: 'CANCELLED' });
    }
    expect(during.length).toBeGreaterThanOrEqual(running);
    // They are killed, which takes the system a moment.
    await expect.poll(() => processesIn(project.folder), { timeout: 20_000 }).toEqual([]);
    expect(project.digest()).toBe(before);
  });

  test('odd files do not stop it', async () => {
    const project = proposedProject(TYPESCRIPTS[version], FILES);
    mkdirSync(join(project.folder, 'src/folder.ts'));
    writeFileSync(join(project.folder, 'src/binary.ts'), Buffer.from([0xff, 0xfe, 0, 0xd8, 1, 2, 3]));
    const { findings } = await project.check({
      ...CHANGE,
      'src/utf16.ts': 'placeholder',
      'src/caf\xc3\xa9.ts': 'export const n: number = "é";\n',
      'src/\xff.ts': 'export const n: number = "not a name";\n',
      'src/picture.png': '\0\0',
    });
    const paths = findings.map(({ path }) => path);
    expect(paths).toContain('src/a.ts');
    expect(paths).toContain('src/caf\xc3\xa9.ts');
    expect(paths).not.toContain('src/\xff.ts');
  });
});

/** The processes that are in the folder, or mention it in what they were started with. */
function processesIn(folder: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      if (!/^\d+$/.test(pid)) return false;
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      return command !== '' && (command.includes(folder) || readlinkSync(`/proc/${pid}/cwd`) === folder);
    } catch {
      return false;
    }
  });
}
