/** A workspace that is mounted a second time: commands in an overlay find the copy there, too. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { whyNoOverlays } from '@savepoint/testkit';
import { Project } from '@savepoint/testkit/command';
import { expect, onTestFinished, test } from 'vitest';
import { treeState } from '../../packages/core/test/copy/overlay/tree-state.ts';

const whyNot = process.getuid?.() === 0 ? whyNoOverlays() : 'it takes root';
if (whyNot !== null) console.error(`NOT TESTED: overlays on folders that are mounted twice: ${whyNot}`);

function tool(name: string, ...args: readonly string[]): void {
  execFileSync(name, args);
}

function mountedTwice(): Project & { readonly elsewhere: string } {
  const p = new Project();
  onTestFinished(() => p.remove());
  p.write('a.txt', 'a\n');
  p.write('part of it/b.txt', 'b\n');
  p.write('c.txt', 'c\n');
  const elsewhere = `${p.base}/elsewhere: 1`;
  for (const name of ['all', 'part']) mkdirSync(`${elsewhere}/${name}`, { recursive: true });
  writeFileSync(`${elsewhere}/file`, '');
  const mounts = { [p.base]: 'all', [p.at('part of it')]: 'part', [p.at('c.txt')]: 'file' };
  for (const [from, to] of Object.entries(mounts)) {
    tool('mount', '--bind', from, `${elsewhere}/${to}`);
    onTestFinished(() => tool('umount', `${elsewhere}/${to}`));
  }
  return Object.assign(p, { elsewhere });
}

const SCRIPT = `set -e
  cd "$ELSEWHERE"
  echo new >>all/$NAME/a.txt
  echo new >>part/b.txt
  echo new >>file
  rm -r part/gone
  mv all/$NAME/d.txt part/
  ! umount all 2>/dev/null
  ! unshare -Urm sh -c 'umount part; umount all; echo escaped >part/b.txt; mount --bind all part; echo escaped >part/$NAME/a.txt' 2>/dev/null`;

test.skipIf(whyNot !== null).each(['try', 'run --isolated'])('%s: nothing of the real folder changes', (command) => {
  const p = mountedTwice();
  p.write('part of it/gone/x', 'x\n');
  p.write('d.txt', 'd\n');
  const before = treeState(p.dir);
  const env = { ELSEWHERE: p.elsewhere, NAME: p.dir.slice(p.base.length + 1) };
  const tried = p.run([...command.split(' '), '--keep', '--', 'sh', '-c', SCRIPT], { env });
  expect(treeState(p.dir)).toEqual(before);
  expect(tried.stderr).not.toContain('no overlay is possible');
  expect(tried).toMatchObject({ status: 0 });
  const [, id = ''] = /The copy (copy_[0-9a-f]{8}) is kept/.exec(tried.stderr) ?? [];
  p.ok('try', '--continue', id, '--apply');
  expect([p.read('a.txt'), p.read('part of it/b.txt'), p.read('c.txt'), p.has('part of it/gone')]).toEqual([
    'a\nnew\n',
    'escaped\n',
    'c\nnew\n',
    false,
  ]);
});

test.skipIf(whyNot !== null)("Savepoint's home, or a part of it, is covered where it is mounted as well", () => {
  const p = new Project();
  onTestFinished(() => p.remove());
  p.write('a.txt', 'a\n');
  p.ok('checkpoint');
  const elsewhere = `${p.base}/elsewhere`;
  const parts = { all: p.store, part: `${p.store}/only outside`, settings: `${p.store}/config.json` };
  mkdirSync(parts.part, { mode: 0o700 });
  writeFileSync(`${parts.part}/a secret`, '');
  writeFileSync(parts.settings, '{}\n', { mode: 0o600 });
  mkdirSync(elsewhere);
  for (const [name, from] of Object.entries(parts)) {
    if (name === 'settings') writeFileSync(`${elsewhere}/${name}`, '');
    else mkdirSync(`${elsewhere}/${name}`);
    tool('mount', '--bind', from, `${elsewhere}/${name}`);
    onTestFinished(() => tool('umount', `${elsewhere}/${name}`));
  }
  const script = `echo forged >"$ELSEWHERE/all/FORGED" && test -e "$REAL/FORGED" || exit 3
    ls -A "$ELSEWHERE/part"
    echo forged >"$ELSEWHERE/part/FORGED"
    echo forged >"$ELSEWHERE/settings"
    true`;
  const env = { ELSEWHERE: elsewhere, REAL: p.store };
  const tried = p.run(['try', '--drop', '--', 'sh', '-c', script], { env });
  expect(tried.stderr).not.toContain('no overlay is possible');
  expect(tried).toMatchObject({ status: 0 });
  expect(['FORGED', 'only outside/FORGED'].filter((name) => existsSync(`${p.store}/${name}`))).toEqual([]);
  expect(readFileSync(parts.settings, 'utf8')).toBe('{}\n');
  expect(tried.stdout).not.toContain('a secret');
});
