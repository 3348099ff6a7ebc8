/** Which processes a call has left behind. With real ones: tests/frontends/left-behind.test.ts. */
import { fakeProcesses } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import type { Ports, ProcessIdentity, RunningProcess } from '../../../src/io/ports.ts';
import type { CallId, SessionId } from '../../../src/model/ids.ts';
import type { DiskPath } from '../../../src/model/names.ts';
import type { OpenCall } from '../../../src/store/state/open-calls.ts';
import { processesLeftBy } from '../../../src/timeline/capture/left-behind.ts';

const AGENT = 200;
const NOW = 1_000_000;
const UPTIME = 5_000;
/** Milliseconds since boot. */
const BEGAN = UPTIME - 100;

interface Started {
  readonly pid: number;
  readonly parent: number;
  /** Milliseconds since boot. */
  readonly began?: number;
  readonly command?: string;
  /** Instead of `command`, if words have spaces. */
  readonly words?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly folder?: string;
}

const NAMED = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's-1' };
const NAMELESS = { CLAUDECODE: '1' };

const SHELL: Partial<OpenCall> = { shell: { any: 'CLAUDECODE', session: 'CLAUDE_CODE_SESSION_ID' } };
const NO_VARIABLES: Partial<OpenCall> = {};

/** The ids of the processes that the call has left. */
function leftOf(started: readonly Started[], call: Partial<OpenCall> = SHELL): readonly number[] {
  const fake = fakeProcesses();
  const identity = (pid: number): ProcessIdentity => ({ ...fake.self(), pid, startedAt: `${pid}` });
  const of = (pid: number): Started | undefined => started.find((one) => one.pid === pid);
  const above = (pid: number): readonly ProcessIdentity[] =>
    pid <= 1 ? [] : [identity(pid), ...above(of(pid)?.parent ?? 1)];
  const processes: Ports['processes'] = {
    ...fake,
    ancestors: above,
    uptime: () => UPTIME,
    startedSince: (time) =>
      started
        .map(
          ({ pid, parent, began = BEGAN + 10 }): RunningProcess => ({ ...identity(pid), parent, beganUptime: began }),
        )
        .filter(({ beganUptime }) => beganUptime >= time),
    startedWith: (pid) => ({
      command: of(pid)?.words ?? (of(pid)?.command ?? 'sh').split(' '),
      variables: new Map(Object.entries(of(pid)?.variables ?? {})),
    }),
    folderOf: (pid) => (of(pid)?.folder ?? '/elsewhere') as DiskPath,
  };
  const whole: OpenCall = {
    id: 'c-1' as CallId,
    session: 's-1' as SessionId,
    actor: { kind: 'agent', name: 'claude' },
    tool: { name: 'Bash', kind: 'shell', summary: '', args: null, took: null },
    declared: null,
    began: NOW - 100,
    late: false,
    background: false,
    own: false,
    process: identity(AGENT),
    ...call,
  };
  const clock = { now: () => NOW } as Ports['clock'];
  const workspace = { ports: { clock, processes } as Ports, root: '/w' as DiskPath };
  return processesLeftBy(workspace, whole).map(({ pid }) => pid);
}

describe('a process', () => {
  test('that started in the call is found if the clock was set meanwhile', () => {
    const started = [
      { pid: 300, parent: 1, variables: NAMED },
      { pid: 301, parent: 1, variables: NAMED, began: BEGAN - 200 },
    ];
    const isSetBack = { ...SHELL, began: NOW + 5_000, beganUptime: BEGAN };
    const isSetAhead = { ...SHELL, began: NOW - 9_000, beganUptime: BEGAN };
    const isOfEarlierBoot = { ...SHELL, beganUptime: UPTIME + 1 };
    for (const call of [isSetBack, isSetAhead, isOfEarlierBoot]) expect(leftOf(started, call)).toEqual([300]);
  });

  test('that another call had left behind before is not of this call, nor is what it starts', () => {
    // Its start time is rounded down, to before that of the call.
    const started = [
      { pid: 300, parent: 1, variables: NAMED, began: BEGAN - 9 },
      { pid: 301, parent: 300, variables: NAMED },
      { pid: 302, parent: 1, variables: NAMED, began: BEGAN - 40 },
    ];
    const before = (pid: number): ProcessIdentity => ({ ...fakeProcesses().self(), pid, startedAt: `${pid}` });
    expect(leftOf(started)).toEqual([300, 301]);
    expect(leftOf(started, { ...SHELL, leftBefore: [before(300)] })).toEqual([]);
  });

  test('with the session in its environment belongs to its call, whoever its parent is', () => {
    const found = leftOf([
      { pid: 300, parent: 1, variables: NAMED },
      { pid: 301, parent: AGENT, variables: NAMED },
      { pid: 302, parent: 1, variables: { ...NAMED, CLAUDE_CODE_SESSION_ID: 's-2' }, folder: '/w' },
      { pid: 303, parent: AGENT },
    ]);
    expect(found).toEqual([300, 301]);
  });

  test('without the name of its session belongs to the call if it descends from the agent or works in the folder', () => {
    const found = leftOf([
      { pid: 300, parent: 1, variables: NAMELESS },
      { pid: 301, parent: 1, variables: NAMELESS, folder: '/w/src' },
      { pid: 302, parent: AGENT, variables: NAMELESS },
      { pid: 303, parent: 1, variables: NAMELESS, folder: '/w-other' },
    ]);
    expect(found).toEqual([301, 302]);
  });

  test('of an agent without variables must descend from it', () => {
    const server = { pid: 250, parent: AGENT, began: BEGAN - 5_000 };
    const started = [server, { pid: 300, parent: AGENT }, { pid: 301, parent: 300 }, { pid: 302, parent: 1 }];
    const found = leftOf([...started, { pid: 303, parent: 250 }], NO_VARIABLES);
    expect(found).toEqual([300, 301]);
  });

  test('that an earlier call left behind keeps its children', () => {
    const earlier = { pid: 250, parent: 1, began: BEGAN - 5_000, variables: NAMED };
    expect(leftOf([earlier, { pid: 300, parent: 250, variables: NAMED }])).toEqual([]);
  });

  test('of Savepoint does not count, nor does one that runs a hook', () => {
    const found = leftOf([
      { pid: 300, parent: AGENT, variables: NAMED, command: 'sh -c savepoint-hook savepoint hook claude' },
      { pid: 301, parent: 300, variables: NAMED, command: 'node /x/savepoint.js hook claude' },
      { pid: 302, parent: AGENT, variables: NAMED, command: '/bin/sh .clinerules/hooks/PreToolUse' },
      { pid: 303, parent: 302, variables: NAMED, command: 'savepoint hook cline PreToolUse' },
      { pid: 304, parent: 1, variables: NAMED, command: 'node /x/savepoint.js daemon run' },
      { pid: 305, parent: 1, variables: NAMED, command: 'node /home/me/savepoint/server.js' },
      { pid: 306, parent: AGENT, variables: NAMED, command: 'sh /x/savepoint-hook node savepoint.js hook claude' },
      { pid: 307, parent: 306, variables: NAMED, command: 'curl --unix-socket s' },
    ]);
    expect(found).toEqual([305]);
  });

  test('of an older process of Savepoint does not count, however deep it is below', () => {
    const older = { variables: NAMED, began: BEGAN - 5_000 };
    const found = leftOf([
      { ...older, pid: 250, parent: AGENT, command: 'node /x/savepoint.js hook claude' },
      { pid: 300, parent: 250, variables: NAMED, words: ['sh', '-c', 'npm test'] },
      { pid: 301, parent: 300, variables: NAMED, command: 'node test.js' },
      { ...older, pid: 260, parent: 1, command: 'node /x/savepoint.js daemon run', variables: {} },
      { pid: 302, parent: 260, variables: NAMED, words: [] },
      { ...older, pid: 270, parent: AGENT, command: 'node server.js', variables: {} },
      { pid: 303, parent: 270, variables: NAMED },
    ]);
    expect(found).toEqual([303]);
  });

  test('counts if it only mentions Savepoint, or starts its MCP server', () => {
    const found = leftOf([
      { pid: 300, parent: AGENT, variables: NAMED, words: ['bash', '-c', 'make # as savepoint hook does'] },
      { pid: 301, parent: AGENT, variables: NAMED, command: 'node app.js --note savepoint hook' },
      { pid: 302, parent: AGENT, variables: NAMED, command: 'node app.mjs' },
      { pid: 303, parent: 302, variables: NAMED, command: 'node /x/savepoint.js mcp --root .' },
      { pid: 304, parent: AGENT, variables: NAMED, command: 'vi savepoint hook' },
      { pid: 305, parent: AGENT, variables: NAMED, words: ['sh', '-c', 'make; savepoint hook claude'] },
    ]);
    expect(found).toEqual([300, 301, 302, 304, 305]);
  });

  test.each([
    ['savepoint hook claude'],
    [`/n/node '/a b/savepoint.js' hook claude`],
    [`'/a b/savepoint-hook' savepoint hook claude`],
  ])('does not count if a shell runs the installed command: %s', (text) => {
    expect(leftOf([{ pid: 300, parent: AGENT, variables: NAMED, words: ['/bin/sh', '-c', text] }])).toEqual([]);
  });
});

test('a tool that names its paths leaves none', () => {
  expect(leftOf([{ pid: 300, parent: 1, variables: NAMED }], { ...SHELL, declared: [] })).toEqual([]);
});
