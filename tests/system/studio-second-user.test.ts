import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { main, project } from '@savepoint/testkit/command';
import { expect, it, onTestFinished } from 'vitest';

/** Runs a program as a user who owns nothing here. */
function asOther(...command: readonly string[]): string {
  const args = ['--reuid=65534', '--regid=65534', '--clear-groups', ...command];
  return execFileSync('setpriv', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function fetchAsOther(url: string, body?: unknown): string {
  const { origin } = new URL(url);
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const headers = { Origin: origin, 'Content-Type': 'application/json', Authorization: `Bearer ${'x'.repeat(43)}` };
  const code = `
    const answer = await fetch(${JSON.stringify(url)}, ${JSON.stringify({ ...init, headers })});
    console.log(answer.status, await answer.text());`;
  return asOther(process.execPath, '--input-type=module', '-e', code);
}

it('another user of the machine gets the empty page and nothing else', async () => {
  const p = project();
  // Only the modes of Savepoint's own folders are tested.
  chmodSync(p.base, 0o755);
  p.write('secret.txt', 'the secret line\n');
  p.checkpoint();
  const child = spawn(process.execPath, [main, 'studio', '--no-open', '--json'], { cwd: p.dir, env: p.environment() });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = await new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text))));
  const { address, open } = JSON.parse(printed) as { readonly address: string; readonly open: string };
  const token = open.split('#token=')[1] ?? '';
  expect(token).toHaveLength(43);

  const list = asOther(process.execPath, '-p', `require('fs').readFileSync('/proc/${child.pid}/cmdline', 'utf8')`);
  expect(list).toContain('studio');
  expect(list).not.toContain(token);
  const folder = join(p.store, 'studio');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  expect(files.length).toBeGreaterThan(0);
  for (const file of [p.store, folder, ...files]) expect(() => asOther('ls', file), file).toThrow('Permission denied');

  expect(fetchAsOther(address)).toMatch(/^200 <!doctype html>/);
  for (const [path, body] of [
    ['api/workspaces'],
    ['api/workspaces/here/verbs/list', {}],
    ['api/workspaces/here/content?at=last&path=secret.txt'],
    ['api/workspaces/here/events'],
    ['api/session', { token: 'x'.repeat(43) }],
    ['api/proof', { id: 'x', nonce: 'x'.repeat(43) }],
  ] as const)
    expect(fetchAsOther(`${address}${path}`, body)).toMatch(/^401 \{"error"/);
});
