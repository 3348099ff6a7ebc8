import fs from 'node:fs';
import path from 'node:path';
import { project } from '@savepoint/testkit/command';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  bearer,
  enter,
  post,
  type Shared,
  type Started,
  send,
  startShared,
  startStudio,
  withCheckpoint,
} from './started.ts';

let shared: Shared;
let bundle: Buffer;

beforeAll(async () => {
  shared = await startShared((p) => {
    p.write('a.txt', 'a\n');
    p.checkpoint();
    p.write('a.txt', 'later\n');
  });
  shared.p.ok('bundle', 'create', '../small.bundle');
  bundle = fs.readFileSync(path.join(shared.p.base, 'small.bundle'));
});

afterAll(() => shared.remove());

function ask(where: string, body: unknown, { studio, entered } = shared) {
  return post(studio, `/api/${where}`, body, entered.session);
}

async function upload(bytes: Buffer, name = 'small.bundle') {
  const { json } = await ask('bundles', { name, size: bytes.length });
  const { upload: id } = json as unknown as { readonly upload: string };
  await ask(`bundles/${id}/parts`, { offset: 0, bytes: bytes.toString('base64') });
  return ask(`bundles/${id}/open`, {});
}

const workspaceOf = ({ json }: Awaited<ReturnType<typeof ask>>): string =>
  (json as unknown as { readonly workspace: string }).workspace;

it('opens a bundle that is sent in parts, once, and answers only what changes nothing', async () => {
  const half = Math.floor(bundle.length / 2);
  const begun = await ask('bundles', { name: 'small.bundle', size: bundle.length });
  const { upload: id } = begun.json as unknown as { readonly upload: string };
  const part = (offset: number, bytes: Buffer) =>
    ask(`bundles/${id}/parts`, { offset, bytes: bytes.toString('base64') });
  expect((await part(0, bundle.subarray(0, half))).status).toBe(200);
  expect((await part(0, bundle.subarray(0, half))).status).toBe(400);
  expect((await ask(`bundles/${id}/open`, {})).status).toBe(400);
  expect((await part(half, Buffer.alloc(bundle.length))).status).toBe(400);
  expect((await part(half, bundle.subarray(half))).status).toBe(200);
  const workspace = workspaceOf(await ask(`bundles/${id}/open`, {}));
  expect((await ask(`bundles/${id}/open`, {})).status).toBe(404);
  expect(workspaceOf(await upload(bundle, 'again.bundle'))).toBe(workspace);

  const listed = await send(shared.studio, '/api/workspaces', { headers: bearer(shared.entered.session) });
  expect(listed.json.workspaces.filter(({ isBundle }) => isBundle)).toMatchObject([
    { id: workspace, path: 'small.bundle', present: true },
  ]);
  const verb = (name: string, input: object) => ask(`workspaces/${workspace}/verbs/${name}`, input);
  expect((await verb('list', { view: 'all' })).json.output.checkpoints.map(({ id: cp }) => cp)).toEqual([
    'cp_2',
    'cp_1',
  ]);
  expect((await verb('diff', { from: 'cp_1', to: 'cp_2' })).json.output).toMatchObject({ totals: { files: 1 } });
  for (const [name, input] of [
    ['checkpoint', {}],
    ['restore', { checkpoint: 'cp_1' }],
    ['edit', { files: [] }],
    ['forkCreate', { name: 'f' }],
  ] as const)
    expect([name, (await verb(name, input)).status]).toEqual([name, 403]);
  const content = `/api/workspaces/${workspace}/content?at=cp_1&path=a.txt`;
  expect(String((await send(shared.studio, content, { headers: bearer(shared.entered.session) })).bytes)).toBe('a\n');

  expect((await ask(`workspaces/${shared.entered.workspace}/close`, {})).status).toBe(404);
  expect((await ask(`workspaces/${workspace}/close`, {})).status).toBe(200);
  expect((await verb('list', {})).status).toBe(404);
});

it.each([
  ['that is no bundle', () => Buffer.from('#!/bin/sh\necho\n'), 'BUNDLE_REFUSED'],
  ['that is cut', () => bundle.subarray(0, -30), 'BUNDLE_REFUSED'],
  [
    'with a changed byte',
    () => Buffer.concat([bundle.subarray(0, -60), Buffer.from([bundle.at(-60)! ^ 1]), bundle.subarray(-59)]),
    'BUNDLE_REFUSED',
  ],
])('refuses a file %s, and leaves nothing of it', async (_what, bytes, code) => {
  const { status, json } = await upload(bytes());
  expect([status, json.error.code]).toEqual([422, code]);
  const folders = fs.readdirSync(path.join(shared.p.store, 'studio/bundles'));
  expect(folders).toHaveLength(1);
  expect(fs.readdirSync(path.join(shared.p.store, 'studio/bundles', folders[0]!))).toEqual(['owner.json']);
});

it('limits what a page can send, and needs its session', async () => {
  for (const [body, status] of [
    [{ name: 'x', size: 256 * 1024 * 1024 + 1 }, 413],
    [{ name: 'x', size: 0 }, 400],
    [{ name: 'x', size: 1.5 }, 400],
    [{ name: 'x', size: -1 }, 400],
    [{ name: '', size: 1 }, 400],
    [{ name: 'x'.repeat(2000), size: 1 }, 400],
    [{ name: 1, size: 1 }, 400],
    [null, 400],
  ] as const)
    expect([body, (await ask('bundles', body)).status]).toEqual([body, status]);
  for (const where of ['bundles', 'bundles/x/parts', 'bundles/x/open', 'workspaces/x/close'])
    expect((await post(shared.studio, `/api/${where}`, {})).status).toBe(401);
  expect((await ask('bundles/../parts', { offset: 0, bytes: '' })).status).toBe(404);
  // Of several that are begun, the oldest are given up.
  const begun: string[] = [];
  for (let at = 0; at < 4; at += 1)
    begun.push((await ask('bundles', { name: 'x', size: 9 })).json as unknown as string);
  const add = async (at: number) => {
    const { upload: id } = begun[at] as unknown as { readonly upload: string };
    return (await ask(`bundles/${id}/parts`, { offset: 0, bytes: 'AAAA' })).status;
  };
  expect([await add(0), await add(1), await add(2), await add(3)]).toEqual([404, 404, 200, 200]);
});

it('opens a few bundles at most', async () => {
  const { p } = shared;
  const opened: string[] = [];
  for (let at = 0; at < 4; at += 1) {
    p.write('a.txt', `${at}\n`);
    p.checkpoint();
    p.ok('bundle', 'create', `../${at}.bundle`);
    opened.push(workspaceOf(await upload(fs.readFileSync(path.join(p.base, `${at}.bundle`)))));
  }
  expect(new Set(opened).size).toBe(4);
  const { status, json } = await upload(bundle);
  expect([status, json.error.message]).toEqual([400, '4 bundles are open. Close one of them first.']);
  for (const one of opened) await ask(`workspaces/${one}/close`, {});
});

it('shows first what --bundle names, also with --read-only, and says why it cannot', async () => {
  const p = withCheckpoint();
  const file = path.join(shared.p.base, 'small.bundle');
  const studio: Started = await startStudio(p, { args: ['--read-only', '--bundle', file] });
  const { workspace } = await enter(studio);
  expect(workspace).toMatch(/^bundle-[0-9a-f]{24}$/);
  studio.child.kill('SIGTERM');
  await studio.ended;
  expect(fs.existsSync(path.join(p.store, 'studio/bundles'))).toBe(false);

  const other = project();
  fs.writeFileSync(other.at('no.bundle'), 'no bundle\n');
  for (const [name, why] of [
    ['no.bundle', /does not start like a git bundle/],
    ['missing.bundle', /cannot be read \(ENOENT\)/],
  ] as const) {
    const { status, stderr } = other.run(['studio', '--no-open', '--bundle', name]);
    expect([status, stderr]).toEqual([1, expect.stringMatching(why)]);
  }
  expect(fs.existsSync(path.join(other.store, 'studio/bundles'))).toBe(false);
});
