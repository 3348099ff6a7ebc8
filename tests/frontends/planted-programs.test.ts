/** Programs that someone planted in the workspace, in a folder of PATH, never run unless they were asked for by name. */

import { chmodSync } from 'node:fs';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { onTerminal } from './pseudo-terminal.ts';

const PLANTED = ['less', 'mv', 'ps', 'sh', 'sleep', 'stty'];

/** Each planted program says that it ran. */
function planted(): { readonly p: Project; readonly env: Readonly<Record<string, string>> } {
  const p = project();
  for (const name of PLANTED) {
    const file = `node_modules/.bin/${name}`;
    p.write(file, `#!/bin/sh\necho ${name} >>'${p.at('../ran')}'\nexec /usr/bin/${name} "$@"\n`);
    chmodSync(p.at(file), 0o755);
  }
  return { p, env: { PATH: `${p.at('node_modules/.bin')}:${process.env['PATH'] ?? ''}`, TERM: 'xterm' } };
}

function ran(p: Project): string {
  return p.has('../ran') ? p.read('../ran') : '';
}

it('a command in a fork', async () => {
  const { p, env } = planted();
  expect(p.run(['fork', 'create', 'one', '--', 'true'], { env }).status).toBe(0);
  await expect.poll(() => p.ok('fork', 'show', 'one', '--json').stdout, { timeout: 30_000 }).toContain('"exited"');
  expect(ran(p)).toBe('');
});

it('a long output, and a program on a terminal', async () => {
  const { p, env } = planted();
  p.write('a.txt', '');
  p.checkpoint();
  p.write('a.txt', 'line\n'.repeat(200));
  expect((await onTerminal(p, ['diff'], { env, typed: [[/\+line/, 'q']] })).status).toBe(0);
  expect(ran(p)).toBe('');
  const shown = await onTerminal(p, ['run', '--', 'echo', 'hello'], { env });
  expect(shown.screen).toContain('hello');
  expect(ran(p)).toBe('');
});
