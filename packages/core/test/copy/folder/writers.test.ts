/** Programs that write in place, and a monorepo, in a copy. The real tree is compared by content, mode, inode and times. */

import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, lstatSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { manifest } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { Place } from '../../place.ts';

/** Everything that a write changes, even a write of the same bytes. */
function fingerprint(folder: string): unknown {
  const times = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const { ino, mtimeMs, ctimeMs } = lstatSync(join(folder, name));
    return [name, ino, mtimeMs, ctimeMs];
  });
  return [manifest(folder), times.sort()];
}

const WRITERS: readonly string[] = [
  `node -e "require('fs').writeFileSync('a', 'x')"`,
  `node -e "require('fs').appendFileSync('linked', 'x')"`,
  'echo x | tee a linked',
  'echo x >>a; echo x >linked',
  'cp other a; cp other node_modules/pkg/index.js',
  'sed -i s/text/x/ a linked',
  'chmod 777 a linked node_modules/pkg/index.js .',
  'touch -d 2001-01-01 a folder',
  'rm -r folder; mkdir folder; echo new >folder/file; mv a b; ln -sf other linked',
  'truncate -s 0 absolute; rm absolute',
  '(sleep 0.1; echo late >a) & wait',
];

const PYTHON = `
import mmap, os
open('a', 'w').write('x')
with open('other', 'r+b') as f:
    m = mmap.mmap(f.fileno(), 0)
    m[0:1] = b'x'
    m.flush()
os.utime('linked')
`;

test('programs that write in place never reach the real tree', async () => {
  const p = new Place();
  for (const name of ['a', 'other', 'folder/file', 'node_modules/pkg/index.js']) p.write(name, 'text\n');
  linkSync(p.at('a'), p.at('linked'));
  symlinkSync(p.at('other'), p.at('absolute'));
  chmodSync(p.at('other'), 0o644);
  const savepoint = p.open();
  await savepoint.checkpoint();
  const before = fingerprint(p.at(''));
  for (const writer of WRITERS) {
    const { copy } = await savepoint.openCopy({ purpose: 'try', rungs: ['copy'] });
    execFileSync('sh', ['-c', writer], { cwd: copy.files });
    await copy.drop();
    expect(fingerprint(p.at('')), writer).toEqual(before);
  }
  const { copy } = await savepoint.openCopy({ purpose: 'try', rungs: ['copy'] });
  execFileSync('sh', ['-c', 'command -v python3 >/dev/null || exit 0; python3 -c "$0"', PYTHON], { cwd: copy.files });
  await copy.drop();
  expect(fingerprint(p.at(''))).toEqual(before);
});

test.each([
  ['relative links, as npm, pnpm and yarn make them', '../../packages/lib', '../../../../node_modules/@own/lib/bin.js'],
  ['absolute links', '$PWD/packages/lib', '$PWD/packages/lib/bin.js'],
])('a package of a monorepo imports the changed package of the copy: %s', async (_, lib, bin) => {
  const p = new Place();
  p.write('packages/lib/package.json', '{"name":"@own/lib","main":"index.js"}');
  p.write('packages/lib/index.js', "module.exports = 'old'\n");
  p.write('packages/lib/bin.js', "console.log(require('./index.js'))\n");
  p.write('packages/app/test.js', "console.log(require('@own/lib'))\n");
  p.shell(`mkdir -p node_modules/@own packages/app/node_modules/.bin; ln -s "${lib}" node_modules/@own/lib`);
  p.shell(`ln -s "${bin}" packages/app/node_modules/.bin/own`);
  const { copy } = await p.open().openCopy({ purpose: 'check', rungs: ['copy'] });
  execFileSync('sh', ['-c', `echo "module.exports = 'changed'" >packages/lib/index.js`], { cwd: copy.files });
  for (const program of ['packages/app/test.js', 'packages/app/node_modules/.bin/own']) {
    expect(execFileSync('node', [program], { cwd: copy.files, encoding: 'utf8' })).toBe('changed\n');
  }
  expect(p.read('packages/lib/index.js')).toBe("module.exports = 'old'\n");
  await copy.drop();
});
