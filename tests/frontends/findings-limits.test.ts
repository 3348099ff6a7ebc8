/** What findings say where little is known, and what cannot stop them. */

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';

const TYPESCRIPT = fileURLToPath(new URL('../../node_modules/typescript', import.meta.url));

/** A function whose new type fits no longer where it is used. */
function typed(p: Project = project()): Project {
  p.write('.gitignore', 'node_modules\n');
  p.write(
    'tsconfig.json',
    '{ "compilerOptions": { "strict": true, "noEmit": true, "types": [] }, "include": ["src"] }',
  );
  p.write('src/price.ts', 'export const price = (): number => 1;\n');
  p.write('src/shop.ts', "import { price } from './price';\nexport const total: number = price();\n");
  p.checkpoint();
  p.write('src/price.ts', "export const price = (): string => '1';\n");
  return p;
}

/** @param program takes the place of the compiler; absent: a real one */
function install(p: Project, program?: string): void {
  mkdirSync(p.at('node_modules/.bin'), { recursive: true });
  if (program === undefined) symlinkSync(TYPESCRIPT, p.at('node_modules/typescript'));
  else {
    const exports = { './unstable/async': './main.js' };
    p.write('node_modules/typescript/package.json', JSON.stringify({ name: 'typescript', version: '7.0.2', exports }));
    p.write('node_modules/typescript/main.js', program);
  }
  symlinkSync('../typescript/bin/tsc', p.at('node_modules/.bin/tsc'));
}

function planOf(p: Project, path: string, content: string): string {
  p.write('../plan.json', JSON.stringify({ files: [{ file_path: path, edits: [{ op: 'write', content }] }] }));
  return JSON.parse(p.ok('plan', 'new', '../plan.json', '-m', 'change', '--json').stdout).id;
}

interface UnsaidJson {
  readonly reason: string;
}

const reasonsOf = (unsaid: readonly UnsaidJson[]): readonly string[] => unsaid.map(({ reason }) => reason).sort();

describe('type errors', () => {
  it('are findings of the files, of a plan and of a review, once a person trusts the check', () => {
    const p = typed();
    install(p);
    expect(p.ok('findings').stdout).not.toContain('Type');
    expect(p.ok('findings', '--types').stdout).toContain('Type errors: The check "tsc" is not trusted');
    p.ok('trust', '--yes');
    // The checker proves what the code alone only suspects.
    expect(p.ok('findings').stdout).toContain('may-be-affected src/shop.ts:2: ');
    const proven = 'breaks src/shop.ts:2: ';
    const said = (one: string, other: string) => `type checker: Type '${one}' is not assignable to type '${other}'.`;
    const expected = expect.stringMatching(new RegExp(`^breaks [^]*${said('string', 'number')}`, 'm'));
    expect(p.ok('findings', '--types').stdout).toEqual(expected);
    expect(p.ok('diff', '--review', '--types').stdout).toEqual(expected);
    p.write('src/more.ts', 'export const more: string = 1;\n');
    p.checkpoint();
    expect(p.ok('findings', '--types', 'cp_1', 'cp_2').stdout).toContain(
      "breaks src/more.ts:1: Type 'number' is not assignable to type 'string'. (type-error)",
    );
    expect(p.ok('findings', '--types', 'cp_2', 'cp_1').stdout).not.toContain(proven);
    const id = planOf(p, 'src/price.ts', 'export const price = (): boolean => true;\n');
    expect(p.ok('findings', '--types', '--plan', id).stdout).toContain(said('boolean', 'number'));
    const wrong = p.run(['diff', '--types']);
    expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('a part of a review')]);
  });

  it('without a checker or trust, a plan is analysed and its findings are kept, and what did not run is said', () => {
    const p = typed();
    const gone = planOf(p, 'src/price.ts', 'export const cost = 1;\n');
    const checked = p.run(['plan', 'check', gone]);
    expect(checked.status).toBe(1);
    expect(checked.stdout).toContain('breaks src/shop.ts:1: ');
    expect(checked.stdout).toContain('No check was run, because these are not trusted, or have changed since: tsc.');
    const shown = p.ok('plan', 'show', gone);
    expect(shown.stdout).toContain('Type errors: The check "tsc" is not trusted');
    expect(p.ok('plan', 'list').stdout).toContain('failed');
    p.ok('trust', '--yes');
    expect(p.run(['plan', 'check', gone]).stdout).toContain('Type errors: TypeScript is in no node_modules folder');
  });

  it('a checker that dies leaves what the code itself says', () => {
    const p = typed();
    install(p, 'process.abort();');
    p.ok('trust', '--yes');
    p.write('src/price.ts', 'export const cost = 1;\n');
    const { findings, unsaid } = JSON.parse(p.ok('findings', '--types', '--json').stdout);
    expect(findings).toMatchObject([{ rule: 'removed-export', path: 'src/shop.ts' }]);
    expect(reasonsOf(unsaid)).toEqual(['crashed']);
  });

  it('are not waited for after Ctrl-C, and their checker is gone', async () => {
    const p = typed();
    install(p, "require('node:fs').writeFileSync(__dirname + '/pid', String(process.pid)); for (;;);");
    p.ok('trust', '--yes');
    const running = p.start(['findings', '--types']);
    const pid = p.at('node_modules/typescript/pid');
    await expect.poll(() => existsSync(pid), { timeout: 20_000 }).toBe(true);
    process.kill(running.pid, 'SIGINT');
    expect((await running.done).status).toBe(130);
    const checker = `/proc/${readFileSync(pid, 'utf8')}/cmdline`;
    expect(existsSync(checker) && readFileSync(checker, 'latin1').includes('type-checker')).toBe(false);
  });
});

it('of a project without dependencies, checks or a known language, what can be said is said, and what cannot', () => {
  const p = project();
  p.write('main.zig', 'const std = @import("std");\n');
  p.write('a.js', "import { b } from './b.js';\nimport left from 'left-pad';\nleft(b);\n");
  p.write('b.js', 'export const b = 1;\n');
  p.checkpoint();
  p.write('main.zig', 'const std = @import("none");\n');
  p.write('b.js', 'export const c = 1;\n');
  p.write('new.py', 'import os\n');
  const { findings, unsaid } = JSON.parse(p.ok('findings', '--types', '--json').stdout);
  // A dependency that is not installed is unknown, and not broken.
  expect(findings.filter((one: { readonly class: string }) => one.class === 'breaks')).toMatchObject([
    { rule: 'removed-export', path: 'a.js', line: 1 },
  ]);
  expect(reasonsOf(unsaid)).toEqual(['no-config', 'no-language']);
  const id = planOf(p, 'main.zig', 'x\n');
  const checked = p.run(['plan', 'check', id]);
  expect([checked.status, checked.stdout]).toEqual([1, expect.stringContaining('No checks were found')]);
  expect(checked.stdout).toContain('1 file not analysed');
});

it('broken, huge, binary and unknown files do not stop them, and are named', () => {
  const p = project();
  p.write('a.ts', "import { b } from './b';\nexport const a = b;\n");
  p.write('b.ts', 'export const b = 1;\n');
  p.checkpoint();
  p.write('b.ts', 'export const c = 1;\n');
  p.write('broken.ts', 'export const = ((((;\n');
  p.write('unknown.xyz', 'what\n');
  p.write('huge.ts', `export const text = [\n${'  "0123456789",\n'.repeat(350_000)}];\n`);
  writeFileSync(p.at('binary.ts'), Buffer.from([0, 1, 2, 0xff, 0xfe, 0, 0xd8]));
  writeFileSync(p.at('deep.ts'), '['.repeat(20_000));
  const { findings, unsaid } = JSON.parse(p.ok('findings', '--json').stdout);
  const found = findings.map((one: { readonly rule: string; readonly path: string }) => `${one.rule} ${one.path}`);
  expect(found).toContain('removed-export a.ts');
  expect(found).toContain('syntax-error broken.ts');
  const named = unsaid.flatMap(({ paths }: { readonly paths: readonly string[] }) => paths).sort();
  expect(named).toEqual(['binary.ts', 'deep.ts', 'huge.ts', 'unknown.xyz']);
});
