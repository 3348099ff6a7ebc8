import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BundleKey } from '@savepoint/core/ports';
import { type BucketStore, bucketFromEnvironment } from '@savepoint/s3';
import { bundleStoreConformance, world } from '@savepoint/testkit';
import { AwsClient } from 'aws4fetch';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { TOP } from '../../../scripts/steps.mjs';
import { type ObjectGateway, startObjectGateway } from './object-gateway.ts';

/** Bundles in a bucket of a real server, which verifies signatures and enforces conditional requests. */

let gateway: ObjectGateway;
const REGION = 'us-east-1';

beforeAll(async () => {
  gateway = await startObjectGateway();
});

afterAll(async () => gateway?.stop());

async function newBucket(): Promise<string> {
  const { endpoint, accessKeyId, secretAccessKey } = gateway;
  const name = `savepoint-${randomUUID().slice(0, 8)}`;
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: REGION });
  expect((await client.fetch(`${endpoint}/${name}`, { method: 'PUT' })).status).toBe(200);
  return name;
}

function environment(secret = gateway.secretAccessKey): Record<string, string> {
  return {
    AWS_ACCESS_KEY_ID: gateway.accessKeyId,
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_ENDPOINT_URL_S3: gateway.endpoint,
  };
}

async function newStore(prefix = ''): Promise<BucketStore> {
  const to = `s3://${await newBucket()}${prefix}`;
  return bucketFromEnvironment({ to, endpoint: null, region: null }, environment());
}

describe.each([
  ['a bucket', ''],
  ['a prefix in a bucket', '/some/where'],
])('%s', (_what, prefix) => {
  for (const { name, run } of bundleStoreConformance(() => newStore(prefix))) test(name, run);
});

test('more than a page of bundles is listed completely', async () => {
  const store = await newStore('/many');
  const names = Array.from({ length: 1001 }, (_, n) => `x${n}` as BundleKey);
  for (let at = 0; at < names.length; at += 50) {
    await Promise.all(names.slice(at, at + 50).map((key) => store.put(key, Buffer.from('x'), { when: 'any' })));
  }
  expect((await store.list('')).map(({ key }) => key)).toEqual([...names].sort());
});

test('a wrong secret, a missing bucket and a missing server are reported as such', async () => {
  const to = `s3://${await newBucket()}`;
  const wrong = bucketFromEnvironment({ to, endpoint: null, region: null }, environment('wrong'));
  const key = 'head.json' as BundleKey;
  for (const refused of [
    () => wrong.get(key, 10),
    () => wrong.put(key, Buffer.from('x'), { when: 'any' }),
    () => wrong.list(''),
  ]) {
    await expect(refused()).rejects.toMatchObject({ code: 'BUNDLE_STORE', data: { status: 403 } });
  }
  const missing = bucketFromEnvironment({ to: 's3://no-such-bucket', endpoint: null, region: null }, environment());
  for (const lost of [() => missing.get(key, 10), () => missing.put(key, Buffer.from('x'), { when: 'absent' })]) {
    await expect(lost()).rejects.toMatchObject({
      code: 'BUNDLE_STORE',
      message: expect.stringContaining('NoSuchBucket'),
    });
  }
  const nowhere = bucketFromEnvironment({ to, endpoint: 'http://127.0.0.1:1', region: null }, environment());
  await expect(nowhere.get(key, 10)).rejects.toMatchObject({ code: 'BUNDLE_STORE', data: { status: 0 } });
  const noKey = (): BucketStore => bucketFromEnvironment({ to, endpoint: null, region: null }, {});
  expect(noKey).toThrow(/AWS_ACCESS_KEY_ID/);
});

describe('checkpoints are exported to a bucket automatically', () => {
  const command = join(TOP, 'packages/cli/bundle/savepoint.js');

  test('and imported on another machine, one bundle after the other', async () => {
    const here = world(onTestFinished);
    const folder = Buffer.from(here.folder, 'latin1').toString();
    const project = join(folder, 'workspace');
    const to = `s3://${await newBucket()}/team`;
    writeFileSync(join(folder, 'home/config.json'), JSON.stringify({ export: { to, endpoint: gateway.endpoint } }));
    const env = { ...here.env, ...environment() };
    const run = (args: readonly string[], more: Record<string, string> = {}): string =>
      execFileSync(process.execPath, [command, ...args], { cwd: project, env: { ...env, ...more }, encoding: 'utf8' });
    for (const content of ['one\n', 'two\n', 'three\n']) {
      writeFileSync(join(project, 'a.txt'), content);
      run(['checkpoint', '-m', content.trim()]);
    }
    // A background process does the work; an explicit export waits for it.
    const reported = JSON.parse(run(['bundle', 'export', '--json'])) as { upTo: string };
    expect(reported.upTo).toBe('cp_3');
    const status = JSON.parse(run(['status', '--json'])) as { exporting: unknown };
    expect(status.exporting).toEqual({ to, upTo: 'cp_3', behind: 0, failure: null });
    const store = bucketFromEnvironment({ to, endpoint: null, region: null }, environment());
    const items = await store.list('');
    const head = items.find(({ key }) => key.endsWith('head.json'));
    const { bundles } = JSON.parse(String((await store.get(head?.key as BundleKey, 1 << 20))?.bytes)) as {
      bundles: { key: BundleKey }[];
    };
    mkdirSync(join(folder, 'there'), { mode: 0o700 });
    for (const [index, { key }] of bundles.entries()) {
      const file = join(folder, `${index}.bundle`);
      writeFileSync(file, (await store.get(key, 1 << 20))?.bytes as Buffer);
      run(['bundle', 'restore', file, '../back'], { SAVEPOINT_HOME: join(folder, 'there') });
    }
    expect(readFileSync(join(folder, 'back/a.txt'), 'utf8')).toBe('three\n');
    expect(readdirSync(join(folder, 'back'))).toEqual(['a.txt']);
  });

  test('a wrong secret is reported by status, and delays nothing', async () => {
    const here = world(onTestFinished);
    const folder = Buffer.from(here.folder, 'latin1').toString();
    const project = join(folder, 'workspace');
    const to = `s3://${await newBucket()}`;
    writeFileSync(join(folder, 'home/config.json'), JSON.stringify({ export: { to, endpoint: gateway.endpoint } }));
    const env = { ...here.env, ...environment('wrong') };
    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, [command, ...args], { cwd: project, env, encoding: 'utf8' });
    writeFileSync(join(project, 'a.txt'), 'one\n');
    expect(run('checkpoint').status).toBe(0);
    for (let tries = 0; tries < 100 && !/403|SignatureDoesNotMatch/.test(run('status').stdout); tries++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(run('status').stdout).toMatch(/1 checkpoint behind\n.*the last export failed .*SignatureDoesNotMatch/);
  });
});
