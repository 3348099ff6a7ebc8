import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TOP, tool } from '../../scripts/steps.mjs';

/** An independent project with the packed packages installed, as if from the registry. */
const project = mkdtempSync(join(tmpdir(), 'savepoint-installed-'));
const windows = process.platform === 'win32';
const npm = (...args: readonly string[]) =>
  execFileSync(windows ? 'npm.cmd' : 'npm', args, { cwd: project, encoding: 'utf8', shell: windows });

let packed: readonly { readonly filename: string; readonly files: readonly { readonly path: string }[] }[] = [];

beforeAll(() => {
  const folders = ['native', 'grammars', 'core', 'cli'].map((name) => join(TOP, 'packages', name));
  packed = JSON.parse(npm('pack', '--json', '--pack-destination', project, ...folders));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'somebody', private: true, type: 'module' }));
  const tarballs = packed.map(({ filename }) => `./${filename}`);
  npm('install', '--no-audit', '--no-fund', '--ignore-scripts', '--omit=dev', ...tarballs);
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

it('holds the built files, their sources and nothing else', () => {
  const files = packed.flatMap((one) => one.files.map(({ path }) => path));
  expect(files).toContain('dist/index.js');
  expect(files).toContain('dist/index.d.ts');
  expect(files).toContain('bundle/savepoint.js');
  expect(files).toContain('bundle/savepoint-linux-x64.node');
  expect(files).toContain('prebuilt/linux-x64.node');
  expect(files).toContain('prebuilt/python.wasm');
  expect(
    files.filter(
      (path) =>
        !/^(dist\/|src\/|bundle\/([\w-]+\.js|savepoint-linux-x64\.node|savepoint-hook|(?:LICENSES|build)\.txt|studio\/(?:index\.html|assets\/[\w.-]+))$|prebuilt\/(?:linux-x64\.node|[\w-]+\.wasm|LICENSES\.txt)$|package\.json$|README|LICENSE)/.test(
          path,
        ),
    ),
  ).toEqual([]);
  expect(files.filter((path) => /\.test\.|tsbuildinfo|\.env/.test(path))).toEqual([]);
});

it('loads in node, both entries', () => {
  const code = "import '@savepoint/core'; import '@savepoint/core/node'; console.log('loaded');";
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: project, encoding: 'utf8' });
  expect(said).toBe('loaded\n');
});

it('the command runs', () => {
  const bin = join(project, 'node_modules/.bin', windows ? 'savepoint.cmd' : 'savepoint');
  expect(execFileSync(bin, ['--version'], { encoding: 'utf8', shell: windows })).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it.runIf(process.platform === 'linux' && process.arch === 'x64')(
  'the command, and the library, find the native add-on',
  () => {
    const look =
      "process.on('exit', () => process._rawDebug(/[^ ]*linux-x64.node/.exec(require('node:fs').readFileSync('/proc/self/maps', 'utf8'))?.[0]))";
    writeFileSync(join(project, 'look.cjs'), look);
    mkdirSync(join(project, 'work'));
    const env = {
      ...process.env,
      SAVEPOINT_HOME: join(project, 'home'),
      NODE_OPTIONS: `--require=${project}/look.cjs`,
    };
    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, args, { cwd: join(project, 'work'), env, encoding: 'utf8' }).stderr;
    const command = run(join(project, 'node_modules/@savepoint/cli/bundle/savepoint.js'), 'checkpoint', '--here');
    expect(command).toContain('/node_modules/@savepoint/cli/bundle/savepoint-linux-x64.node');
    const code = "import { nodePorts } from '@savepoint/core/node'; nodePorts().fs.listWithStats('/');";
    const library = run('--input-type=module', '-e', code);
    expect(library).toContain('/node_modules/@savepoint/native/prebuilt/linux-x64.node');
  },
);

it('has types that a strict TypeScript program can use, checked with everything that they refer to', () => {
  mkdirSync(join(project, 'src'));
  const code =
    "import * as core from '@savepoint/core';\nimport * as node from '@savepoint/core/node';\nexport const used = [core, node];\n";
  writeFileSync(join(project, 'src/main.ts'), code);
  const compilerOptions = {
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    module: 'nodenext',
    target: 'es2023',
    types: ['node'],
    typeRoots: [join(TOP, 'node_modules/@types')],
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  const check = () =>
    execFileSync(process.execPath, [tool('typescript', 'tsc'), '-p', project], { encoding: 'utf8', stdio: 'pipe' });
  expect(check()).toBe('');
  // Make sure that the type check works: an unknown name must be an error.
  writeFileSync(
    join(project, 'src/wrong.ts'),
    "import { noSuchName } from '@savepoint/core/ports';\nexport const wrong = noSuchName;\n",
  );
  expect(check).toThrow(expect.objectContaining({ stdout: expect.stringContaining('noSuchName') }));
});
