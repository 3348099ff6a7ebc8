/** What copies get of `node_modules`, in the layouts of package managers. Programs are run to see what they load. */

import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifest } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { Place } from '../../place.ts';
import { monorepo } from '../monorepo.ts';

const POLICIES = ['auto', 'copy', 'link'] as const;
const EACH = (['npm', 'pnpm'] as const).flatMap((layout) => POLICIES.map((policy) => [layout, policy] as const));

test.each(EACH)(
  'the tests of a monorepo load the changed package of the copy: %s, %s',
  async (layout, dependencies) => {
    const p = monorepo(layout);
    const before = manifest(p.at(''));
    const made = await p.open().openCopy({ purpose: 'check', rungs: ['copy'], dependencies });
    const { files } = made.copy;
    writeFileSync(join(files, 'packages/lib/index.js'), "module.exports = 'changed'\n");
    const run = (program: string) =>
      execFileSync('node', [program], { cwd: files, encoding: 'utf8' }).trim().split('\n');
    const [lib, wrapper, plain = ''] = run('packages/app/index.js');
    expect([lib, wrapper]).toEqual(['changed', 'wrapper plugin changed']);
    expect(run('node_modules/.bin/plain')).toEqual([plain]);
    expect(plain.startsWith(files)).toBe(dependencies !== 'link');
    expect(made.notes).toEqual(dependencies === 'link' ? [expect.stringMatching(/^2 packages are links/)] : []);
    expect(made.copy.notIsolated.some((one) => one.includes('packages in node_modules'))).toBe(dependencies === 'link');
    // Tools write into them: they are the copy's own.
    writeFileSync(join(files, 'node_modules/.cache/tool'), 'changed');
    execFileSync('rm', ['-r', join(files, 'node_modules/plain')]);
    const { changes } = await p.open().diffCopy(made);
    expect(changes.map(({ path }) => path)).toEqual(['packages/lib/index.js']);
    await made.copy.drop();
    expect(manifest(p.at(''))).toEqual(before);
  },
);

test('without dependency folders, what was captured in one is there all the same, and nothing looks deleted', async () => {
  const p = monorepo('npm');
  p.write('vendored/node_modules/ours/index.js', 'ours\n');
  p.shell('git init -q . && git add -f vendored');
  const savepoint = p.open();
  for (const dependencies of ['none', 'link'] as const) {
    const made = await savepoint.openCopy({ purpose: 'try', rungs: ['copy'], dependencies });
    const { files } = made.copy;
    expect(existsSync(join(files, 'node_modules'))).toBe(dependencies === 'link');
    expect(lstatSync(join(files, 'vendored/node_modules/ours')).isDirectory()).toBe(true);
    expect(lstatSync(join(files, 'vendored/node_modules/ours/index.js')).isFile()).toBe(true);
    expect((await savepoint.diffCopy(made)).changes).toEqual([]);
    writeFileSync(join(files, 'new'), '');
    await savepoint.applyCopy(made, { description: 'Tried it' });
    expect(p.read('node_modules/.cache/tool')).toBe('cached');
    expect(p.read('vendored/node_modules/ours/index.js')).toBe('ours\n');
    p.shell('rm new');
    await made.copy.drop();
  }
});

test('what a copy links is known when it is opened again, and a package that cannot be understood is copied', async () => {
  const p = monorepo('npm');
  p.write('node_modules/broken/package.json', '{');
  p.write('node_modules/none/index.js', '');
  const savepoint = p.open();
  const { copy } = await savepoint.openCopy({ purpose: 'try', rungs: ['copy'], dependencies: 'link' });
  const isLink = (name: string) => lstatSync(join(copy.files, 'node_modules', name)).isSymbolicLink();
  expect(
    ['plain', '@scope/plain', '@own/lib', 'plugin', 'wrapper', 'broken', 'none', '@scope', '.bin'].map(isLink),
  ).toEqual([true, true, true, false, false, false, false, false, false]);
  expect(readlinkSync(join(copy.files, 'node_modules/plain'))).toBe(p.at('node_modules/plain'));
  const again = await p.open().reopenCopy(copy.record.id);
  expect(again.copy.notIsolated).toEqual(copy.notIsolated);
  await again.copy.drop();
  expect(existsSync(p.at('node_modules/plain/index.js'))).toBe(true);
});

test('programs of a Python environment are said to be those of the folder', async () => {
  const p = new Place();
  p.write('.venv/pyvenv.cfg', 'home = /usr/bin\n');
  const { copy, notes } = await p.open().openCopy({ purpose: 'check', rungs: ['copy'] });
  expect(notes).toEqual([expect.stringMatching(/^\.venv has absolute paths/)]);
  expect(existsSync(join(copy.files, '.venv/pyvenv.cfg'))).toBe(true);
  await copy.drop();
});
