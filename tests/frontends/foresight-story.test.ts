/** A plan of 31 files with circular imports and 260 type errors, which is stopped, overridden on purpose, and rolled back. */

import { mkdirSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { approvePlan } from './plan-approval.ts';

const TYPESCRIPT = fileURLToPath(new URL('../../node_modules/typescript', import.meta.url));
const CONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2022',
    types: [],
  },
  include: ['src'],
};
const FEATURES = Array.from({ length: 30 }, (_, nth) => `f${String(nth).padStart(2, '0')}`);
const USERS = Array.from({ length: 10 }, (_, nth) => `u${nth}`);
const REMOVED =
  "src/catalog.ts no longer exports 'items', which this file imports; it was probably renamed to 'goods'.";

const catalog = (name: string): string =>
  `export interface Item {\n  readonly price: number;\n}\n\nexport const ${name}: readonly Item[] = [{ price: 1 }];\n`;

/** Seven functions over what the catalog exports. */
function feature(name: string, more = ''): string {
  const sums = Array.from(
    { length: 7 },
    (_, nth) => `export const ${name}s${nth} = items.map((item) => item.price + ${nth});\n`,
  );
  return `import { items } from './catalog';\n${more}\n${sums.join('')}`;
}

/** A program of 41 files without an error, with a TypeScript of its own. */
function shop(): Project {
  const p = project();
  p.write('.gitignore', 'node_modules\n');
  p.write('tsconfig.json', JSON.stringify(CONFIG));
  p.write('src/catalog.ts', catalog('items'));
  for (const name of FEATURES) p.write(`src/${name}.ts`, feature(name));
  for (const name of USERS) {
    p.write(
      `src/${name}.ts`,
      `import { items } from './catalog';\nexport const ${name} = items.map((one) => one.price);\n`,
    );
  }
  mkdirSync(p.at('node_modules/.bin'), { recursive: true });
  symlinkSync(TYPESCRIPT, p.at('node_modules/typescript'));
  symlinkSync('../typescript/bin/tsc', p.at('node_modules/.bin/tsc'));
  p.checkpoint();
  return p;
}

/** Renames what all files import in one of them only, and lets the others import each other in a circle. */
function plannedFiles(): Readonly<Record<string, string>> {
  const files: Record<string, string> = { 'src/catalog.ts': catalog('goods') };
  for (const [nth, name] of FEATURES.entries()) {
    const next = FEATURES[(nth + 1) % FEATURES.length];
    const text = feature(name, `import { ${next}s0 } from './${next}';\nexport const ${name}next = ${next}s0;\n`);
    // One error is of its own, and does not follow from the rename.
    files[`src/${name}.ts`] =
      nth > 0 ? text : text.replace(/items\.map\(.*6\);\n/, '[1].join();\nexport const n: number = f00s6;\n');
  }
  return files;
}

interface FindingJson {
  readonly class: string;
  readonly rule: string;
  readonly path: string;
  readonly message: string;
  readonly follows: number | null;
  readonly evidence: readonly { readonly path: string; readonly text: string }[];
}

it('is stopped at the dry run, overridden with a reason, and rolled back by its validation', () => {
  const p = shop();
  p.ok('trust', '--yes');
  const files = plannedFiles();
  const request = Object.entries(files).map(([file_path, content]) => ({
    file_path,
    edits: [{ op: 'write', content }],
  }));
  p.write('../plan.json', JSON.stringify({ files: request }));
  const { id, totals } = JSON.parse(p.ok('plan', 'new', '../plan.json', '-m', 'Rename items', '--json').stdout);
  expect(totals.files).toBe(31);

  const checked = p.run(['plan', 'check', id, '--json']);
  expect(checked.status, checked.stderr).toBe(1);
  const { plan, checks } = JSON.parse(checked.stdout);
  expect(checks).toMatchObject([{ name: 'tsc', comparison: 'worse' }]);
  expect(checks[0].new).toHaveLength(260);
  expectPrimaryApart(plan.findings);
  expect(plan).toMatchObject({ checked: 'failed', analysis: { breaks: 41, omitted: 0, unsaid: [] } });
  const shown = p.ok('plan', 'show', id).stdout;
  expect(shown).toContain(`breaks in 40 places: ${REMOVED} (removed-export)`);
  expect(shown).toMatch(/\n {8}follows: src\/f\d\d\.ts:\d+, .* more\n/);

  approvePlan(p, id);
  const refused = p.run(['plan', 'apply', id, '--yes']);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('was not applied: its checks fail')]);
  expect(p.read('src/catalog.ts')).toBe(catalog('items'));

  const why = 'The callers are in the next plan';
  const apply = ['plan', 'apply', id, '--yes', '--override', why, '--validate', 'tsc', '--on-failure', 'rollback'];
  const rolledBack = p.run(apply);
  expect([rolledBack.status, rolledBack.stdout]).toEqual([1, expect.stringContaining('tsc: failed, 260 new')]);
  expect(rolledBack.stdout).toContain('Rolled back');
  expect(p.ok('plan', 'list', '--all').stdout).toContain(why);
  expect(p.read('src/catalog.ts')).toBe(catalog('items'));
  for (const name of FEATURES) expect(p.read(`src/${name}.ts`)).toBe(feature(name));
});

/** 40 files import what is gone, one error is of its own, 219 follow. */
function expectPrimaryApart(findings: readonly FindingJson[]): void {
  const breaks = findings.filter((one) => one.class === 'breaks');
  const gone = breaks.filter(({ rule, message }) => rule === 'removed-export' && message === REMOVED);
  expect(gone).toHaveLength(40);
  // What the checker says of the same place is evidence, and not a finding of its own.
  for (const { path, evidence } of gone) {
    expect(evidence.filter((one) => one.path === path)).toMatchObject([{ text: expect.stringContaining("'items'") }]);
  }
  expect(breaks.filter(({ rule }) => rule !== 'removed-export')).toMatchObject([
    { rule: 'type-error', path: 'src/f00.ts', message: "Type 'string' is not assignable to type 'number'." },
  ]);
  const following = findings.filter((one) => one.class === 'follows');
  expect(following).toHaveLength(219);
  for (const { rule, path, follows } of following) {
    const cause = findings[follows ?? -1];
    expect([rule, cause?.rule, cause?.path]).toEqual(['type-error', 'removed-export', path]);
  }
  const cycles = findings.filter(({ rule }) => rule === 'import-cycle');
  expect(cycles).not.toEqual([]);
  expect(cycles.every((one) => one.class === 'may-be-affected')).toBe(true);
}
