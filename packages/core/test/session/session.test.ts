import { rmSync } from 'node:fs';
import type { Checkpoint, Savepoint, Session } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { Place } from '../place.ts';
import { TimelineWorld, tree } from '../timeline/query/timeline-world.ts';

/** Sessions of agents in a real folder: the records of their calls, and the authors of the changes. */

/** `path by author, author` per change; `?` if more than one author may have made it. */
function authors(checkpoint: Checkpoint | null): readonly string[] {
  return (checkpoint?.changes ?? []).map(({ path: changed, by }) => {
    const names = by.authors.map(({ actor, call }) => (call === null ? actor.name : `${actor.name}/${call}`));
    return `${changed} by ${names.join(', ')}${by.grade === 'open' ? '?' : ''}`;
  });
}

async function timelineLines(savepoint: Savepoint): Promise<readonly string[]> {
  const { checkpoints } = await savepoint.list();
  return [...checkpoints].reverse().map(({ trigger, description }) => `${trigger}: ${description}`);
}

test('a session records what happened, call by call', async () => {
  const p = new Place();
  p.write('a.ts', 'one\n');
  const savepoint = p.open();
  const session = savepoint.session({ agent: 'mine', id: 's-1' });
  await session.start();
  await session.prompt('Make it two.', 'm-1');
  await session.call({ tool: 'Edit', kind: 'edit', args: { file_path: 'a.ts' }, paths: tree('a.ts'), id: 'c-1' }, () =>
    p.write('a.ts', 'two\n'),
  );
  await session.call({ tool: 'Write', kind: 'write', paths: tree('b.ts'), id: 'c-2' }, () => p.write('b.ts', 'new\n'));
  await session.call({ tool: 'Bash', kind: 'shell', args: { command: 'ls -l' }, id: 'c-3' }, () => undefined);
  await session.call({ tool: 'Bash', kind: 'shell', args: { command: 'rm a.ts; touch c d' }, id: 'c-4' }, () =>
    p.shell('rm a.ts; touch c d'),
  );
  expect(await timelineLines(savepoint)).toEqual([
    'session: session of mine started',
    'prompt: Prompt: Make it two.',
    'call: Edit a.ts (+1 −1)',
    'call: Write b.ts (new, +1 −0)',
    'call: Bash: rm a.ts; touch c d (3 files)',
  ]);
  const { checkpoints } = await savepoint.list();
  expect(checkpoints.map(({ session: id }) => id)).toEqual(['s-1', 's-1', 's-1', 's-1', 's-1']);
  const edit = checkpoints[2] as Checkpoint;
  expect(edit.conversation).toEqual({ messages: null, messageId: 'm-1', lastUser: 'Make it two.' });
  expect(edit.toolCall).toBe('c-1');
  expect(edit.changes?.[0]).toMatchObject({ id: 'cp_3.1', operation: 'patch' });
  expect(authors(checkpoints[0] as Checkpoint)).toEqual(['a.ts by mine/c-4', 'c by mine/c-4', 'd by mine/c-4']);
});

test('a failing call is recorded, and its error is thrown', async () => {
  const p = new Place();
  const session = p.open().session({ agent: 'mine' });
  const failing = session.call({ tool: 'Bash', kind: 'shell' }, () => {
    p.write('half', 'half\n');
    throw new Error('the tool failed');
  });
  await expect(failing).rejects.toThrow('the tool failed');
  expect(authors((await p.open().list()).checkpoints[0] as Checkpoint)).toEqual([
    expect.stringMatching(/^half by mine\//),
  ]);
});

test('a session that resumes with another model continues its conversation', async () => {
  const p = new Place();
  await p.open().session({ agent: 'mine', id: 's-1' }).prompt('Make it two.', 'm-1');
  const session = p.open().session({ agent: 'mine', id: 's-1' });
  const started = await session.start({ conversation: { messages: null, model: 'new' } });
  expect(started?.conversation).toEqual({ messages: null, messageId: 'm-1', lastUser: 'Make it two.', model: 'new' });
  expect(started?.description).toBe('session of mine resumed');
});

test('changes between calls are from outside', async () => {
  const p = new Place();
  const savepoint = p.open();
  const session = savepoint.session({ agent: 'mine' });
  await session.start();
  p.write('user.txt', 'mine\n');
  await session.call({ tool: 'Write', kind: 'write', paths: tree('a.ts'), id: 'c-1' }, () => p.write('a.ts', 'new\n'));
  const { checkpoints } = await savepoint.list();
  expect(checkpoints.slice(0, 2).map(authors)).toEqual([['a.ts by mine/c-1'], ['user.txt by outside']]);
});

describe('concurrent calls', () => {
  test('a path that a file tool declares may also be by an open shell; a shell gets all others', async () => {
    const p = new Place();
    const [one, two] = [p.open().session({ agent: 'one' }), p.open().session({ agent: 'two' })];
    await one.begin({ tool: 'Write', kind: 'write', paths: tree('a.ts'), id: 'w' });
    await two.begin({ tool: 'Bash', kind: 'shell', id: 'b' });
    p.write('a.ts', 'by one\n');
    p.write('b.ts', 'by two\n');
    expect(authors((await one.end('w')).checkpoint)).toEqual(['a.ts by one/w, two/b, outside?', 'b.ts by two/b']);
    p.write('c.ts', 'by two\n');
    expect(authors((await two.end('b')).checkpoint)).toEqual(['c.ts by two/b']);
  });

  test('two shells: both and outside are named, as uncertain', async () => {
    const p = new Place();
    const [one, two] = [p.open().session({ agent: 'one' }), p.open().session({ agent: 'two' })];
    await one.begin({ tool: 'Bash', kind: 'shell', id: 'x' });
    await two.begin({ tool: 'Bash', kind: 'shell', id: 'y' });
    p.write('a.ts', 'whose?\n');
    expect(authors((await one.end('x')).checkpoint)).toEqual(['a.ts by one/x, two/y, outside?']);
  });

  test('two shells of one agent: the agent is certain, the call is not', async () => {
    const p = new Place();
    const session = p.open().session({ agent: 'one' });
    await session.begin({ tool: 'Bash', kind: 'shell', id: 'x' });
    await session.begin({ tool: 'Bash', kind: 'shell', id: 'y' });
    p.write('a.ts', 'by x or y\n');
    expect(authors((await session.end('x')).checkpoint)).toEqual(['a.ts by one/x, one/y']);
  });

  test('changes that a file tool did not declare are from outside', async () => {
    const p = new Place();
    const session = p.open().session({ agent: 'one' });
    await session.begin({ tool: 'Edit', kind: 'edit', paths: tree('src'), id: 'e' });
    p.shell('mkdir src; echo 1 > src/a; echo 2 > b');
    expect(authors((await session.end('e')).checkpoint)).toEqual(['b by outside', 'src/a by one/e']);
  });

  test('a capture during a call attributes its changes to the call', async () => {
    const p = new Place();
    const session = p.open().session({ agent: 'one' });
    await session.begin({ tool: 'Bash', kind: 'shell', id: 'b' });
    p.write('half', 'half\n');
    expect(authors((await p.open().checkpoint()).checkpoint)).toEqual(['half by one/b']);
    p.write('rest', 'rest\n');
    expect(authors((await session.end('b')).checkpoint)).toEqual(['rest by one/b']);
  });
});

test('a call without a capture before it shares changes with outside, until the first capture', async () => {
  const p = new Place();
  const session = p.open().session({ agent: 'one' });
  await session.start();
  p.write('before', 'of a person?\n');
  await session.beginLate({ tool: 'Bash', kind: 'shell', id: 'b' });
  p.write('during', 'of the call?\n');
  const { checkpoint } = await p.open().checkpoint();
  expect(authors(checkpoint)).toEqual(['before by one/b, outside?', 'during by one/b, outside?']);
  p.write('after', 'of the call\n');
  expect(authors((await session.end('b')).checkpoint)).toEqual(['after by one/b']);
});

test('background work is named, as uncertain, until the session ends', async () => {
  const p = new Place();
  const savepoint = p.open();
  const session = savepoint.session({ agent: 'one', id: 's' });
  await session.begin({ tool: 'Bash', kind: 'shell', id: 'b' });
  p.write('a', 'at once\n');
  expect(authors((await session.end('b', { background: true })).checkpoint)).toEqual(['a by one/b']);
  p.write('b', 'later\n');
  expect(authors((await savepoint.checkpoint()).checkpoint)).toEqual(['b by one/b, outside?']);
  await session.prompt('Go on.');
  await session.begin({ tool: 'Bash', kind: 'shell', id: 'c' });
  p.write('c', 'by the second\n');
  expect(authors((await session.end('c')).checkpoint)).toEqual(['c by one/c']);
  p.write('d', 'later still\n');
  expect(authors((await savepoint.checkpoint()).checkpoint)).toEqual(['d by one/b, outside?']);
  await session.close();
  p.write('e', 'after it\n');
  expect(authors((await savepoint.checkpoint()).checkpoint)).toEqual(['e by outside']);
});

test('a call without an end ends with the next prompt', async () => {
  const p = new Place();
  const savepoint = p.open();
  const session = savepoint.session({ agent: 'one', id: 's' });
  await session.begin({ tool: 'Bash', kind: 'shell', args: { command: 'sleep 9' }, id: 'b' });
  p.write('a', 'cancelled half way\n');
  await savepoint.session({ agent: 'one', id: 's' }).prompt('Go on.');
  const { checkpoints } = await savepoint.list();
  expect(checkpoints.slice(0, 2).map(authors)).toEqual([[], ['a by one/b, outside?']]);
  p.write('b', 'of a person\n');
  expect(authors((await savepoint.checkpoint()).checkpoint)).toEqual(['b by outside']);
});

test('a prompt that is reported twice makes one checkpoint, unless it comes again later', async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  const session = savepoint.session({ agent: 'one', id: 's' });
  const count = async (): Promise<number> => (await savepoint.list()).checkpoints.length;
  await session.prompt('Go on.');
  await session.prompt('Go on.');
  expect(await count()).toBe(1);
  w.pass(60);
  await session.prompt('Go on.');
  expect(await count()).toBe(2);
});

test('a prompt that is reported again during a call neither makes a checkpoint nor ends the call', async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  const lines = async (): Promise<readonly string[]> => (await timelineLines(savepoint)).slice(-2);
  await savepoint.session({ agent: 'one', id: 's' }).prompt('Go on.');
  await savepoint.session({ agent: 'two', id: 'other' }).prompt('Go on.');
  await savepoint.session({ agent: 'one', id: 's' }).begin({ tool: 'Bash', kind: 'shell', id: 'b' });
  w.write('a', 'a\n');
  await savepoint.session({ agent: 'one', id: 's' }).prompt('Go on.');
  expect(await lines()).toEqual(['prompt: Prompt: Go on.', 'prompt: Prompt: Go on.']);
  expect(authors((await savepoint.session({ agent: 'one', id: 's' }).end('b')).checkpoint)).toEqual(['a by one/b']);
  await savepoint.session({ agent: 'one', id: 's' }).prompt('Go on.');
  expect(await lines()).toEqual(['call: Bash (1 file)', 'prompt: Prompt: Go on.']);
});

test('a call that runs several commands shows them', async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  const args = { commands: ['echo a > a', 'ls'] };
  await savepoint
    .session({ agent: 'one' })
    .call({ tool: 'run_commands', kind: 'shell', args }, () => w.write('a', 'a\n'));
  expect((await savepoint.list()).checkpoints[0]?.tool?.summary).toBe('echo a > a; ls');
});

test('nothing is captured if tracking is off', async () => {
  const p = new Place();
  const savepoint = p.open();
  const session = savepoint.session({ agent: 'one', track: false });
  await session.start();
  expect(await session.call({ tool: 'Bash' }, () => 7)).toBe(7);
  await savepoint.session({ agent: 'one' }).call({ tool: 'Bash', track: false }, () => p.write('a', 'a\n'));
  await expect(savepoint.list()).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
});

test('without tracking, a session leaves calls of the same session alone', async () => {
  const p = new Place();
  const savepoint = p.open();
  const session = savepoint.session({ agent: 'one', id: 's' });
  await session.begin({ tool: 'Bash', kind: 'shell', id: 'b' });
  const untracked = savepoint.session({ agent: 'one', id: 's', track: false });
  p.write('a', 'a\n');
  expect((await untracked.end('b')).found).toBe(false);
  await untracked.endTurn(null);
  await untracked.close();
  expect(await untracked.catchUp()).toBeNull();
  expect(await session.openCalls()).toMatchObject([{ id: 'b', background: false }]);
  expect(authors((await session.end('b')).checkpoint)).toEqual(['a by one/b']);
});

describe('a call that two hooks report', () => {
  test('begins once', async () => {
    const p = new Place();
    const savepoint = p.open();
    const session = savepoint.session({ agent: 'one', id: 's' });
    await session.begin({ tool: 'Write', kind: 'write', paths: tree('a'), id: 'b' });
    const signal = session.signalOf('b');
    p.write('a', 'a\n');
    await session.begin({ tool: 'Write', kind: 'write', id: 'b' });
    expect(session.signalOf('b')).toBe(signal);
    expect(await session.openCalls()).toMatchObject([{ tool: { name: 'Write' }, declared: ['a'] }]);
    expect((await savepoint.list()).checkpoints.map(({ trigger }) => trigger)).toEqual(['before']);
    expect(authors((await session.end('b')).checkpoint)).toEqual(['a by one/b']);
  });

  test('is not in flight if it is not tracked', async () => {
    const session = new Place().open().session({ agent: 'one' });
    await session.begin({ tool: 'Bash', track: false, id: 'b' });
    expect(session.signalOf('b')).toBeNull();
  });
});

test('a call whose end is unknown stays open, and its changes become uncertain', async () => {
  const p = new Place();
  const savepoint = p.open();
  const session = savepoint.session({ agent: 'one', id: 's' });
  await session.begin({ tool: 'Bash', kind: 'shell', id: 'b' });
  await session.markInDoubt('b');
  p.write('a', 'a\n');
  expect(authors((await savepoint.checkpoint()).checkpoint)).toEqual(['a by one/b, outside?']);
  expect(await session.openCalls()).toMatchObject([{ id: 'b', background: true }]);
});

test('the end of a turn closes the open calls of its agent, and creates no store if there are none', async () => {
  const p = new Place();
  const savepoint = p.open();
  const session = savepoint.session({ agent: 'one', id: 's' });
  await session.endTurn(null);
  await expect(savepoint.list()).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
  await session.begin({ tool: 'Bash', kind: 'shell', id: 'of-agent' });
  const helper = { kind: 'agent', name: 'helper', id: 'h' } as const;
  await session.begin({ tool: 'Bash', kind: 'shell', id: 'of-helper', actor: helper });
  const left = async (): Promise<readonly string[]> => (await session.openCalls()).map(({ id }) => id);
  await session.endTurn('h');
  expect(await left()).toEqual(['of-agent']);
  await session.endTurn(null);
  expect(await left()).toEqual([]);
});

test('operations by others are reported once, from the first question on', async () => {
  const p = new Place();
  p.write('a', 'one\n');
  const savepoint = p.open();
  await savepoint.checkpoint();
  const session = savepoint.session({ agent: 'one', id: 's' });
  const reported = async (): Promise<readonly string[]> =>
    (await session.operationsByOthers()).operations.map(({ id }) => id);
  p.write('a', 'two\n');
  await savepoint.restore('cp_1'); // cp_3
  expect(await reported()).toEqual([]);
  p.write('a', 'three\n');
  await savepoint.checkpoint(); // cp_4
  expect(await reported()).toEqual([]);
  await savepoint.restore('cp_1'); // cp_5
  expect(await reported()).toEqual(['cp_5']);
  expect(await reported()).toEqual([]);
});

describe('the net result of operations by others', () => {
  /** A session that has written `a` and `b` and knows them. */
  async function informed(): Promise<{
    readonly p: Place;
    readonly savepoint: Savepoint;
    readonly session: Session;
    readonly reported: () => Promise<readonly string[]>;
  }> {
    const p = new Place();
    p.write('a', 'one\n');
    const savepoint = p.open();
    await savepoint.checkpoint(); // cp_1
    const session = savepoint.session({ agent: 'one', id: 's' });
    await session.call({ tool: 'Bash', kind: 'shell' }, () => {
      p.write('a', 'two\n');
      p.write('b', 'new\n');
    }); // cp_2
    await session.operationsByOthers();
    const reported = async (): Promise<readonly string[]> => (await session.operationsByOthers()).paths;
    return { p, savepoint, session, reported };
  }

  test('is nothing after a rollback and its undo, also if another author changed the files since', async () => {
    const { p, savepoint, session, reported } = await informed();
    await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    await savepoint.undo();
    expect(await session.operationsByOthers()).toEqual({ operations: [], paths: [] });
    await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect(await reported()).toEqual(['a', 'b']);
    await savepoint.undo();
    expect(await reported()).toEqual(['a', 'b']);
    await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    await savepoint.undo();
    p.write('a', 'by another\n');
    await savepoint.checkpoint();
    expect(await reported()).toEqual([]);
  });

  test('is nothing if the files are again as the session knows them', async () => {
    const { p, savepoint, reported } = await informed();
    await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    p.write('a', 'two\n');
    await savepoint.checkpoint();
    expect(await reported()).toEqual(['b']);
  });

  test('counts from what the session itself has changed since it was informed', async () => {
    const { p, savepoint, session, reported } = await informed();
    await session.call({ tool: 'Bash', kind: 'shell' }, () => p.write('a', 'three\n')); // cp_3
    await savepoint.restore('cp_2');
    expect(await reported()).toEqual(['a']);
  });

  test('includes both paths of a rename', async () => {
    const { p, savepoint, session, reported } = await informed();
    await session.call({ tool: 'Bash', kind: 'shell' }, () => p.shell('mv b c'));
    await session.operationsByOthers();
    await savepoint.restore('cp_2');
    expect((await reported()).toSorted()).toEqual(['b', 'c']);
    await savepoint.undo();
    await savepoint.redo();
    expect(await reported()).toEqual([]);
  });
});

test('an operation of Savepoint is attributed to its actor, whatever calls are open', async () => {
  const p = new Place();
  p.write('a', 'one\n');
  const savepoint = p.open();
  await savepoint.checkpoint();
  const session = savepoint.session({ agent: 'one', id: 's' });
  await session.begin({ tool: 'Bash', kind: 'shell', id: 'b' });
  rmSync(p.at('a'));
  const { before, checkpoint } = await p.open().restore('cp_1');
  expect([authors(before), authors(checkpoint)]).toEqual([['a by one/b'], ['a by user']]);
});
