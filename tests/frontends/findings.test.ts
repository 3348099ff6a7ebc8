import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';

/** What the code itself says about a change, on the command line. */

/** A function that another file imports, and a test of that file. */
function small(): Project {
  const p = project();
  p.write('src/price.ts', 'export function price(x: number) {\n  return x;\n}\n');
  p.write('src/shop.ts', "import { price } from './price';\n\nexport const total = price(1);\n");
  p.write('test/shop.test.ts', "import { total } from '../src/shop';\n\ntotal;\n");
  p.checkpoint();
  return p;
}

const WITHOUT_PRICE = 'export function cost(x: number) {\n  return x;\n}\n';

describe('findings', () => {
  it('names what the current files break elsewhere, with the definition that is gone', () => {
    const p = small();
    expect(p.ok('findings').stdout).toContain('No findings.');
    p.write('src/price.ts', WITHOUT_PRICE);
    p.write('notes.txt', 'x\n');
    const { stdout } = p.ok('findings');
    expect(stdout).toMatch(/^breaks src\/shop\.ts:1: .*price/);
    expect(stdout).toContain('before src/price.ts:1: ');
    expect(stdout).toContain('Depend on it: src/shop.ts');
    expect(stdout).toContain('Tests that reach it: test/shop.test.ts');
    expect(stdout).toContain('Not analysed: 1 file (notes.txt) in no language that is understood.');
  });

  it('compares two checkpoints, and gives the same as JSON', () => {
    const p = small();
    p.write('src/price.ts', WITHOUT_PRICE);
    p.checkpoint();
    p.write('src/price.ts', 'export const price = (x: number) => x;\n');
    expect(p.ok('findings', 'cp_1').stdout).not.toContain('breaks');
    const found = JSON.parse(p.ok('findings', 'cp_1', 'cp_2', '--json').stdout);
    expect(found.findings[0]).toMatchObject({ class: 'breaks', path: 'src/shop.ts', line: 1, follows: null });
    expect(found).toMatchObject({ omitted: 0, unsaid: [] });
  });

  it('analyses what a plan would apply, and nothing that is rejected', () => {
    const p = small();
    const price = 'export function price(x: number) {\n  return x;\n}\n';
    const request = {
      files: [{ file_path: 'src/price.ts', edits: [{ old_string: price, new_string: WITHOUT_PRICE }] }],
    };
    p.write('../plan.json', JSON.stringify(request));
    const plan = JSON.parse(p.ok('plan', 'new', '../plan.json', '-m', 'rename', '--json').stdout);
    expect(p.ok('findings', '--plan', plan.id).stdout).toContain('breaks src/shop.ts:1');
    p.ok('plan', 'review', plan.id, '--reject', 'src/price.ts');
    expect(p.ok('findings', '--plan', plan.id).stdout).toContain('No findings.');
    expect(p.run(['findings', 'cp_1', '--plan', plan.id]).stderr).toContain('A plan cannot be combined');
  });
});

describe('of a dry run of an edit', () => {
  const edits = [{ file_path: 'src/price.ts', edits: [{ op: 'write', content: WITHOUT_PRICE }] }];

  it('are of the current files with the edits, and nothing is written', () => {
    const p = small();
    p.write('src/more.ts', "import { price } from './price';\n\nprice(2);\n");
    p.write('src/more.test.ts', "import { gone } from './price';\n\ngone;\n");
    const input = JSON.stringify({ files: edits });
    const { stdout } = p.run(['edit', '--dry-run', '--findings'], { input });
    expect(stdout).toContain('+export function cost(x: number) {');
    expect(stdout).toMatch(/breaks in 2 places: [\s\S]* at src\/more\.ts:1\n {4}at src\/shop\.ts:1\n/);
    expect(p.read('src/price.ts')).toContain('price');
    const answer = JSON.parse(p.run(['edit', '--dry-run', '--findings', '--json'], { input }).stdout);
    // What the current files break already is not of the edits.
    expect(answer.findings.findings.map(({ path }: { path: string }) => path).sort()).toEqual([
      'src/more.ts',
      'src/shop.ts',
    ]);
    expect(JSON.parse(p.run(['edit', '--dry-run', '--json'], { input }).stdout).findings).toBe(null);
    expect(p.ok('list').stdout).not.toContain('cp_2');
  });

  it('follow renames and new files, also where git ignores them', () => {
    const p = small();
    p.write('.gitignore', 'made.ts\n');
    p.write('made.ts', 'export const made = 1;\n');
    p.write('src/use.ts', "import { made } from '../made';\n\nmade;\n");
    const request = {
      dry_run: true,
      findings: true,
      files: [
        { file_path: 'made.ts', edits: [{ op: 'write', content: 'export const other = 1;\n' }] },
        { file_path: 'src/price.ts', edits: [{ op: 'rename', to: 'src/prices/price.ts' }] },
        { file_path: 'new.ts', edits: [{ op: 'create', content: "import { total } from './src/shop';\ntotal;\n" }] },
      ],
    };
    const answer = JSON.parse(p.run(['edit', '--json'], { input: JSON.stringify(request) }).stdout);
    const broken = answer.findings.findings.filter((one: { class: string }) => one.class === 'breaks');
    expect(broken.map((one: { path: string; line: number }) => `${one.path}:${one.line}`).sort()).toEqual([
      'src/shop.ts:1',
      'src/use.ts:1',
    ]);
  });

  it('are refused without a dry run, and bad edits are refused as always', () => {
    const p = small();
    const refused = p.run(['edit', '--findings'], { input: JSON.stringify({ files: edits }) });
    expect(refused).toMatchObject({ status: 2 });
    expect(refused.stderr).toContain('Findings are a part of a dry run.');
    expect(p.read('src/price.ts')).toContain('price');
    const missing = [{ file_path: 'src/price.ts', edits: [{ old_string: 'nowhere', new_string: 'x' }] }];
    const bad = p.run(['edit', '--dry-run', '--findings'], { input: JSON.stringify({ files: missing }) });
    expect(bad.stderr).toContain('Edit 1');
  });
});

it('are part of a review of a difference, below the changed files', () => {
  const p = small();
  p.write('src/price.ts', WITHOUT_PRICE);
  p.checkpoint();
  const { stdout } = p.ok('diff', '--review', 'cp_1', 'cp_2');
  expect(stdout).toMatch(/changed {2}src\/price\.ts[\s\S]*\nbreaks src\/shop\.ts:1: /);
  expect(JSON.parse(p.ok('diff', '--review', 'cp_1', '--json').stdout).review.findings).toHaveLength(1);
  expect(JSON.parse(p.ok('diff', 'cp_1', '--json').stdout).review).toBe(null);
  expect(p.run(['diff', '--review', '--', 'src']).stderr).toContain('cannot be limited to paths');
});

it('folds what follows below its cause, lists places of the same cause, and counts the rest', () => {
  const p = project();
  const names = Array.from({ length: 60 }, (_, nth) => `a${nth}`);
  p.write('a.ts', `export const a = 1;\n${names.map((name) => `export const ${name} = 1;\n`).join('')}`);
  for (const name of names) p.write(`use/${name}.ts`, `import { a, ${name} } from '../a';\na + ${name};\n`);
  p.checkpoint();
  p.write('a.ts', 'export const = 1;\n');
  const broken = p.ok('findings').stdout;
  expect(broken).toMatch(
    /^breaks a\.ts:1: [\s\S]*\n {4}follows: use\/a0\.ts:1, use\/a1\.ts:1, use\/a10\.ts:1, \d+ more\n/,
  );
  p.write('a.ts', names.map((name) => `export const ${name} = 1;\n`).join(''));
  const one = p.ok('findings').stdout;
  expect(one.match(/^breaks /gm)).toHaveLength(1);
  expect(one).toMatch(/^breaks in 60 places: .*'a'[\s\S]*\n {4}at use\/a0\.ts:1\n[\s\S]*\n {4}and 48 more\n/);
  p.write('a.ts', 'export const a = 1;\n');
  const each = p.ok('findings').stdout;
  expect(each.match(/^breaks /gm)).toHaveLength(50);
  expect(each).toContain('\n10 more\n');
});

describe('plan check', () => {
  /** A plan that renames what another file imports, and what is rejected of it. */
  function planned(p: Project): string {
    const price = 'export function price(x: number) {\n  return x;\n}\n';
    const files = [
      { file_path: 'src/price.ts', edits: [{ old_string: price, new_string: WITHOUT_PRICE }] },
      { file_path: 'src/new.ts', edits: [{ op: 'create', content: "import { cost } from './price';\ncost(2);\n" }] },
    ];
    p.write('../plan.json', JSON.stringify({ files }));
    return JSON.parse(p.ok('plan', 'new', '../plan.json', '-m', 'rename', '--json').stdout).id;
  }

  it('keeps findings with the plan, which is then refused without an override', () => {
    const p = small();
    const id = planned(p);
    const checked = p.run(['plan', 'check', id]);
    expect([checked.status, checked.stdout]).toEqual([1, expect.stringContaining('    breaks src/shop.ts:1: ')]);
    const shown = p.ok('plan', 'show', id).stdout;
    expect(shown).toContain('  findings on cp_1:\n    breaks src/shop.ts:1: ');
    const plan = JSON.parse(p.ok('plan', 'show', id, '--json').stdout);
    expect(plan).toMatchObject({
      checked: 'failed',
      dependencies: [{ path: 'src/new.ts', needs: 'src/price.ts' }],
      analysis: { current: true, breaks: 1, omitted: 0, base: 'cp_1' },
    });
    p.ok('plan', 'review', id, '--approve', plan.fingerprint);
    const refused = p.run(['plan', 'apply', id, '--yes']);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('src/shop.ts:1')]);
    expect(p.read('src/price.ts')).toContain('price');
    p.ok('plan', 'apply', id, '--yes', '--override', 'The shop is next');
    expect(p.read('src/price.ts')).toBe(WITHOUT_PRICE);
  });

  it('does not count findings of something else, and drops them with a purge', () => {
    const p = small();
    const id = planned(p);
    p.run(['plan', 'check', id]);
    p.ok('plan', 'review', id, '--reject', 'src/price.ts');
    expect(JSON.parse(p.ok('plan', 'show', id, '--json').stdout)).toMatchObject({
      checked: null,
      findings: [],
      dependencies: [],
      analysis: { current: false },
    });
    expect(p.ok('plan', 'show', id).stdout).toContain('these findings do not count');
    p.ok('purge', '--yes', '--', 'src/price.ts');
    expect(JSON.parse(p.ok('plan', 'show', id, '--json').stdout).analysis).toBe(null);
  });
});
