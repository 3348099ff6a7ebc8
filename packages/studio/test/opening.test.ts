import { existsSync, readFileSync, statSync } from 'node:fs';
import { project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { post, startHere } from './started.ts';

it('leads a browser to the page by a private file, which is gone once the page is open', async () => {
  const studio = await startHere(project(), { idleMs: 600_000 });
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
