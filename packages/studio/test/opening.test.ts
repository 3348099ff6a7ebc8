import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bytesFromText, type DiskPath } from '@savepoint/core';
import { nodePlaces, nodePorts } from '@savepoint/core/node';
import { project } from '@savepoint/testkit/command';
import { expect, it, onTestFinished } from 'vitest';
import { startStudio } from '../server/index.ts';
import { post } from './started.ts';

it('leads a browser to the page by a private file, which is gone once the page is open', async () => {
  const p = project();
  const studio = await startStudio({
    folder: bytesFromText(p.dir) as DiskPath,
    workspace: { ports: nodePorts(), places: nodePlaces(p.environment()) },
    caller: { ancestors: () => [], agent: null },
    home: p.store,
    page: fileURLToPath(new URL('../../cli/bundle/studio/', import.meta.url)),
    port: null,
    isReadOnly: false,
    version: '0.0.0',
    idleMs: 600_000,
  });
  onTestFinished(() => studio.stop());
  const file = studio.newOpeningFile();
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  const html = readFileSync(file, 'utf8');
  const token = /location\.replace\("http:\/\/127\.0\.0\.1:\d+\/#token=([\w-]{43})"\)/.exec(html)?.[1];
  expect(file).not.toContain(token);
  const started = { port: studio.port, origin: studio.address.slice(0, -1) };
  expect((await post(started, '/api/session', { token: 'x'.repeat(43) })).status).toBe(401);
  expect(existsSync(file)).toBe(true);
  expect((await post(started, '/api/session', { token })).status).toBe(200);
  expect(existsSync(file)).toBe(false);
});
