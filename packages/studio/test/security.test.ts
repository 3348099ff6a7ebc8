import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bearer, type Entered, type Shared, type Started, send, sendRaw, startShared, verb } from './started.ts';

let shared: Shared;
let studio: Started;
let entered: Entered;

beforeAll(async () => {
  shared = await startShared((p) => p.write('a.txt', 'the secret line\n'));
  ({ studio, entered } = shared);
});

afterAll(() => shared.remove());

async function stillAnswers(): Promise<void> {
  const { status, json } = await verb(studio, entered, 'list', { view: 'all' });
  expect([status, json.output.checkpoints.length]).toEqual([200, 1]);
}

/** The dimensions of the matrix. The first value of each is the good one of the page's own POST. */
const dimensions = () => {
  const host = `127.0.0.1:${studio.port}`;
  return {
    method: ['POST', 'GET', 'OPTIONS'],
    host: [host, `localhost:${studio.port}`, `127.0.0.1:${studio.port + 1}`, `rebound.test:${studio.port}`],
    origin: [`http://${host}`, null, 'null', `http://127.0.0.1:${studio.port + 1}`],
    session: [entered.session, null, randomBytes(32).toString('base64url')],
    site: ['same-origin', null, 'none', 'same-site', 'cross-site'],
    type: ['application/json', 'text/plain', 'application/json; charset=utf-8', null],
  } as const;
};

interface Row {
  readonly method: string;
  readonly host: string;
  readonly origin: string | null;
  readonly session: string | null;
  readonly site: string | null;
  readonly type: string | null;
}

function* matrix(): Generator<Row> {
  const d = dimensions();
  // A GET has no body, so its type does not matter.
  for (const method of d.method)
    for (const host of d.host)
      for (const origin of d.origin)
        for (const session of d.session)
          for (const site of d.site)
            for (const type of method === 'POST' ? d.type : [null]) yield { method, host, origin, session, site, type };
}

/** The rules of docs/studio.md, without the code of the server. */
function isGood({ method, host, origin, session, site, type }: Row): boolean {
  const {
    host: [ownHost],
    origin: [own],
  } = dimensions();
  if (host !== ownHost || session !== entered.session) return false;
  if (method === 'POST')
    return origin === own && (site === null || site === 'same-origin') && type === 'application/json';
  if (method !== 'GET') return false;
  return (origin === null || origin === own) && (site === null || site === 'same-origin' || site === 'none');
}

it('answers only the rows of the matrix that the page itself sends', async () => {
  const path = `/api/workspaces/${entered.workspace}/verbs/show`;
  const wrong: unknown[] = [];
  /** Answers to rows that differ only in the session. */
  const bySession = new Map<string, string>();
  let good = 0;
  const tryRow = async (row: Row): Promise<void> => {
    const { method, host, origin, session, site, type } = row;
    const headers = {
      Host: host,
      ...(origin === null ? {} : { Origin: origin }),
      ...(site === null ? {} : { 'Sec-Fetch-Site': site }),
      ...(type === null ? {} : { 'Content-Type': type }),
      ...bearer(session ?? undefined),
    };
    const body = method === 'POST' ? { body: JSON.stringify({ checkpoint: 'last' }) } : {};
    const got = await send(studio, method === 'POST' ? path : '/api/workspaces', { method, headers, ...body });
    const text = got.bytes.toString('utf8');
    const answered = got.status === 200;
    if (answered !== isGood(row) || (!answered && text.includes('cp_1'))) wrong.push({ row, status: got.status });
    if (Object.keys(got.headers).some((name) => name.startsWith('access-control-'))) wrong.push({ row, cors: true });
    if (answered) good += 1;
    if (host !== dimensions().host[0] || (origin !== null && origin !== studio.origin)) {
      const key = JSON.stringify({ ...row, session: '' });
      const before = bySession.get(key) ?? `${got.status} ${text}`;
      if (before !== `${got.status} ${text}`) wrong.push({ row, before });
      bySession.set(key, before);
    }
  };
  const rows = [...matrix()];
  // Several at once: most of the time is spent on connections.
  while (rows.length > 0) await Promise.all(rows.splice(0, 50).map(tryRow));
  expect(wrong).toEqual([]);
  // POST: with two kinds of metadata; GET: three kinds, with and without an origin.
  expect(good).toBe(2 + 6);
  await stillAnswers();
});

const head = (line: string, ...headers: readonly string[]): string =>
  [line, ...headers, 'Connection: close', '', ''].join('\r\n');

it.each([
  ['two Hosts', (own: string) => head('GET /api/workspaces HTTP/1.1', `Host: ${own}`, `Host: ${own}`), 400],
  ['two Hosts, the second wrong', (own: string) => head('GET / HTTP/1.1', `Host: ${own}`, 'Host: x.test'), 400],
  ['no Host', () => head('GET / HTTP/1.1'), 400],
  [
    'two Origins',
    (own: string) => head('GET / HTTP/1.1', `Host: ${own}`, `Origin: http://${own}`, 'Origin: null'),
    400,
  ],
  [
    'two Authorizations',
    (own: string) => head('GET /api/workspaces HTTP/1.1', `Host: ${own}`, 'Authorization: a', 'Authorization: b'),
    400,
  ],
  ['an absolute target', (own: string) => head(`GET http://${own}/api/workspaces HTTP/1.1`, `Host: ${own}`), 400],
  ['an absolute target elsewhere', (own: string) => head('GET http://x.test/ HTTP/1.1', `Host: ${own}`), 400],
  ['a target with two slashes', (own: string) => head('GET //x.test/ HTTP/1.1', `Host: ${own}`), 400],
  ['a target with backslashes', (own: string) => head('GET /\\x.test/ HTTP/1.1', `Host: ${own}`), 400],
  ['another method', (own: string) => head('PUT / HTTP/1.1', `Host: ${own}`), 405],
  ['a Host without the port', () => head('GET / HTTP/1.1', 'Host: 127.0.0.1'), 403],
  ['a target that is a star', (own: string) => head('OPTIONS * HTTP/1.1', `Host: ${own}`), 400],
  ['garbage', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['an old version', () => 'GET /\r\n\r\n', 400],
  ['huge headers', (own: string) => head('GET / HTTP/1.1', `Host: ${own}`, `X: ${'x'.repeat(70_000)}`), 431],
  ['a body of a GET', (own: string) => `${head('GET / HTTP/1.1', `Host: ${own}`, 'Content-Length: 2')}{}`, 400],
  [
    'two lengths',
    (own: string) => `${head('POST / HTTP/1.1', `Host: ${own}`, 'Content-Length: 2', 'Content-Length: 3')}{}`,
    400,
  ],
  [
    'a length and chunks',
    (own: string) => `${head('POST / HTTP/1.1', `Host: ${own}`, 'Content-Length: 2', 'Transfer-Encoding: chunked')}{}`,
    400,
  ],
  ['HTTP/1.0 without a Host', () => 'GET / HTTP/1.0\r\n\r\n', 400],
])('refuses %s', async (_name, request, status) => {
  const answer = await sendRaw(studio, request(`127.0.0.1:${studio.port}`));
  expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
  expect(answer).not.toContain('cp_1');
  await stillAnswers();
});

it('does not upgrade or tunnel', async () => {
  const own = `127.0.0.1:${studio.port}`;
  const upgrade = [`Host: ${own}`, 'Upgrade: websocket', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='];
  expect(await sendRaw(studio, ['GET / HTTP/1.1', ...upgrade, 'Connection: Upgrade', '', ''].join('\r\n'))).toBe('');
  expect(await sendRaw(studio, head(`CONNECT ${own} HTTP/1.1`, `Host: ${own}`))).toBe('');
  await stillAnswers();
});

it('lets other sites lead to the page, but not load it', async () => {
  const from = (mode: string, dest: string) =>
    send(studio, '/', { headers: { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': mode, 'Sec-Fetch-Dest': dest } });
  expect((await from('navigate', 'document')).status).toBe(200);
  expect((await from('navigate', 'iframe')).status).toBe(403);
  expect((await from('no-cors', 'script')).status).toBe(403);
  const { headers } = await from('navigate', 'document');
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect(headers['content-security-policy']).not.toContain('unsafe');
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  });
});

it('serves the page for every view, its files, and nothing else of the disk', async () => {
  const index = (await send(studio, '/')).bytes.toString('utf8');
  expect((await send(studio, '/w/1/file/src/a.ts?x=1')).bytes.toString('utf8')).toBe(index);
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(index)?.[1] ?? '';
  expect((await send(studio, script)).headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect(index).not.toMatch(/<script(?![^>]* src=)/);
  for (const path of [
    '/assets/../../package.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets/x.js',
    '/assets/..%2f..%2findex.html',
  ])
    expect((await send(studio, path)).bytes.toString('utf8')).not.toContain('"version"');
  for (const path of ['/api', '/api/', '/api/x', '/%61pi/workspaces'])
    expect((await send(studio, path)).status).toBe(401);
});

it('limits bodies, by their announced length and by what arrives', async () => {
  const path = `/api/workspaces/${entered.workspace}/verbs/list`;
  const headers = { Origin: studio.origin, 'Content-Type': 'application/json', ...bearer(entered.session) };
  const body = Buffer.alloc((1 << 20) + 1, ' ');
  expect((await send(studio, path, { method: 'POST', headers, body })).status).toBe(413);
  const announced = head(
    'POST /api/session HTTP/1.1',
    `Host: 127.0.0.1:${studio.port}`,
    `Origin: ${studio.origin}`,
    'Content-Type: application/json',
    'Content-Length: 5000',
  );
  // Refused before the body is there.
  expect((await sendRaw(studio, announced)).slice(0, 12)).toBe('HTTP/1.1 413');
  const chunked = { ...headers, 'Transfer-Encoding': 'chunked' };
  const answer = await send(studio, path, { method: 'POST', headers: chunked, body }).catch(() => null);
  // The server may close the connection while the rest is being sent.
  expect([413, undefined]).toContain(answer?.status);
  const edit = `/api/workspaces/${entered.workspace}/verbs/edit`;
  expect((await send(studio, edit, { method: 'POST', headers, body })).status).toBe(400);
  await stillAnswers();
});

it.each([
  ['that is empty', ''],
  ['that is cut', '{'],
  ['that is a list', '[]'],
  ['that is null', 'null'],
  ['that is a text', '"x"'],
  ['with a key twice', '{"a":1,"a":2}'],
  ['with a prototype', '{"__proto__":{}}'],
  ['that is too deep', '['.repeat(5000)],
  ['that is no UTF-8', '\xff'],
])('answers a body %s with what is wrong with it', async (_name, body) => {
  const headers = { Origin: studio.origin, 'Content-Type': 'application/json', ...bearer(entered.session) };
  const path = `/api/workspaces/${entered.workspace}/verbs/show`;
  const sent = { method: 'POST', headers, body: Buffer.from(body, 'latin1') };
  const { json } = await send(studio, path, sent);
  expect(json.error.code).toBe('USAGE');
  expect((await send(studio, '/api/session', sent)).status).toBeGreaterThanOrEqual(400);
  await stillAnswers();
});

it('answers beside 200 connections that send nothing, or a body that never ends', async () => {
  const slow = `POST /api/session HTTP/1.1\r\nHost: 127.0.0.1:${studio.port}\r\nOrigin: ${studio.origin}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
  const sockets = await Promise.all(
    Array.from({ length: 200 }, (_, index) => {
      const socket = net.connect(studio.port, '127.0.0.1');
      socket.on('error', () => undefined);
      return new Promise<net.Socket>((resolve) =>
        socket.once('connect', () => {
          if (index % 2 === 0) socket.write(index % 4 === 0 ? slow : 'GET / HTTP/1.1\r\nHost: ');
          resolve(socket);
        }),
      );
    }),
  );
  await stillAnswers();
  for (const socket of sockets) socket.destroy();
  await stillAnswers();
});

it('prints nothing while it refuses all of this, and still runs', () => {
  expect(studio.printed().split('\n').filter(Boolean)).toHaveLength(1);
  expect(studio.child.exitCode).toBeNull();
});
