import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, it, onTestFinished } from 'vitest';

interface Bucket {
  /** The key id that the bucket accepts; null: it fails with status 500. */
  accepts: string | null;
  /** Whether it leaves requests without a response. */
  hangs: boolean;
  readonly objects: Map<string, Buffer>;
  readonly requests: string[];
}

/** The parts of S3 that an export uses. */
async function bucketFor(p: Project): Promise<Bucket> {
  const bucket: Bucket = { accepts: 'new', hangs: false, objects: new Map(), requests: [] };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const keyId = /Credential=(\w+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
      bucket.requests.push(keyId);
      const refuse = (status: number, code: string): void => {
        response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
      };
      if (bucket.hangs) return;
      if (bucket.accepts === null) return refuse(500, 'InternalError');
      if (keyId === 'expired') return refuse(400, 'ExpiredToken');
      if (keyId !== bucket.accepts) return refuse(403, 'InvalidAccessKeyId');
      const name = request.url ?? '';
      const before = bucket.objects.get(name);
      const { 'if-match': same, 'if-none-match': absent } = request.headers;
      const fails = (absent === '*' && before !== undefined) || (same !== undefined && same !== tagOf(before));
      if (request.method === 'PUT' && fails) return refuse(412, 'PreconditionFailed');
      if (request.method === 'PUT') bucket.objects.set(name, Buffer.concat(pieces));
      const found = bucket.objects.get(name);
      if (found === undefined) return refuse(404, 'NoSuchKey');
      response.writeHead(200, { etag: tagOf(found) }).end(request.method === 'PUT' ? undefined : found);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  p.write('a.txt', 'one\n');
  p.ok('checkpoint');
  writeFileSync(path.join(p.store, 'config.json'), JSON.stringify({ export: { to: 's3://bucket', endpoint } }));
  return bucket;
}

function tagOf(content: Buffer | undefined): string {
  return `"${createHash('md5')
    .update(content ?? '')
    .digest('hex')}"`;
}

function exporting(p: Project, keyId: string, env: Record<string, string> = {}): ReturnType<Project['start']> {
  const started = p.start(['bundle', 'export', '--patient'], {
    env: { AWS_ACCESS_KEY_ID: keyId, AWS_SECRET_ACCESS_KEY: 'secret', ...env },
  });
  onTestFinished(() => {
    try {
      process.kill(started.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  });
  return started;
}

it.each(['old', 'expired'])(
  'an export with %s credentials ends at once, and one with new ones takes over',
  async (keyId) => {
    const p = project();
    const bucket = await bucketFor(p);
    const refused = await exporting(p, keyId).done;
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('Check the credentials')]);
    expect(bucket.requests).toEqual([keyId]);
    expect(p.ok('status').stdout).toContain('Check the credentials');
    expect((await exporting(p, 'new').done).status).toBe(0);
    expect(bucket.objects.size).toBe(2);
    expect(p.ok('status').stdout).not.toContain('Check the credentials');
  },
);

it('an export that waits to retry ends on SIGTERM', async () => {
  const p = project();
  const bucket = await bucketFor(p);
  bucket.accepts = null;
  const { pid, done } = exporting(p, 'new');
  // The third pause is half a minute long.
  await expect.poll(() => bucket.requests.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
  process.kill(pid, 'SIGTERM');
  expect(await done).toMatchObject({ status: 143 });
  bucket.accepts = 'new';
  expect((await exporting(p, 'new').done).status).toBe(0);
});

it('an export that waits for a response ends on SIGTERM, and so does one that waits for its turn', async () => {
  const p = project();
  const bucket = await bucketFor(p);
  bucket.hangs = true;
  const first = exporting(p, 'new');
  await expect.poll(() => bucket.requests.length, { timeout: 60_000 }).toBe(1);
  const second = exporting(p, 'other');
  const waiting = (): string | null => {
    try {
      return readFileSync(path.join(onlyStore(p), 'cache/export-next'), 'utf8');
    } catch {
      return null;
    }
  };
  await expect.poll(waiting, { timeout: 60_000 }).not.toBeNull();
  process.kill(second.pid, 'SIGTERM');
  expect(await second.done).toMatchObject({ status: 143 });
  process.kill(first.pid, 'SIGTERM');
  expect(await first.done).toMatchObject({ status: 143 });
  expect(bucket.requests).toEqual(['new']);
});

it('an export with other settings takes over from one that waits to retry', async () => {
  const p = project();
  const bucket = await bucketFor(p);
  bucket.accepts = null;
  const first = exporting(p, 'first');
  // The third pause is half a minute long.
  await expect.poll(() => bucket.requests.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
  // Credentials that are refused take over from nobody: there is no second attempt with them.
  bucket.accepts = 'new';
  expect((await exporting(p, 'old').done).status).toBe(1);
  expect((await exporting(p, 'new').done).status).toBe(0);
  expect(bucket.objects.size).toBe(2);
  expect((await first.done).status).toBe(0);
  expect(bucket.requests.filter((keyId) => keyId === 'first')).toHaveLength(3);
  expect(p.ok('status').stdout).not.toContain('failed');
});

it('of two copies of a store, one exports to the bucket, and the other is refused without a trace', async () => {
  const p = project();
  const bucket = await bucketFor(p);
  expect((await exporting(p, 'new').done).status).toBe(0);
  // The same store on another machine, as a backup or an image of a machine makes it.
  const home = p.at('../copied-home');
  cpSync(p.store, home, { recursive: true });
  p.write('a.txt', 'of the first\n');
  p.ok('checkpoint');
  p.write('a.txt', 'of the copy\n');
  expect(p.run(['checkpoint'], { env: { SAVEPOINT_HOME: home } }).status).toBe(0);
  const [one, two] = await Promise.all([exporting(p, 'new').done, exporting(p, 'new', { SAVEPOINT_HOME: home }).done]);
  expect([one.status, two.status].sort()).toEqual([0, 3]);
  expect((one.status === 0 ? two : one).stderr).toContain('have diverged');
  const list = [...bucket.objects].find(([name]) => name.endsWith('head.json'))?.[1];
  const { bundles } = JSON.parse(String(list)) as { bundles: { key: string; to: string }[] };
  expect(bundles.map(({ to }) => to)).toEqual(['cp_1', 'cp_2']);
  const there = project();
  for (const { key } of bundles) {
    const name = [...bucket.objects.keys()].find((one) => one.endsWith(key)) ?? '';
    writeFileSync(there.at('../next.bundle'), bucket.objects.get(name) ?? '');
    there.ok('bundle', 'restore', '../next.bundle', '../restored');
  }
  expect(there.read('../restored/a.txt')).toBe(one.status === 0 ? 'of the first\n' : 'of the copy\n');
});

function onlyStore(p: Project): string {
  const stores = path.join(p.store, 'workspaces');
  return path.join(stores, readdirSync(stores)[0] ?? '');
}
