/** A daemon that is killed in the middle of its answer, or that has another version, costs a command nothing but time. */

import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { main, type Project } from '@savepoint/testkit/command';
import { expect, it, onTestFinished } from 'vitest';
import { type DaemonProject, daemonProject, hasNumber, kill, until } from './daemon-project.ts';

const OFF = { env: { SAVEPOINT_DAEMON: 'off' } };
/** A text that does not fit into the buffers of sockets. */
const LARGE = ['diff', '--patch', 'cp_1', 'cp_2'];

function filled(): DaemonProject {
  const p = daemonProject();
  const names = Array.from({ length: 10 }, (_, file) => `${file}.txt`);
  for (const name of names) p.write(name, '');
  expect(p.run(['checkpoint'], OFF).status).toBe(0);
  for (const name of names) p.write(name, 'A line of a text that is large as a whole.\n'.repeat(5_000));
  expect(p.run(['checkpoint'], OFF).status).toBe(0);
  return p;
}

interface Step {
  readonly sent: number;
  readonly answered: number;
}

/** When the daemon is killed, by the bytes that the command has sent, and those of the answer. */
const STEPS: Readonly<Record<string, (step: Step) => boolean>> = {
  'when the command connects': () => true,
  'with the request in its socket': ({ sent }) => sent > 0,
  'after the beginning of the answer': ({ answered }) => answered > 0,
  'in the middle of the answer': ({ answered }) => answered > 500_000,
};

it.each(Object.entries(STEPS))('is killed %s', async (_, isDue) => {
  const p = filled();
  const wanted = p.run(LARGE, OFF);
  const pid = await p.startDaemon();
  const seen = await listenBefore(p, (step) => {
    if (isDue(step)) kill(pid, 'SIGKILL');
  });
  expect(await p.start(LARGE).done).toEqual(wanted);
  await until(() => !hasNumber(pid));
  expect(isDue(seen())).toBe(true);
  expect(seen().answered).toBeLessThan(wanted.stdout.length);
});

it('is not killed: its answer is the whole text', async () => {
  const p = filled();
  const wanted = p.run(LARGE, OFF);
  await p.startDaemon();
  const seen = await listenBefore(p, () => undefined);
  expect(await p.start(LARGE).done).toEqual(wanted);
  expect(seen().answered).toBeGreaterThan(wanted.stdout.length);
});

it('has another version: it answers no command, and ends', async () => {
  const p = filled();
  const other = path.join(p.base, 'other', 'bundle');
  fs.cpSync(path.dirname(main), other, { recursive: true });
  fs.copyFileSync(path.join(path.dirname(main), '..', 'package.json'), path.join(other, '..', 'package.json'));
  fs.writeFileSync(path.join(other, 'build.txt'), `${'0'.repeat(16)} 1\n`);
  const pid = await p.startDaemon({}, path.join(other, 'savepoint.js'));
  const wanted = p.run(LARGE, OFF);
  expect(p.run(LARGE)).toEqual(wanted);
  await until(() => !hasNumber(pid));
});

/**
 * Puts a socket in the place of the daemon's, which passes everything on.
 * @param onStep is called before what the command sends is passed on, and after what the daemon answers
 */
async function listenBefore(p: Project, onStep: (step: Step) => void): Promise<() => Step> {
  const folder = fs.realpathSync(path.join(p.store, 'daemon'));
  const [socket, real] = [path.join(folder, 's'), path.join(folder, 'real')];
  fs.renameSync(socket, real);
  let [sent, answered] = [0, 0];
  const server = net.createServer((command) => {
    const daemon = net.connect(real);
    for (const end of [command, daemon]) end.on('error', () => undefined);
    onStep({ sent, answered });
    command.on('data', (part) => {
      sent += part.length;
      daemon.write(part);
      onStep({ sent, answered });
    });
    daemon.on('data', (part) => {
      answered += part.length;
      command.write(part);
      onStep({ sent, answered });
    });
    daemon.on('close', () => command.end());
    command.on('close', () => daemon.destroy());
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => void server.close());
  return () => ({ sent, answered });
}
