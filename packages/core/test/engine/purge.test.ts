import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type DiskPath, type OpenOptions, type Savepoint, SavepointError, type TreePath } from '@savepoint/core';
import { fixedClock, realPorts } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';

/**
 * Contents that were captured and then purged from the store. Git and a walk without any Savepoint code search for
 * them.
 */
const SECRET = 'token = sk-7fQ0-the-first-secret';
const SECOND = 'token = sk-9aBb-the-second-secret';

class Store extends Place {
  /** Places in the store that contain a text: objects as git reads them, reachable or not, and files. */
  async found(text: string): Promise<readonly string[]> {
    const store = await this.store();
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['--git-dir', path.join(store, 'objects.git'), ...args], { encoding: 'latin1' });
    const ids = git('cat-file', '--batch-all-objects', '--batch-check=%(objectname) %(objecttype)').trim().split('\n');
    const objects = ids.filter((line) => {
      const [id, type] = line.split(' ') as [string, string];
      return git('cat-file', type, id).includes(text);
    });
    const files = readdirSync(store, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .filter((file) => readFileSync(file, 'latin1').includes(text));
    return [...objects, ...files];
  }
}

const tree = (...names: readonly string[]): readonly TreePath[] => names as readonly TreePath[];

async function code(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  return error instanceof SavepointError ? error.code : String(error);
}

async function filled(p: Store, options: Partial<OpenOptions> = {}): Promise<Savepoint> {
  p.write('.env', `${SECRET}\n`);
  p.write('src/a.ts', 'one\n');
  const savepoint = p.open(options);
  const session = savepoint.session({ agent: 'mine', id: 's-1' });
  await session.start();
  await session.prompt(`Please use ${SECOND} from now on`, 'm-1');
  const content = `${SECOND}\n`;
  await session.call({ tool: 'Write', kind: 'write', args: { file_path: '.env', content }, id: 'c-1' }, () => {
    p.write('.env', content);
    p.write('src/a.ts', 'two\n');
  });
  await session.call({ tool: 'Bash', kind: 'shell', args: { command: `echo '${SECOND}' > /dev/null; date > d` } }, () =>
    p.write('d', 'now\n'),
  );
  await savepoint.edit([
    {
      given: '.env',
      path: '.env' as TreePath,
      edits: [{ op: 'write', content: 'token = none\n', exact: true }],
      expectedHash: null,
      force: false,
    },
  ]);
  return savepoint;
}

test('nothing of the content is left, and everything else is unchanged', async () => {
  const p = new Store();
  const savepoint = await filled(p);
  await savepoint.pin('cp_1');
  const before = (await savepoint.list()).checkpoints;
  expect((await p.found(SECRET)).length).toBeGreaterThan(0);
  // A content, a prompt, a command, a session's state, a backup.
  expect((await p.found(SECOND)).length).toBeGreaterThan(4);
  const purged = await savepoint.purge(tree('.env'));
  expect(purged).toMatchObject({ contents: 3, sameBytes: [], stillThere: ['.env'], otherWorkspaces: [] });
  expect(purged.searched.objects).toBeGreaterThan(5);
  for (const text of [SECRET, SECOND, 'token = none']) expect(await p.found(text)).toEqual([]);

  const after = (await p.open().list()).checkpoints;
  expect(after.map(({ id, previous, time, actor }) => ({ id, previous, time, actor }))).toEqual(
    before.map(({ id, previous, time, actor }) => ({ id, previous, time, actor })),
  );
  expect([...(await p.open().pinned())]).toEqual([1]);
  expect((await p.open().verify({ deep: true })).damage).toEqual([]);
  expect(p.read('.env')).toBe('token = none\n');
  const reported = await p.open().diffChange('cp_3.2');
  expect(reported.change.path).toBe('src/a.ts');
  expect(reported.patch.text.toString()).toContain('+two');
  await p.open().restore('cp_1', { mode: 'exact' });
  expect(p.read('src/a.ts')).toBe('one\n');
});

test('restores and rollbacks do not touch what is at the path since', async () => {
  const p = new Store();
  const savepoint = await filled(p);
  await savepoint.purge(tree('.env'));
  p.write('.env', 'mine now\n');
  const restored = await savepoint.restore('cp_1', { mode: 'exact' });
  expect(p.read('.env')).toBe('mine now\n');
  expect(restored.plan.kept.map(({ path: kept, why }) => [kept, why])).toEqual([
    ['.env', 'cp_1 did not capture it (purged)'],
  ]);
  await savepoint.undo();
  expect(p.read('.env')).toBe('mine now\n');
  const { details } = await savepoint.rollback({ session: 's-1' }, { least: 'likely' });
  expect(p.read('.env')).toBe('mine now\n');
  expect(p.read('src/a.ts')).toBe('one\n');
  expect(details.skipped.map(({ change, why }) => [change.path, why])).toContainEqual([
    '.env',
    'its content was purged',
  ]);
  expect(await code(savepoint.diffChange('cp_3.1'))).toBe('UNKNOWN_CHANGE');
});

test('texts of a call that never ended are purged as well', async () => {
  const p = new Store();
  const clock = fixedClock(Date.now());
  const savepoint = await filled(p, { ports: { ...realPorts(), clock } });
  const args = { command: `echo '${SECOND}' > .env` };
  await savepoint.session({ agent: 'mine', id: 's-2' }).begin({ tool: 'Bash', kind: 'shell', args });
  clock.advance(24 * 3_600_000);
  await savepoint.purge(tree('.env'));
  expect(await p.found(SECOND)).toEqual([]);
});

test('the same bytes at another path are kept, and reported', async () => {
  const p = new Store();
  p.write('.env', `${SECRET}\n`);
  p.write('copy/of.env', `${SECRET}\n`);
  const savepoint = p.open();
  await savepoint.checkpoint();
  expect(await savepoint.previewPurge(tree('.env'))).toMatchObject({
    checkpoints: ['cp_1'],
    contents: 0,
    sameBytes: ['copy/of.env'],
  });
  expect(await savepoint.purge(tree('.env'))).toMatchObject({ checkpoints: ['cp_1'], sameBytes: ['copy/of.env'] });
  expect((await p.found(SECRET)).length).toBe(1);
  expect(await savepoint.purge(tree('.env', 'copy'))).toMatchObject({ contents: 1, sameBytes: [] });
  expect(await p.found(SECRET)).toEqual([]);
  expect(await savepoint.purge(tree('.env', 'copy'))).toMatchObject({ checkpoints: [], contents: 0 });
});

test('contents from a dropped checkpoint, and of renamed files, are purged too', async () => {
  const p = new Store();
  p.write('old.env', `${SECRET}\n${'x\n'.repeat(40)}`);
  const savepoint = p.open();
  const session = savepoint.session({ agent: 'mine', id: 's-1' });
  await session.start();
  await session.call({ tool: 'Bash', kind: 'shell' }, () => {
    execFileSync('mv', ['old.env', 'new.env'], { cwd: p.at('') });
  });
  await session.call({ tool: 'Bash', kind: 'shell' }, () => p.write('new.env', `${SECOND}\n`));
  await savepoint.gc({ retention: { maxStoreBytes: 0 } });
  expect((await savepoint.list()).checkpoints.map(({ id }) => id)).toEqual(['cp_3']);
  // The only remaining change refers to the old content under the new name.
  expect(await savepoint.purge(tree('old.env'))).toMatchObject({ checkpoints: [], contents: 0 });
  expect(await savepoint.purge(tree('new.env'))).toMatchObject({ checkpoints: ['cp_3'], contents: 2 });
  for (const text of [SECRET, SECOND]) expect(await p.found(text)).toEqual([]);
});

test('backups next to the files are removed, except one that was written to', async () => {
  const p = new Store();
  const savepoint = await filled(p, { backups: 'beside' });
  expect(p.read('.env.bak')).toBe(`${SECOND}\n`);
  await savepoint.purge(tree('.env'));
  expect(readdirSync(p.at('')).sort()).toEqual(['.env', 'd', 'src']);
  expect(await p.found(SECOND)).toEqual([]);
});

test('a copy that a person put into the store is found and named, and nothing else is reported', async () => {
  const p = new Store();
  const savepoint = await filled(p);
  const copy = path.join(await p.store(), 'my-notes.txt');
  writeFileSync(copy, `see ${SECRET}\n\n`);
  const error = await savepoint.purge(tree('.env')).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'PURGE_INCOMPLETE', data: { left: [{ where: copy }] } });
  expect(await p.found(SECRET)).toEqual([copy]);
  expect((await p.open().verify({ deep: true })).damage).toEqual([]);
});

test('damaged objects that a repair moved aside are named, because the content may be among them', async () => {
  const p = new Store();
  await filled(p);
  const packs = path.join(await p.store(), 'objects.git/objects/pack');
  for (const name of readdirSync(packs).filter((each) => each.endsWith('.pack'))) {
    const file = path.join(packs, name);
    chmodSync(file, 0o600);
    // Only the checksum at the end: everything is repaired.
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(7, bytes.length - 20));
  }
  const { movedAside, lost } = await p.open().repair();
  const moved = movedAside.map(({ to }) => Buffer.from(to, 'latin1').toString());
  expect([moved.length > 0, lost]).toEqual([true, []]);
  const error = await p
    .open()
    .purge(tree('.env'))
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'PURGE_INCOMPLETE' });
  const { left } = (error as SavepointError<'PURGE_INCOMPLETE'>).data;
  expect(left.map(({ where }) => where).sort()).toEqual([...moved].sort());
  rmSync(path.join(await p.store(), 'damaged'), { recursive: true });
  expect(await p.open().purge(tree('.env'))).toMatchObject({ checkpoints: [] });
});

test('a process that had the store open continues after the purge', async () => {
  const p = new Store();
  const other = await filled(p);
  await other.history({ limit: 10 });
  await p.open().purge(tree('.env', 'src'));
  p.write('src/a.ts', 'three\n');
  const { checkpoint } = await other.checkpoint();
  await other.edit([
    {
      given: 'd',
      path: 'd' as TreePath,
      edits: [{ op: 'write', content: 'later\n', exact: true }],
      expectedHash: null,
      force: false,
    },
  ]);
  expect((await p.open().verify({ deep: true })).damage).toEqual([]);
  p.write('src/a.ts', 'four\n');
  await other.restore(checkpoint.id, { mode: 'exact' });
  expect(p.read('src/a.ts')).toBe('three\n');
});

test('a folder is purged with everything below it; the entire workspace, and a damaged store, are refused', async () => {
  const p = new Store();
  const savepoint = await filled(p);
  expect(await code(savepoint.purge(tree('')))).toBe('PATH_REFUSED');
  const purged = await savepoint.purge(tree('src'));
  expect(purged).toMatchObject({ contents: 2, stillThere: ['src'] });
  expect(await savepoint.previewPurge(tree('src/a.ts'))).toMatchObject({ checkpoints: [], contents: 0 });
  const store = await p.store();
  cpSync(store, `${store}-kept`, { recursive: true });
  const packs = path.join(store, 'objects.git/objects/pack');
  for (const name of readdirSync(packs)) {
    const bytes = readFileSync(path.join(packs, name));
    if (name.endsWith('.pack') && statSync(path.join(packs, name)).size > 100) {
      execFileSync('chmod', ['u+w', path.join(packs, name)]);
      writeFileSync(path.join(packs, name), bytes.fill(7, 60, 90));
    }
  }
  expect(await code(p.open().purge(tree('.env')))).toBe('STORE_DAMAGED');
});

test('an enclosing workspace is named, because its store has its own copy', async () => {
  const p = new Store();
  await filled(p);
  const inner = p.open({ dir: `${p.world.workspace}/src` as DiskPath, here: true });
  await inner.checkpoint();
  const { otherWorkspaces } = await inner.purge(tree('a.ts'));
  expect(otherWorkspaces).toEqual([p.world.workspace]);
});

test('copies and forks that may still have the content are named', async () => {
  const p = new Store();
  p.write('.env', SECRET);
  p.write('a', 'a');
  const savepoint = p.open();
  const { copy, base } = await savepoint.openCopy({ purpose: 'try', rungs: ['copy'] });
  const [made] = await savepoint.createForks(['mine'], { rungs: ['copy'] });
  const copies = [copy.record.id, made!.fork.copy.id];
  expect((await savepoint.previewPurge(tree('.env'))).copies).toEqual(copies);
  expect((await savepoint.purge(tree('.env'))).copies).toEqual(copies);
  expect(readFileSync(path.join(copy.files, '.env'), 'utf8')).toBe(SECRET);
  // Its base no longer has the content, so the copy cannot bring it back.
  const again = await savepoint.reopenCopy(copy.record.id);
  expect(again.base.id).toBe(base.id);
  p.shell('rm .env');
  await savepoint.applyCopy(again, { description: 'apply' });
  expect(readdirSync(p.at(''))).not.toContain('.env');
});
