import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, it, onTestFinished } from 'vitest';

interface Bucket {
  /** The key id that the bucket accepts; null: it fails with status 500. */
  accepts: string | null;
  readonly objects: Map<string, Buffer>;
  readonly requests: string[];
}

/** The parts of S3 that an export uses. */
async function bucketFor(p: Project): Promise<Bucket> {
  const bucket: Bucket = { accepts: 'new', objects: new Map(), requests: [] };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const keyId = /Credential=(\w+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
      bucket.requests.push(keyId);
      const refuse = (status: number, code: string): void => {
        response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
      };
      if (bucket.accepts === null) return refuse(500, 'InternalError');
      if (keyId === 'expired') return refuse(400, 'ExpiredToken');
      if (keyId !== bucket.accepts) return refuse(403, 'InvalidAccessKeyId');
      const name = request.url ?? '';
      if (request.method === 'PUT') bucket.objects.set(name, Buffer.concat(pieces));
      const found = bucket.objects.get(name);
      if (found === undefined) return refuse(404, 'NoSuchKey');
      response.writeHead(200, { etag: `"${found.length}"` }).end(request.method === 'PUT' ? undefined : found);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  p.write('a.txt', 'one\n');
  p.ok('checkpoint');
  writeFileSync(path.join(p.store, 'config.json'), JSON.stringify({ export: { to: 's3://bucket', endpoint } }));
  return bucket;
}

function exporting(p: Project, keyId: string): ReturnType<Project['start']> {
  const started = p.start(['bundle', 'export', '--patient'], {
    env: { AWS_ACCESS_KEY_ID: keyId, AWS_SECRET_ACCESS_KEY: 'secret' },
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
