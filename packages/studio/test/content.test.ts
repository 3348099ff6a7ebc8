import { createHash, randomBytes } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answered, bearer, type Shared, send, startShared } from './started.ts';

const large = randomBytes(3 * 1024 * 1024 + 17);
let shared: Shared;

beforeAll(async () => {
  shared = await startShared((p) => {
    p.write('large.bin', large);
    p.write('page.html', '<script>alert(1)</script>');
    p.write('empty', '');
    p.write('a b+ü#?.txt', 'odd name\n');
    symlinkSync('page.html', p.at('link'));
    p.checkpoint();
    p.write('page.html', 'later');
  });
});

afterAll(() => shared.remove());

function content(
  query: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const { studio, entered } = shared;
  const path = `/api/workspaces/${entered.workspace}/content?${new URLSearchParams(query)}`;
  return send(studio, path, { headers: { ...bearer(entered.session), 'Sec-Fetch-Site': 'same-origin', ...headers } });
}

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

it('sends the bytes of a file at a checkpoint, as data that no browser shows or runs', async () => {
  const { status, headers, bytes } = await content({ at: 'cp_1', path: 'page.html' });
  expect([status, bytes.toString()]).toEqual([200, '<script>alert(1)</script>']);
  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'x-savepoint-checkpoint': 'cp_1',
    'x-savepoint-kind': 'file',
  });
  const last = await content({ at: 'last', path: 'page.html' });
  expect([last.bytes.toString(), last.headers['x-savepoint-checkpoint']]).toEqual(['later', 'cp_2']);
});

it('sends large, empty and oddly named files, and the target of a link', async () => {
  expect(digest((await content({ at: 'cp_1', path: 'large.bin' })).bytes)).toBe(digest(large));
  expect((await content({ at: 'cp_1', path: 'empty' })).headers['content-length']).toBe('0');
  expect((await content({ at: 'cp_1', path: 'a b+ü#?.txt' })).bytes.toString()).toBe('odd name\n');
  const path64 = Buffer.from('a b+ü#?.txt').toString('base64url');
  expect((await content({ at: 'cp_1', path64 })).bytes.toString()).toBe('odd name\n');
  const link = await content({ at: 'cp_1', path: 'link' });
  expect([link.bytes.toString(), link.headers['x-savepoint-kind']]).toEqual(['page.html', 'link']);
});

it.each([
  ['bytes=0-0', 0, 1],
  ['bytes=5-1048580', 5, 1_048_581],
  ['bytes=3145730-', 3_145_730, large.length],
  ['bytes=-7', large.length - 7, large.length],
  [`bytes=-${large.length * 2}`, 0, large.length],
  [`bytes=10-${large.length * 2}`, 10, large.length],
])('sends the range %s', async (range, first, end) => {
  const { status, headers, bytes } = await content({ at: 'cp_1', path: 'large.bin' }, { Range: range });
  expect([status, headers['content-range']]).toEqual([206, `bytes ${first}-${end - 1}/${large.length}`]);
  expect(digest(bytes)).toBe(digest(large.subarray(first, end)));
});

it('answers other ranges with everything, or with what there is', async () => {
  for (const range of ['bytes=0-1,3-4', 'bytes=5-2', 'bytes=', 'lines=1-2', 'bytes=a-b'])
    expect((await content({ at: 'cp_1', path: 'page.html' }, { Range: range })).status).toBe(200);
  const beyond = await content({ at: 'cp_1', path: 'large.bin' }, { Range: `bytes=${large.length}-` });
  expect([beyond.status, beyond.headers['content-range']]).toEqual([416, `bytes */${large.length}`]);
  const tag = String((await content({ at: 'cp_1', path: 'page.html' })).headers['etag']);
  const ranged = (ifRange: string) =>
    content({ at: 'cp_1', path: 'page.html' }, { Range: 'bytes=0-1', 'If-Range': ifRange });
  expect([(await ranged(tag)).status, (await ranged('"other"')).status]).toEqual([206, 200]);
});

it('sends a file of a plan, and of the folder now', async () => {
  const written = `${'x'.repeat(1024 * 1024)}<b>proposed</b>`;
  const edits = [{ op: 'write', content: written }];
  shared.p.write('../edits.json', JSON.stringify({ files: [{ file_path: 'page.html', edits }] }));
  const { id } = JSON.parse(shared.p.ok('plan', 'new', '../edits.json', '-m', 'Bold', '--json').stdout);
  const proposed = await content({ plan: id, path: 'page.html' });
  expect(proposed.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'x-savepoint-plan': id,
    'x-savepoint-state': 'proposed',
    'x-savepoint-kind': 'file',
  });
  expect([proposed.status, proposed.bytes.toString()]).toEqual([200, written]);
  expect(proposed.headers['x-savepoint-checkpoint']).toBeUndefined();
  const ranged = await content({ plan: id, state: 'selected', path: 'page.html' }, { Range: 'bytes=-12' });
  expect([ranged.status, ranged.bytes.toString(), ranged.headers['x-savepoint-state']]).toEqual([
    206,
    'proposed</b>',
    'selected',
  ]);
  expect((await content({ plan: 'last', state: 'base', path: 'page.html' })).bytes.toString()).toBe('later');
  shared.p.write('page.html', 'now');
  const now = await content({ folder: 'now', path: 'page.html' });
  expect([now.bytes.toString(), now.headers['x-savepoint-plan'], now.headers['x-savepoint-checkpoint']]).toEqual([
    'now',
    undefined,
    undefined,
  ]);
  expect(digest((await content({ folder: 'now', path: 'large.bin' })).bytes)).toBe(digest(large));
  expect((await content({ folder: 'now', path: 'link' })).headers['x-savepoint-kind']).toBe('link');
  expect((await content({ folder: 'now', path: 'empty' })).headers['content-length']).toBe('0');
});

it('says what is wrong with a request, and leaves the workspace for no path', async () => {
  for (const query of [
    {},
    { at: 'cp_1' },
    { path: 'page.html' },
    { at: 'cp_1', path: 'x', path64: 'eA' },
    { at: 'cp_1', path64: '$' },
    { at: 'cp_1', plan: 'last', path: 'page.html' },
    { at: 'cp_1', folder: 'now', path: 'page.html' },
    { at: 'cp_1', state: 'base', path: 'page.html' },
    { plan: 'last', state: 'other', path: 'page.html' },
    { folder: 'later', path: 'page.html' },
  ])
    expect((await content(query as never)).status).toBe(400);
  expect((await content({ at: 'cp_9', path: 'page.html' })).json.error.code).toBe('UNKNOWN_CHECKPOINT');
  expect((await content({ plan: 'plan_00000000', path: 'page.html' })).json.error.code).toBe('UNKNOWN_PLAN');
  symlinkSync(shared.p.base, shared.p.at('way-out'));
  for (const path of ['missing', 'way-out/home', '../home/x', '/etc/passwd', '..', '', 'a\0b']) {
    const { status, json } = await content({ at: 'cp_1', path });
    expect([path, status, json.error.code]).toEqual([path, 422, expect.stringMatching(/^(PATH_REFUSED|USAGE)$/)]);
    for (const from of [{ folder: 'now' }, { plan: 'last' }]) {
      const other = await content({ ...from, path });
      expect([path, other.status, other.json.error.code]).toEqual([path, status, json.error.code]);
    }
  }
});
