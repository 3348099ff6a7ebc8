import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type Checkpoint, open, type Savepoint, type TreePath } from '@savepoint/core';
import { realPorts } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { disk, everything, Machine } from './bundle-world.ts';

/**
 * A timeline with something of every kind. We must be able to read what we write, and to write it again byte for byte.
 */

async function busyTimeline(here: Machine): Promise<Savepoint> {
  const savepoint = open({
    dir: disk(here.project),
    ports: realPorts(),
    places: here.world.places,
    here: true,
    rules: { maxFileBytes: 100_000, maxIgnoredBytes: 1_000 },
  });
  const shell = (command: string): Buffer => execFileSync('sh', ['-c', command], { cwd: here.project });
  for (const root of ['', 'front/', 'back/deep/']) {
    mkdirSync(here.at(`workspace/${root}.git/objects`), { recursive: true });
    mkdirSync(here.at(`workspace/${root}.git/refs/heads`), { recursive: true });
    here.write(`${root}.git/HEAD`, 'ref: refs/heads/feature/ünïcode\n');
    here.write(`${root}.git/config`, '[core]\n\trepositoryformatversion = 0\n');
  }
  here.write('.gitignore', 'ignored/\n*.log\n');
  here.write('ignored/small.txt', 'small\n');
  here.write('debug.log', 'x'.repeat(2_000));
  here.write('.env', 'SECRET=one\n');
  here.write('large.bin', Buffer.alloc(200_000, 'x'));
  here.write('node_modules/a/index.js', 'a\n');
  here.write('front/%', 'a name that side trees use\n');
  here.write('front/%/../%25', 'another\n');
  mkdirSync(here.at('workspace/%dir/%'), { recursive: true });
  chmodSync(here.at('workspace/%dir/%'), 0o2775);
  writeFileSync(Buffer.concat([Buffer.from(`${here.project}/bytes-`), Buffer.of(0xff, 0xfe)]), 'not UTF-8\n');
  here.write('line\nbreak', 'odd\n');
  here.write('back/deep/run.sh', '#!/bin/sh\n');
  chmodSync(here.at('workspace/back/deep/run.sh'), 0o4755);
  chmodSync(here.at('workspace/front'), 0o700);
  symlinkSync('../nowhere', here.at('workspace/link'));
  mkdirSync(here.at('workspace/empty'));
  mkdirSync(here.at('workspace/.GIT'));
  shell('mkfifo pipe');
  await savepoint.checkpoint({ message: 'bytes: \u0000 \u202e "quoted"', testResult: 'fail' });

  const session = savepoint.session({ agent: { kind: 'agent', name: 'mine', version: '1.2' } as never, id: 's/1 ü' });
  await session.start();
  await session.prompt('Do it all.\nNow.', 'm-1');
  await session.call(
    { tool: 'Edit', kind: 'edit', args: { file_path: 'a.ts' }, paths: ['a.ts'] as never, id: 'c-1' },
    () => here.write('a.ts', Array.from({ length: 60 }, (_, n) => `line ${n}\n`).join('')),
  );
  await session.call({ tool: 'Bash', kind: 'shell', args: { command: 'mv a.ts b.ts' }, id: 'c-2' }, () => {
    shell('mv a.ts b.ts; rm .env; chmod +x b.ts; rm -r ignored; rm link; mkdir link; echo x > link/x');
  });
  here.write('.env', 'SECRET=two\n');
  await savepoint.checkpoint();
  await savepoint.restore('cp_1', { mode: 'exact' });
  await savepoint.undo();
  await savepoint.redo();
  await savepoint.undo();
  const { checkpoints } = await savepoint.list();
  const changed = checkpoints.find(({ toolCall }) => toolCall === 'c-2') as Checkpoint;
  await savepoint.rollback({ changes: [changed.changes?.[0]?.id as never] }, { skipConflicts: true });
  here.write('gone-later.txt', 'gone\n');
  await savepoint.checkpoint();
  await savepoint.purge(['gone-later.txt' as TreePath]);
  rmSync(here.at('workspace/front'), { recursive: true });
  await savepoint.checkpoint();
  return savepoint;
}

test.each([
  ['without what is private', {}],
  ['with private files', { private: true }],
  ['with what was said', { messages: true }],
  ['with all of it', { private: true, messages: true }],
])('%s: read, restored, and the same bytes again', async (_what, options) => {
  const here = new Machine();
  const there = new Machine();
  const savepoint = await busyTimeline(here);
  const all = await savepoint.list();
  expect(all.checkpoints.length).toBeGreaterThan(10);
  await savepoint.createBundle(disk(here.at('x.bundle')), options);
  here.git(['clone', '-q', 'x.bundle', 'clone']);
  here.git(['-C', 'clone', 'fsck', '--full', '--strict']);
  await there.restore(here.at('x.bundle'));
  const restored = there.open('restored');
  expect((await restored.list()).checkpoints.map(({ id }) => id)).toEqual(all.checkpoints.map(({ id }) => id));
  expect((await restored.verify({ deep: true })).damage).toEqual([]);
  await restored.createBundle(disk(there.at('y.bundle')), options);
  expect(readFileSync(there.at('y.bundle')).equals(readFileSync(here.at('x.bundle')))).toBe(true);
  const kept = (line: string): boolean =>
    !/(^|\/)\.git(\/|$)|^\.GIT|^large\.bin|^node_modules|^pipe|^debug\.log/.test(line) &&
    ('private' in options || !/^(\.env|ignored)/.test(line));
  const bare = (line: string): string => line.replace(' 4755 ', ' 755 ');
  expect(everything(there.at('restored')).filter(kept)).toEqual(everything(here.project).filter(kept).map(bare));
  for (const { id } of all.checkpoints) {
    await restored.show(id);
    await restored.previewRestore(id);
  }
});
