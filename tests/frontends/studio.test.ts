import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { main, type Project, project } from '@savepoint/testkit/command';
import { expect, it, onTestFinished } from 'vitest';

/** Starts the command as a person does, and returns what it printed once that contains the text. */
async function printedUntil(p: Project, text: string, args: readonly string[], env = {}): Promise<string> {
  const child = spawn(process.execPath, [main, 'studio', ...args], { cwd: p.dir, env: p.environment({ env }) });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGINT');
    expect(await ended).toBe(130);
  });
  let printed = '';
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      printed += more;
      if (printed.includes(text)) resolve(printed);
    });
    child.once('exit', () => reject(new Error(printed)));
  });
}

it('without a display, prints an address that works once', async () => {
  const p = project();
  const printed = await printedUntil(p, '#token=', []);
  expect(printed.replace(/[\w-]{43}/, 'TOKEN').replaceAll(/:\d+\//g, ':PORT/')).toBe(
    'Studio runs at http://127.0.0.1:PORT/ until you press Ctrl-C.\n' +
      'Open this address in a browser. It works once, for ten minutes:\n\n' +
      '  http://127.0.0.1:PORT/#token=TOKEN\n\n',
  );
});

it('over SSH, says how to forward the port', async () => {
  const p = project();
  const printed = await printedUntil(p, 'ssh -N', ['--no-open'], { SSH_CONNECTION: '10.0.0.1 5 10.0.0.2 22' });
  const port = /127\.0\.0\.1:(\d+)/.exec(printed)?.[1];
  expect(printed).toContain(`  ssh -N -L ${port}:127.0.0.1:${port} HOST\n`);
});

it('started by an agent, says what it does not do', async () => {
  const printed = await printedUntil(project(), '#token=', ['--no-open'], { CODEX_CI: '1' });
  expect(printed).toContain('It was started by codex, so it does not do what only a person may do.\n');
});

it.each([
  ['--port', '0'],
  ['--port', '70000'],
  ['--port', 'x'],
  ['--idle', '0'],
])('refuses %s %s', (flag, value) => {
  const { status, stderr } = project().run(['studio', flag, value]);
  expect([status, stderr]).toEqual([2, expect.stringContaining(`${flag} needs a number from 1 to`)]);
});

it('says if another program uses the port', async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  const port = await new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { readonly port: number }).port)),
  );
  const { done } = project().start(['studio', '--no-open', '--port', String(port)]);
  const { status, stderr } = await done;
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining(`cannot listen on port ${port}: another program uses it`),
  ]);
});

it('refuses a home that other users can access', () => {
  const p = project();
  p.checkpoint();
  const { status, stderr } = p.run(['studio', '--no-open'], { env: { SAVEPOINT_HOME: p.dir } });
  expect([status, stderr]).toEqual([1, expect.stringContaining('Other users can access')]);
});
