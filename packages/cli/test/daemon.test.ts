import { realPorts, world } from '@savepoint/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { HOOK_VARIABLES, runHook } from '../../agents/src/hook/index.ts';
import { AGENTS } from '../../agents/src/index.ts';
import { claudeEvents } from '../../agents/test/fixtures/claude.ts';
import { answerText, parseHookRequest } from '../src/daemon/request.ts';
import { ResponseTimes } from '../src/daemon/response-times.ts';
import { WorkspacePool, WorkspaceQueue } from '../src/daemon/workspace-pool.ts';

const KNOWN = new Set(HOOK_VARIABLES);

test('a request contains known variables, each once, and the event after the last zero byte', () => {
  const parse = (text: string) => {
    const request = parseHookRequest(Buffer.from(text), KNOWN);
    return request && [request.env, request.event.toString()];
  };
  expect(parse('HOME=/h=i\0PATH=\0{"a":1}')).toEqual([{ HOME: '/h=i', PATH: '' }, '{"a":1}']);
  expect(parse('HOME=line\nbreak "\'$\0{}')).toEqual([{ HOME: 'line\nbreak "\'$' }, '{}']);
  expect(parse('{}')).toEqual([{}, '{}']);
  expect(parse('')).toEqual([{}, '']);
  for (const wrong of ['HOME\0{}', '=x\0{}', '\0{}', 'LD_PRELOAD=x\0{}', '__proto__=x\0{}', 'HOME=1\0HOME=2\0{}']) {
    expect(parse(wrong), wrong).toBeNull();
  }
  expect(parse(`HOME=${'x'.repeat(2 << 20)}\0{}`)).toBeNull();
});

test('an answer without content is empty', () => {
  expect(answerText({ stdout: '', stderr: '', exit: 0 })).toBe('');
  expect(answerText({ stdout: '{}\n', stderr: 'no', exit: 2 })).toBe('{}\n\u0001no\u00012');
});

test('the hook passes to the daemon every environment variable that it reads', async () => {
  const p = world(onTestFinished);
  const dir = Buffer.from(p.workspace, 'latin1').toString();
  const e = claudeEvents(dir);
  const call = e.call('Bash', { command: 'x' });
  const read = new Set<string>();
  const recorded = (more: Readonly<Record<string, string>>) =>
    new Proxy({ ...p.env, ...more } as Record<string, string | undefined>, {
      get: (env, name: string) => {
        read.add(name);
        return env[name];
      },
    });
  const { Readable } = await import('node:stream');
  for (const agent of Object.keys(AGENTS)) {
    for (const more of [{}, { COPILOT_CLI: '1' }]) {
      for (const event of [e.start(), call.pre, call.post({}), e.stop(), { ...e.start(), cursor_version: '1' }]) {
        const input = Readable.from([Buffer.from(JSON.stringify({ ...event, workspace_roots: [dir] }))]);
        await runHook({ args: [agent], env: recorded(more), input, script: '/nowhere.js', sinceStart: () => 0 });
      }
    }
  }
  read.delete('SAVEPOINT_HOOK_JOB');
  expect(read.size).toBeGreaterThan(8);
  expect([...read].filter((name) => !KNOWN.has(name))).toEqual([]);
});

test('requests for one folder are handled in order, and delay no others', async () => {
  const turns = new WorkspaceQueue();
  const done: string[] = [];
  let go: () => void = () => undefined;
  const first = turns.run('/w', () =>
    new Promise<void>((resolve) => (go = resolve)).then(() => void done.push('first')),
  );
  const failing = turns.run('/w/sub', async () => {
    done.push('failing');
    throw new Error('no');
  });
  const last = turns.run('/w', async () => void done.push('last'));
  await turns.run('/w2', async () => void done.push('elsewhere'));
  expect(done).toEqual(['elsewhere']);
  go();
  await Promise.all([first, expect(failing).rejects.toThrow('no'), last]);
  expect(done).toEqual(['elsewhere', 'first', 'failing', 'last']);
});

test('a limited number of workspaces stays open, and none is closed while in use', () => {
  const p = world(onTestFinished);
  let now = 0;
  const kept = new WorkspacePool(() => now);
  const options = (name: string) => ({
    dir: `${p.workspace}/${name}` as typeof p.workspace,
    ports: realPorts(),
    places: p.places,
  });
  const busy = kept.lease('env');
  const first = busy.open(options('first'));
  for (let count = 0; count < 20; count++) {
    const loan = kept.lease('env');
    loan.open(options(`n${count}`));
    loan.end();
  }
  expect(kept.count).toBe(8);
  now = 1_000;
  kept.closeIdle(1_000);
  expect(kept.count).toBe(1);
  const again = kept.lease('env');
  expect(again.open(options('first'))).toBe(first);
  expect(kept.lease('other').open(options('first'))).not.toBe(first);
  again.end();
  busy.end();
  now = 3_000;
  kept.closeIdle(1_000);
  expect(kept.count).toBe(1);
});

test('the median covers the latest events', () => {
  const times = new ResponseTimes();
  expect(times.median()).toBeNull();
  for (const ms of [3, 1, 2.04]) times.add(ms);
  expect([times.count, times.median()]).toEqual([3, 2]);
});
