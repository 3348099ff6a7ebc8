import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CodeFinding } from '../../../src/code/finding.ts';
import { proposedProject, TYPESCRIPTS } from './proposed-types.ts';

const CONFIG = JSON.stringify({
  compilerOptions: {
    strict: true,
    noEmit: true,
    lib: ['es2015'],
    types: [],
    target: 'es2020',
    module: 'esnext',
    moduleResolution: 'bundler',
  },
  include: ['src'],
});

const brief = ({ class: found, path, line, message }: CodeFinding): string =>
  `${found} ${path}:${line} ${message.slice(0, 40)}`;

describe.each([6, 7] as const)('TypeScript %i', (version) => {
  const make = (files: Readonly<Record<string, string>>) =>
    proposedProject(TYPESCRIPTS[version], { 'tsconfig.json': CONFIG, ...files });

  test('only new errors are findings: of changed files first, then of importers, then of the rest', async () => {
    const project = make({
      'src/a.ts': 'export const old: number = "ü€";\nexport const one = 1;\n',
      'src/b.ts': 'export const uses: string = (1 as any);\nexport { one } from "./a";\n',
      'src/c.ts': 'import { one } from "./b";\nexport const text: string = `${one}`;\n',
      'src/d.ts': 'import { one } from "./a";\nexport const two: number = one;\nexport const wrong: boolean = 1;\n',
    });
    const before = project.digest();
    const streamed: CodeFinding[] = [];
    const { findings, checked, unsaid, omitted } = await project.check(
      {
        'src/a.ts': '// ä\nexport const old: number = "ü€";\nexport const one: string = 2;\n',
        'src/new.ts': 'import { missing } from "./a";\n',
      },
      { importers: ['src/d.ts'], onFindings: (added) => streamed.push(...added) },
    );
    expect(findings.map(brief)).toEqual([
      "breaks src/a.ts:3 Type 'number' is not assignable to type ",
      "breaks src/new.ts:1 Module '\"./a\"' has no exported member 'm",
      "breaks src/d.ts:2 Type 'string' is not assignable to type ",
    ]);
    expect(findings[0]).toMatchObject({ rule: 'type-error', follows: null });
    expect(streamed).toEqual(findings);
    expect({ checked, unsaid, omitted }).toEqual({
      checked: { changed: 2, importers: 1, rest: 2 },
      unsaid: [],
      omitted: 0,
    });
    expect(project.digest()).toBe(before);
  });

  test('one more of the same error in a file is new; an error of a renamed file is not', async () => {
    const wrong = (name: string): string => `export const ${name}: number = "x";\n`;
    const project = make({ 'src/a.ts': wrong('one'), 'src/before.ts': wrong('old') });
    const { findings } = await project.check(
      { 'src/a.ts': wrong('two') + wrong('one'), 'src/before.ts': null, 'src/after.ts': wrong('old') },
      { renames: new Map([['src/before.ts', 'src/after.ts']]) },
    );
    expect(findings.map(({ path }) => path)).toEqual(['src/a.ts']);
  });

  test('a removed file and a file in a new folder are seen, and so is a state that is not on disk', async () => {
    const project = make({
      'src/gone.ts': 'export const x = 1;\n',
      'src/user.ts': '\nimport { x } from "./gone";\nx;\n',
    });
    const { findings } = await project.check({
      'src/gone.ts': null,
      'src/deep/er/new.ts': 'export const n: number = "s";\n',
    });
    expect(findings.map(brief)).toEqual([
      "breaks src/deep/er/new.ts:1 Type 'string' is not assignable to type ",
      "breaks src/user.ts:2 Cannot find module './gone' or its corre",
    ]);
    const same = { 'src/user.ts': 'export const broken: number = "s";\n' };
    expect((await project.check(same, { base: same })).findings).toEqual([]);
  });

  test('what is wrong because a module is missing follows from that', async () => {
    const project = make({
      'src/lib.ts': 'export const list = [1];\n',
      'src/far.ts': 'import { list } from "./lib";\nexport const far = list.map((n) => n);\n',
    });
    const { findings } = await project.check(
      {
        'src/lib.ts':
          'import { make, type Made as M } from "./not-there";\nexport const list = make();\nexport const all = make().map((m) => m);\nexport const own: string = 1;\n',
      },
      { importers: ['src/far.ts'], imports: new Map([['src/far.ts', ['src/lib.ts']]]) as never },
    );
    expect(findings.map(brief)).toEqual([
      "breaks src/lib.ts:1 Cannot find module './not-there' or its ",
      "follows src/lib.ts:3 Parameter 'm' implicitly has an 'any' ty",
      "breaks src/lib.ts:4 Type 'number' is not assignable to type ",
      "follows src/far.ts:2 Parameter 'n' implicitly has an 'any' ty",
    ]);
    expect(findings.map(({ follows }) => follows)).toEqual([null, 0, null, 0]);
    expect(findings[3]?.evidence).toEqual([
      expect.objectContaining({ path: 'src/lib.ts', line: 1, state: 'proposed' }),
    ]);
  });

  test('projects that build on each other are checked from their sources, and nothing is written', async () => {
    const part = (name: string, references: readonly string[]): string =>
      JSON.stringify({
        compilerOptions: {
          ...JSON.parse(CONFIG).compilerOptions,
          noEmit: false,
          composite: true,
          outDir: `../out/${name}`,
          rootDir: '.',
        },
        include: ['*.ts'],
        references: references.map((path) => ({ path })),
      });
    const project = proposedProject(TYPESCRIPTS[version], {
      'tsconfig.json': '{ "files": [], "references": [{ "path": "./a" }, { "path": "./b/" }] } // all',
      'a/tsconfig.json': part('a', []),
      'b/tsconfig.json': part('b', ['../a']),
      'a/one.ts': 'export const one = 1;\nexport const wrong: string = 1;\n',
      'b/two.ts': 'import { one } from "../a/one";\nexport const two: number = one;\n',
    });
    const before = project.digest();
    const { findings, unsaid } = await project.check({
      'a/one.ts': 'export const one = "1";\nexport const wrong: string = 1;\n',
    });
    expect(findings.map(brief)).toEqual(["breaks b/two.ts:2 Type 'string' is not assignable to type "]);
    expect(unsaid).toEqual([]);
    expect(project.digest()).toBe(before);
  });

  test('a configuration counts as it is proposed; one with errors is reported', async () => {
    const project = make({ 'src/a.ts': 'export function f(x) { return x; }\n'.replace('x)', 'x: any)') });
    const loose = CONFIG.replace('"strict":true', '"strict":false');
    const { findings } = await project.check(
      { 'tsconfig.json': CONFIG, 'src/b.ts': 'export function g(x) { return x; }\n' },
      { base: { 'tsconfig.json': loose, 'src/b.ts': 'export function g(x) { return x; }\n' } },
    );
    expect(findings.map(brief)).toEqual(["breaks src/b.ts:1 Parameter 'x' implicitly has an 'any' ty"]);
    const broken = await project.check({
      'tsconfig.json': '{ "compilerOptions": { "strict": "x" }, "include": ["src"] }',
    });
    expect(broken.unsaid).toMatchObject([{ reason: 'broken-config', tool: 'typescript', path: 'tsconfig.json' }]);
    expect(broken.findings).toMatchObject([{ path: 'tsconfig.json', rule: 'type-error' }]);
  });

  test('a package of the workspace that is linked in node_modules is seen as it is proposed', async () => {
    const project = make({
      'packages/lib/package.json': '{ "name": "lib", "exports": { ".": "./src/index.ts", "./*": "./src/*.ts" } }',
      'packages/lib/src/index.ts': 'export const value = 1;\n',
      'src/user.ts': 'import { value } from "lib";\nexport const all: number = value;\n',
      'src/other.ts': '',
    });
    symlinkSync('../packages/lib', join(project.folder, 'node_modules/lib'));
    const { findings } = await project.check(
      {
        'packages/lib/src/index.ts': 'export const value = "1";\n',
        'packages/lib/src/more.ts': 'export const more = 1;\n',
        'src/other.ts': 'import { more } from "lib/more";\nexport const text: string = more;\n',
      },
      { importers: ['src/user.ts'] },
    );
    expect(findings.map(brief)).toEqual([
      "breaks src/other.ts:2 Type 'number' is not assignable to type ",
      "breaks src/user.ts:2 Type 'string' is not assignable to type ",
    ]);
  });
});

test('packages with versions of their own are checked by these', async () => {
  const wrong = 'import { gone } from "./gone";\nexport const n = gone((x) => x);\n';
  const project = proposedProject(null, {
    'package.json': '{ "workspaces": ["a", "b"] }',
    'a/package.json': '{}',
    'b/package.json': '{}',
    'a/tsconfig.json': CONFIG,
    'b/tsconfig.json': CONFIG,
    'a/src/x.ts': '',
    'b/src/x.ts': '',
  });
  for (const [name, version] of [
    ['a', 6],
    ['b', 7],
  ] as const) {
    mkdirSync(join(project.folder, name, 'node_modules'));
    symlinkSync(TYPESCRIPTS[version], join(project.folder, name, 'node_modules/typescript'));
  }
  const streamed: CodeFinding[] = [];
  const onFindings = (added: readonly CodeFinding[]) => streamed.push(...added);
  const { findings, checked, unsaid } = await project.check(
    { 'a/src/x.ts': wrong, 'b/src/x.ts': wrong },
    { onFindings },
  );
  expect(findings.map((one) => [one.class, one.path, one.line, one.follows])).toEqual([
    ['breaks', 'a/src/x.ts', 1, null],
    ['follows', 'a/src/x.ts', 2, 0],
    ['breaks', 'b/src/x.ts', 1, null],
    ['follows', 'b/src/x.ts', 2, 2],
  ]);
  expect(streamed).toEqual(findings);
  expect({ checked, unsaid }).toEqual({ checked: { changed: 2, importers: 0, rest: 0 }, unsaid: [] });
});
