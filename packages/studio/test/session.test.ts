import { createHash, createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  bearer,
  type Entered,
  endProcess,
  enter,
  post,
  type Started,
  send,
  startStudio,
  verb,
  withCheckpoint,
} from './started.ts';

const nonce = (): string => randomBytes(32).toString('base64url');

const isIn = async (started: Started, { session }: Entered): Promise<boolean> =>
  (await send(started, '/api/workspaces', { headers: bearer(session) })).status === 200;

it('exchanges a token once, and not one of another port', async () => {
  const p = withCheckpoint();
  const [one, other] = [await startStudio(p), await startStudio(p)];
  expect(one.port).not.toBe(other.port);
  const elsewhere = await post(other, '/api/session', { token: one.token });
  expect([elsewhere.status, elsewhere.json.error.hint]).toEqual([
    401,
    'Run `savepoint studio` again to open the page.',
  ]);
  const racing = await Promise.all([1, 2, 3, 4].map(() => post(one, '/api/session', { token: one.token })));
  expect(racing.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  for (const token of ['', 'x'.repeat(43), '../sessions', null, 7, {}])
    expect((await post(one, '/api/session', { token })).status).toBe(401);
});

it('lets nobody in by a file of a token that it did not make, and by no token of a server that was killed', async () => {
  const p = withCheckpoint();
  const first = await startStudio(p);
  const forged = nonce();
  const digest = createHash('sha256').update(forged).digest('hex');
  writeFileSync(join(p.store, 'studio', 'opening', `${first.port}-${digest}`), '', { mode: 0o600 });
  expect((await post(first, '/api/session', { token: forged })).status).toBe(401);
  await endProcess(first.child, 'SIGKILL');

  const second = await startStudio(p, { args: ['--port', String(first.port)] });
  expect((await post(second, '/api/session', { token: first.token })).status).toBe(401);
  expect((await post(second, '/api/session', { token: second.token })).status).toBe(200);
});

it('keeps only digests, in files that no other user can read', async () => {
  const p = withCheckpoint();
  const studio = await startStudio(p);
  const entered = await enter(studio);
  const folder = join(p.store, 'studio');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  expect(files.some((file) => file.endsWith(`sessions-${studio.port}.json`))).toBe(true);
  for (const file of [folder, ...files]) {
    const stat = statSync(file);
    expect([file, (stat.mode & 0o777).toString(8)]).toEqual([file, stat.isDirectory() ? '700' : '600']);
    const text = stat.isDirectory() ? '' : readFileSync(file, 'latin1');
    for (const secret of [entered.session, studio.token]) expect(text + file).not.toContain(secret);
  }
  expect(readFileSync(join(folder, `sessions-${studio.port}.json`), 'utf8')).toContain(entered.id);
});

it('proves that it knows a session before the page sends it', async () => {
  const p = withCheckpoint();
  const studio = await startStudio(p);
  const { id, session } = await enter(studio);
  const asked = nonce();
  const { json } = await post(studio, '/api/proof', { id, nonce: asked });
  const key = createHash('sha256').update(session).digest();
  expect(json.proof).toBe(createHmac('sha256', key).update(asked).digest('base64url'));
  for (const wrong of [
    { id: 'x', nonce: asked },
    { id, nonce: 'short' },
    { id },
    { nonce: asked },
    { id, nonce: [asked] },
  ])
    expect((await post(studio, '/api/proof', wrong)).status).toBe(401);
});

it('lets its pages go on after it was killed, on the same port, and no longer after an orderly end', async () => {
  const p = withCheckpoint();
  const first = await startStudio(p);
  const entered = await enter(first);
  await endProcess(first.child, 'SIGKILL');

  const second = await startStudio(p);
  expect(second.port).toBe(first.port);
  const asked = nonce();
  const { status } = await post(second, '/api/proof', { id: entered.id, nonce: asked });
  expect([status, await isIn(second, entered)]).toEqual([200, true]);

  await endProcess(second.child, 'SIGTERM');
  expect(existsSync(join(p.store, 'studio', `sessions-${first.port}.json`))).toBe(false);
  const third = await startStudio(p, { args: ['--port', String(first.port)] });
  expect((await post(third, '/api/proof', { id: entered.id, nonce: asked })).status).toBe(401);
  expect(await isIn(third, entered)).toBe(false);
});

it('does not accept a session on another port, and gives no proof of it there', async () => {
  const p = withCheckpoint();
  const first = await startStudio(p);
  const entered = await enter(first);
  await endProcess(first.child, 'SIGKILL');
  // Another program has the port by now, so the next server of the same home gets another one.
  const program = createServer().listen(first.port, '127.0.0.1');
  await once(program, 'listening');
  onTestFinished(() => void program.close());
  const other = await startStudio(p);
  expect(other.port).not.toBe(first.port);
  expect(await isIn(other, entered)).toBe(false);
  expect((await post(other, '/api/proof', { id: entered.id, nonce: nonce() })).status).toBe(401);
});

it('leaves no files after an orderly end', async () => {
  const p = withCheckpoint();
  const studio = await startStudio(p);
  await enter(studio);
  await endProcess(studio.child, 'SIGINT');
  expect(await studio.ended).toBe(130);
  expect(readdirSync(join(p.store, 'studio'), { recursive: true })).toEqual(['opening']);
});

it('only looks with --read-only', async () => {
  const p = withCheckpoint();
  const studio = await startStudio(p, { args: ['--read-only'] });
  const entered = await enter(studio);
  const { json: listed } = await send(studio, '/api/workspaces', { headers: bearer(entered.session) });
  expect(listed.server.isReadOnly).toBe(true);
  expect(listed.server.verbs).toContain('diff');
  for (const name of [
    'checkpoint',
    'undo',
    'restore',
    'trust',
    'planNew',
    'commentAdd',
    'gc',
    'bundleCreate',
    'exportSession',
  ]) {
    expect(listed.server.verbs).not.toContain(name);
    const { status, json } = await verb(studio, entered, name, {});
    expect([status, json.error.code]).toEqual([403, 'USAGE']);
  }
  const { json } = await verb(studio, entered, 'undo', {});
  expect(json.error.message).toBe('The page may not call undo: Studio was started with --read-only.');
  expect((await verb(studio, entered, 'diff', {})).json.status).toBe(0);
  expect(p.ok('list', '--all').stdout.match(/cp_\d+/g)).toEqual(['cp_1']);
});

it('refuses what runs commands or names files anywhere', async () => {
  const p = withCheckpoint();
  const studio = await startStudio(p);
  const entered = await enter(studio);
  const marker = p.at('ran');
  const command = ['sh', '-c', `touch ${marker}`];
  for (const [name, input] of [
    ['bisect', { good: 'cp_1', command }],
    ['replay', { command }],
    ['forkRun', { name: 'f', command }],
    ['bundleCreate', { file: p.at('b') }],
    ['purge', { paths: ['a.txt'] }],
  ] as const)
    expect((await verb(studio, entered, name, input)).status).toBe(403);
  const { json } = await verb(studio, entered, 'forkCreate', { name: 'f', command });
  expect(json.error.message).toMatch(/^The page may not set command of forkCreate: it runs a command/);
  for (const [name, input] of [
    ['trust', { digest: 'x' }],
    ['planCommit', { id: 'last', hooks: true }],
    ['planApply', { id: 'last', commit: { hooks: true } }],
    ['forkDrop', { name: 'f', force: true }],
    ['copies', { clean: true, all: true }],
    ['gc', { maxCheckpoints: 1 }],
  ] as const)
    expect((await verb(studio, entered, name, input)).json.error.message).toMatch(
      /^The page may (?:not set|only call)/,
    );
  for (const [name, input] of [
    ['trust', {}],
    ['copies', {}],
    ['gc', { dryRun: true }],
  ] as const)
    expect([name, (await verb(studio, entered, name, input)).json.status]).toEqual([name, 0]);
  expect(existsSync(marker)).toBe(false);
  expect((await verb(studio, entered, 'constructor', {})).status).toBe(404);
});

it('carries out a preview that it was shown, and refuses a stale one', async () => {
  const p = withCheckpoint();
  p.write('a.txt', 'b\n');
  const studio = await startStudio(p);
  const entered = await enter(studio);
  const preview = async (): Promise<unknown> =>
    (await verb(studio, entered, 'restore', { checkpoint: 'cp_1', dryRun: true })).json.output['fingerprint'];
  const expected = await preview();
  p.write('a.txt', 'c, by another page\n');
  const { json: stale } = await verb(studio, entered, 'restore', { checkpoint: 'cp_1', expected });
  expect(stale.error.code).toBe('CONFLICT');
  expect(p.read('a.txt')).toBe('c, by another page\n');
  const input = { checkpoint: 'cp_1', expected: await preview() };
  expect((await verb(studio, entered, 'restore', input)).json.status).toBe(0);
  expect(p.read('a.txt')).toBe('a\n');
});

it('does not do for an agent what only a person may do, and says so', async () => {
  const p = withCheckpoint();
  p.ok('pin', 'cp_1');
  const studio = await startStudio(p, { env: { CLAUDECODE: '1' } });
  const entered = await enter(studio);
  const { json: listed } = await send(studio, '/api/workspaces', { headers: bearer(entered.session) });
  expect(listed.server.startedBy).toBe('claude');
  expect((await verb(studio, entered, 'unpin', { checkpoint: 'cp_1' })).json.error.code).toBe('NEEDS_CONFIRMATION');
  // A person can.
  const own = await startStudio(p);
  expect((await verb(own, await enter(own), 'unpin', { checkpoint: 'cp_1' })).json.status).toBe(0);
});

it('shows every workspace of the home, and a folder without checkpoints as `here`', async () => {
  const p = withCheckpoint();
  const empty = join(p.base, 'empty');
  mkdirSync(empty);
  const studio = await startStudio(p, { cwd: empty });
  const entered = await enter(studio);
  const listed = async () => (await send(studio, '/api/workspaces', { headers: bearer(entered.session) })).json;
  const before = await listed();
  expect([before.workspaces.map(({ path }) => path), before.server.first]).toEqual([[p.dir], null]);
  const known = { ...entered, workspace: before.workspaces[0]?.id ?? '' };
  expect((await verb(studio, known, 'list', { view: 'all' })).json.output.checkpoints).toHaveLength(1);
  expect((await verb(studio, { ...entered, workspace: 'f'.repeat(32) }, 'list', {})).status).toBe(404);

  const here = { ...entered, workspace: 'here' };
  expect((await verb(studio, here, 'checkpoint', {})).json.status).toBe(0);
  const after = await listed();
  expect(after.workspaces).toHaveLength(2);
  expect((await verb(studio, { ...entered, workspace: after.server.first }, 'list', { view: 'all' })).json.status).toBe(
    0,
  );
});

it('shows the other workspaces if it was started in a home folder', async () => {
  const p = withCheckpoint();
  const studio = await startStudio(p, { cwd: p.home });
  const entered = await enter(studio);
  expect(entered.workspace).toBeNull();
  const { json } = await send(studio, '/api/workspaces', { headers: bearer(entered.session) });
  expect(json.workspaces.map(({ path }) => path)).toEqual([p.dir]);
});
