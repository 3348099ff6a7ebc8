/** An agent's change is never recorded as surely somebody else's, even if no capture ran around its call. */
import { mkdirSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CallRequest, ChangeId, OpenOptions, Savepoint } from '@savepoint/core';
import type { Ports, ProcessIdentity } from '@savepoint/core/ports';
import { realPorts } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { Place } from '../../place.ts';
import { tree, worldWith } from '../query/timeline-world.ts';

const SHELL: CallRequest = { tool: 'Bash', kind: 'shell', args: { command: 'make' } };

/** `path by author (grade)` for each change of the newest checkpoint. */
async function newest(savepoint: Savepoint): Promise<readonly string[]> {
  const { checkpoints } = await savepoint.list({ limit: 1 });
  return (checkpoints[0]?.changes ?? []).map(
    ({ path: changed, by: { authors, grade } }) =>
      `${changed} by ${[...new Set(authors.map(({ actor }) => actor.name))].join(' or ')} (${grade})`,
  );
}

async function captured(savepoint: Savepoint): Promise<readonly string[]> {
  await savepoint.checkpoint();
  return newest(savepoint);
}

/** A folder with one checkpoint, and settings of the user. */
async function placeWith(settings: object = {}): Promise<Place> {
  const p = new Place();
  p.write('a.txt', 'a\n');
  await p.open().checkpoint();
  writeFileSync(
    path.join(Buffer.from(p.world.places.home, 'latin1').toString(), 'config.json'),
    JSON.stringify(settings),
  );
  return p;
}

const withSettings: Partial<OpenOptions> = { settings: { savepoint: null } };

/** An agent whose process is unknown, unless given. */
const agentIn = (savepoint: Savepoint, ancestors: readonly ProcessIdentity[] = [], id = 's-1') =>
  savepoint.session({ agent: 'one', id, ancestors });

function callFiles(p: Place): readonly string[] {
  const stores = path.join(Buffer.from(p.world.places.home, 'latin1').toString(), 'workspaces');
  return readdirSync(stores).flatMap((store) => {
    const folder = path.join(stores, store, 'calls');
    try {
      return readdirSync(folder).map((name) => path.join(folder, name));
    } catch {
      return [];
    }
  });
}

describe('a call around which no capture runs', () => {
  test.each([
    ['enabled: false', { enabled: false }, SHELL],
    ['triggers that leave it out', { triggers: ['on_request'] }, SHELL],
    ['patterns that do not match', { bash_patterns: ['rm *'] }, SHELL],
    ['track: false', {}, { ...SHELL, track: false }],
    [
      'a file tool that is left out',
      { triggers: ['on_request'] },
      { tool: 'Edit', kind: 'edit', paths: tree('b.txt') },
    ],
  ] as const)('because of %s may be the author, until a capture follows its end', async (_, settings, request) => {
    const p = await placeWith(settings);
    const savepoint = p.open(withSettings);
    await agentIn(savepoint).call(request, () => p.write('b.txt', 'b\n'));
    expect(await captured(savepoint)).toEqual(['b.txt by one or outside (open)']);
    p.write('c.txt', 'c\n');
    expect(await captured(savepoint)).toEqual(['c.txt by outside (sure)']);
    expect(callFiles(p)).toEqual([]);
  });

  test('because the session is not tracked may be the author', async () => {
    const p = await placeWith();
    const session = p.open().session({ agent: 'one', track: false });
    await session.call(SHELL, () => p.write('b.txt', 'b\n'));
    expect(await captured(p.open())).toEqual(['b.txt by one or outside (open)']);
    await session.begin(SHELL);
    await session.close();
    await p.open().checkpoint();
    p.write('c.txt', 'c\n');
    expect(await captured(p.open())).toEqual(['c.txt by outside (sure)']);
  });

  test('may be the author while it is open, also after a capture', async () => {
    const p = await placeWith({ enabled: false });
    const savepoint = p.open(withSettings);
    const { id } = await agentIn(savepoint).begin(SHELL);
    p.write('b.txt', 'b\n');
    expect(await captured(savepoint)).toEqual(['b.txt by one or outside (open)']);
    p.write('c.txt', 'c\n');
    expect(await captured(savepoint)).toEqual(['c.txt by one (likely)']);
    await agentIn(savepoint).end(id);
    p.write('d.txt', 'd\n');
    expect(await captured(savepoint)).toEqual(['d.txt by one or outside (open)']);
  });

  test('costs one small file, however many calls follow without a capture', async () => {
    const p = await placeWith({ enabled: false });
    const session = agentIn(p.open(withSettings));
    for (let call = 0; call < 20; call++) await session.call(SHELL, () => undefined);
    expect(callFiles(p)).toHaveLength(1);
  });

  test('by a project’s file: the file may not turn evidence off', async () => {
    const p = await placeWith();
    p.write('.savepoint.json', JSON.stringify({ enabled: false, triggers: [] }));
    await p.open().checkpoint();
    await agentIn(p.open(withSettings)).call(SHELL, () => p.write('b.txt', 'b\n'));
    rmSync(p.at('.savepoint.json'));
    await p.open().checkpoint();
    expect(await newest(p.open())).toEqual([
      '.savepoint.json by one or outside (open)',
      'b.txt by one or outside (open)',
    ]);
  });
});

describe('invalid settings', () => {
  test('that an agent writes do not hide its calls', async () => {
    const p = await placeWith();
    const savepoint = p.open(withSettings);
    const session = agentIn(savepoint);
    await expect(session.call(SHELL, () => p.write('.savepoint.json', 'garbage'))).rejects.toThrow('.savepoint.json');
    const { id } = { id: 'c-2' };
    await expect(session.begin({ ...SHELL, id })).rejects.toThrow('.savepoint.json');
    p.write('b.txt', 'b\n');
    await session.end(id);
    rmSync(p.at('.savepoint.json'));
    expect(await captured(savepoint)).toEqual(['b.txt by one or outside (open)']);
  });
});

describe('a damaged record of a call', () => {
  test.each([
    ['is empty', ''],
    ['is truncated', null],
    ['is garbage', 'garbage'],
    ['is not a call', '[1, 2]'],
    ['has a field of another type', '{"id":"c-1","session":"s-1","actor":"one","declared":7}'],
    ['is a folder', undefined],
  ])('that %s may be of any agent, until its session ends', async (_, content) => {
    const p = await placeWith();
    const savepoint = p.open();
    const session = agentIn(savepoint);
    await session.begin({ ...SHELL, id: 'c-1' });
    const [file = ''] = callFiles(p);
    if (content === null) truncateSync(file, 40);
    else if (content === undefined) {
      rmSync(file);
      mkdirSync(file);
    } else writeFileSync(file, content);
    p.write('b.txt', 'b\n');
    expect(await captured(savepoint)).toEqual(['b.txt by unknown or outside (open)']);
    const { damage } = await savepoint.verify();
    expect(damage.map(({ file: damaged, problem }) => [damaged, problem])).toEqual([
      [`calls/${path.basename(file)}`, expect.stringContaining('open call')],
    ]);
    expect((await savepoint.status()).damagedCalls).toEqual([`calls/${path.basename(file)}`]);
    p.write('c.txt', 'c\n');
    await session.close();
    expect(await newest(savepoint)).toEqual(['c.txt by unknown or outside (open)']);
    p.write('d.txt', 'd\n');
    expect(await captured(savepoint)).toEqual(['d.txt by outside (sure)']);
    expect(callFiles(p)).toEqual([]);
  });

  test('leaves proven changes to their tool, and counts until its agent is dead', async () => {
    const p = await placeWith();
    const { ports, agent, kill } = processes();
    const savepoint = p.open({ ports });
    const session = agentIn(savepoint, [agent]);
    await session.start();
    await session.begin({ ...SHELL, id: 'c-1' });
    writeFileSync(callFiles(p)[0] ?? '', '');
    const other = agentIn(savepoint, [], 's-2');
    const writes = [{ path: tree('a.txt')[0]!, result: [{ old: 'a\n', new: 'b\n', all: false }] }];
    await other.call({ tool: 'Edit', kind: 'edit', paths: tree('a.txt'), writes }, () => p.write('a.txt', 'b\n'));
    expect(await newest(savepoint)).toEqual(['a.txt by one (sure)']);
    kill();
    p.write('b.txt', 'b\n');
    expect(await captured(savepoint)).toEqual(['b.txt by unknown or outside (open)']);
    p.write('c.txt', 'c\n');
    expect(await captured(savepoint)).toEqual(['c.txt by outside (sure)']);
  });

  test('is ended by a clean-up on request', async () => {
    const p = await placeWith();
    await agentIn(p.open()).begin(SHELL);
    writeFileSync(callFiles(p)[0] ?? '', '');
    await p.open().gc();
    p.write('b.txt', 'b\n');
    expect(await captured(p.open())).toEqual(['b.txt by unknown or outside (open)']);
    p.write('c.txt', 'c\n');
    expect(await captured(p.open())).toEqual(['c.txt by outside (sure)']);
  });
});

/** An agent's process, and a clock that the test moves. */
function processes(): {
  readonly ports: Ports;
  readonly agent: ProcessIdentity;
  readonly kill: () => void;
  readonly jump: (hours: number) => void;
} {
  const real = realPorts();
  const agent: ProcessIdentity = { ...real.processes.self(), pid: 4_000_000, startedAt: '7' };
  let [isDead, offset] = [false, 0];
  const ports: Ports = {
    ...real,
    clock: { ...real.clock, now: () => real.clock.now() + offset },
    processes: {
      ...real.processes,
      state: (of) => (of.pid !== agent.pid ? real.processes.state(of) : isDead ? 'dead' : 'alive'),
    },
  };
  return {
    ports,
    agent,
    kill: () => {
      isDead = true;
    },
    jump: (hours) => {
      offset += hours * 3_600_000;
    },
  };
}

test('the record of a call that an earlier version named otherwise ends with its call', async () => {
  const p = await placeWith();
  const session = agentIn(p.open());
  const { id } = await session.begin(SHELL);
  renameSync(callFiles(p)[0] ?? '', path.join(path.dirname(callFiles(p)[0] ?? ''), `${'0'.repeat(32)}.json`));
  p.write('b.txt', 'b\n');
  expect(await captured(p.open())).toEqual(['b.txt by one (likely)']);
  expect((await session.end(id)).found).toBe(true);
  expect(callFiles(p)).toEqual([]);
});

describe('a clock that jumps while a call is open', () => {
  test.each([13, -13, 24 * 365])('%i hours: the living agent is the likely author', async (hours) => {
    const p = await placeWith();
    const { ports, agent, jump } = processes();
    const savepoint = p.open({ ports });
    const session = agentIn(savepoint, [agent]);
    await session.start();
    const { id } = await session.begin(SHELL);
    jump(hours);
    p.write('b.txt', 'b\n');
    expect(await captured(savepoint)).toEqual(['b.txt by one (likely)']);
    p.write('c.txt', 'c\n');
    await session.end(id);
    expect(await newest(savepoint)).toEqual(['c.txt by one (likely)']);
  });

  test.each([
    [13, 'b.txt by outside (likely)'],
    [-13, 'b.txt by one (likely)'],
  ])('%i hours, with an unknown process: %s', async (hours, expected) => {
    const p = await placeWith();
    const { ports, jump } = processes();
    const savepoint = p.open({ ports });
    const session = agentIn(savepoint);
    await session.begin(SHELL);
    jump(hours);
    p.write('b.txt', 'b\n');
    expect(await captured(savepoint)).toEqual([expected]);
    await session.close();
    p.write('c.txt', 'c\n');
    expect(await captured(savepoint)).toEqual(['c.txt by outside (sure)']);
  });

  test('an old call of an unknown process ends by a clean-up on request, and blocks no rollback', async () => {
    const p = await placeWith();
    const { ports, jump } = processes();
    const savepoint = p.open({ ports });
    await agentIn(savepoint).begin(SHELL);
    p.write('b.txt', 'b\n');
    await savepoint.checkpoint();
    jump(13);
    await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    await savepoint.gc();
    p.write('c.txt', 'c\n');
    expect(await captured(savepoint)).toEqual(['c.txt by one or outside (open)']);
    p.write('d.txt', 'd\n');
    expect(await captured(savepoint)).toEqual(['d.txt by outside (sure)']);
  });
});

describe('overlapping workspaces', () => {
  /** The workspace, and one in its folder `sub`. */
  async function nested() {
    const p = await placeWith();
    const inside = `${p.world.workspace}/sub` as OpenOptions['dir'];
    p.write('sub/a.txt', 'a\n');
    const ports = processes();
    const outer = p.open({ ports: ports.ports });
    const inner = p.open({ ports: ports.ports, dir: inside, here: true });
    await outer.checkpoint();
    await inner.checkpoint();
    return { ...ports, p, outer, inner };
  }

  test.each(['outer', 'inner'] as const)('a call in the %s one is known in the other', async (where) => {
    const { p, outer, inner } = await nested();
    const [own, other] = where === 'outer' ? [outer, inner] : [inner, outer];
    const changed = where === 'outer' ? 'b.txt' : 'sub/b.txt';
    const session = agentIn(own);
    const { id } = await session.begin(SHELL);
    p.write('sub/b.txt', '1\n');
    expect(await captured(other)).toEqual([`${changed} by one or outside (open)`]);
    p.write('sub/b.txt', '2\n');
    await session.end(id);
    expect(await captured(other)).toEqual([`${changed} by one or outside (open)`]);
    p.write('sub/b.txt', '3\n');
    expect(await captured(other)).toEqual([`${changed} by outside (sure)`]);
    expect(callFiles(p)).toEqual([]);
  });

  test('a file tool counts for what it declares', async () => {
    const { p, outer, inner } = await nested();
    const { id } = await agentIn(outer).begin({ tool: 'Edit', kind: 'edit', paths: tree('sub/b.txt', 'x.txt') });
    p.write('sub/b.txt', '1\n');
    p.write('sub/c.txt', '1\n');
    expect(await captured(inner)).toEqual(['b.txt by one or outside (open)', 'c.txt by outside (likely)']);
    await agentIn(outer).end(id);
    const second = await agentIn(inner).begin({ tool: 'Edit', kind: 'edit', paths: tree('d.txt') });
    p.write('sub/d.txt', '1\n');
    p.write('e.txt', '1\n');
    expect(await captured(outer)).toEqual(['e.txt by outside (likely)', 'sub/d.txt by one or outside (open)']);
    await agentIn(inner).end(second.id);
  });

  test('what an agent did with Savepoint in one is not surely from outside in the other', async () => {
    const { p, outer, inner } = await nested();
    const actor = { kind: 'agent', name: 'one' } as const;
    p.write('sub/a.txt', 'changed\n');
    await outer.checkpoint();
    await inner.checkpoint();
    await p.open({ actor }).restore('cp_2', { mode: 'exact' });
    expect(await captured(inner)).toEqual(['a.txt by one or outside (open)']);
  });

  test('a workspace that is created while a call is open knows it', async () => {
    const p = await placeWith();
    p.write('sub/a.txt', 'a\n');
    await agentIn(p.open()).begin(SHELL);
    const inner = p.open({ dir: `${p.world.workspace}/sub` as OpenOptions['dir'], here: true });
    await inner.checkpoint();
    p.write('sub/b.txt', '1\n');
    expect(await captured(inner)).toEqual(['b.txt by one or outside (open)']);
  });

  test('the call of an agent that died is known in the other one once more', async () => {
    const { p, outer, inner, agent, kill } = await nested();
    const session = agentIn(outer, [agent]);
    await session.start();
    await session.begin(SHELL);
    p.write('sub/b.txt', '1\n');
    kill();
    await outer.checkpoint();
    expect(callFiles(p)).toHaveLength(1);
    expect(await captured(inner)).toEqual(['b.txt by one or outside (open)']);
    p.write('sub/b.txt', '2\n');
    expect(await captured(inner)).toEqual(['b.txt by outside (sure)']);
  });
});

test('a checkpoint without its list of changes does not say that no call was open', async () => {
  const { w, savepoint } = await worldWith({ 'a.txt': 'a\n' });
  await agentIn(savepoint).begin(SHELL);
  w.write('a.txt', 'b\n');
  await savepoint.checkpoint();
  w.dropList('cp_2');
  const { details } = await savepoint.previewRollback({ changes: ['cp_2.1' as ChangeId] }, { least: 'likely' });
  expect(details.chosen.map(({ change }) => change.by.grade)).toEqual(['likely']);
});
