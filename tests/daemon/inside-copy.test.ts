/** Commands and hooks in a copy never reach the store or the daemon of the outside. */

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { bytesFromText, type DiskPath } from '@savepoint/core';
import { nodePorts } from '@savepoint/core/node';
import { whyNoOverlays } from '@savepoint/testkit';
import { hookScript, main } from '@savepoint/testkit/command';
import { expect, it, onTestFinished } from 'vitest';
import { openOverlay } from '../../packages/core/src/copy/overlay/open-overlay.ts';
import { treeState } from '../../packages/core/test/copy/overlay/tree-state.ts';
import { daemonProject } from './daemon-project.ts';

const ID = 'copy_0123abcd';

it.skipIf(whyNoOverlays() !== null)('a copy that is a mount has a home of its own', async () => {
  const p = daemonProject();
  fs.writeFileSync(path.join(p.dir, 'a.txt'), 'old');
  expect(p.run(['checkpoint']).status).toBe(0);
  await p.startDaemon();
  const place = path.join(p.store, 'copies', ID);
  fs.mkdirSync(place, { recursive: true, mode: 0o700 });
  const bytes = (name: string): DiskPath => bytesFromText(name) as DiskPath;
  const request = { id: ID, root: bytes(p.dir), place: bytes(place), home: bytes(p.store) };
  const opened = await openOverlay(nodePorts(), process.env['PATH'] ?? '', bytes(path.dirname(place)), request);
  if ('why' in opened) throw new Error(opened.why);
  const { overlay } = opened;
  onTestFinished(() => overlay.close());
  const inside = (command: readonly string[], env: NodeJS.ProcessEnv, input = ''): ReturnType<typeof spawnSync> => {
    const [file = '', ...args] = command;
    const line = overlay.enter(bytes(p.dir), { file, args });
    return spawnSync(line.file, line.args, { cwd: '/', env, input, encoding: 'utf8', timeout: 60_000 });
  };
  const PATH = process.env['PATH'];
  const environments: Readonly<Record<string, NodeJS.ProcessEnv>> = {
    usual: p.environment(),
    cleared: { PATH },
    'with the home of the outside': {
      PATH,
      SAVEPOINT_HOME: p.store,
      XDG_RUNTIME_DIR: p.environment()['XDG_RUNTIME_DIR'],
    },
    'with another home': { PATH, SAVEPOINT_HOME: path.join(p.base, 'other'), HOME: p.home },
  };
  const workspaces = path.join(p.store, 'workspaces');
  const before = treeState(workspaces);
  const { events, pid } = p.status();
  let count = 0;
  for (const [name, env] of Object.entries(environments)) {
    const event = {
      hook_event_name: 'UserPromptSubmit',
      session_id: 's',
      cwd: p.dir,
      prompt: `asked ${count + 1}`,
      prompt_id: `p${count + 1}`,
      transcript_path: '/none',
    };
    const program = ['env', '-u', 'SAVEPOINT_HOOK_LINE', process.execPath, main];
    const told = inside(
      [hookScript, ...program, 'hook', 'claude'],
      { ...env, SAVEPOINT_DAEMON: 'on' },
      JSON.stringify(event),
    );
    expect({ name, status: told.status, stderr: told.stderr }).toEqual({ name, status: 0, stderr: '' });
    count += 1;
    const checkpoint = `echo ${count} > a.txt && exec '${process.execPath}' '${main}' checkpoint -m 'inside ${count}'`;
    expect(inside(['sh', '-c', checkpoint], env)).toMatchObject({ status: 0 });
    expect(treeState(workspaces)).toEqual(before);
  }
  // The daemon counts all events.
  expect(p.status()).toMatchObject({ events, pid });
  const list = inside([process.execPath, main, 'list', '--all'], p.environment());
  for (let number = 1; number <= count; number++)
    for (const words of [`asked ${number}`, `inside ${number}`]) expect(`${list.stdout}`).toContain(words);
  expect(`${inside([process.execPath, main, 'status'], { PATH }).stdout}`).toContain(p.dir);
  expect(fs.existsSync(path.join(p.base, 'other'))).toBe(false);
  expect(fs.readdirSync(path.join(place, 'home/workspaces'))).toHaveLength(1);
  expect(fs.readFileSync(path.join(p.dir, 'a.txt'), 'utf8')).toBe('old');
});
