/** How sure the author of a change is: what file tools report, against what a window of time suggests. */
import { appendFileSync, chmodSync, statSync, utimesSync } from 'node:fs';
import type { CallEnd, CallRequest, Checkpoint, DiskPath, GivenWrite, Savepoint, Session } from '@savepoint/core';
import { realPorts } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { linesOf, type TimelineWorld, tree, worldWith } from '../query/timeline-world.ts';

const [PATH] = tree('a.txt') as [ReturnType<typeof tree>[number]];

/** `path by author (grade, evidence)` for each change of a checkpoint. */
function graded({ changes }: Checkpoint): readonly string[] {
  return (changes ?? []).map(
    ({ path, by: { authors, grade, evidence } }) =>
      `${path} by ${authors.map(({ actor }) => actor.name).join(' or ')} (${grade}, ${evidence})`,
  );
}

async function gradesAfter(savepoint: Savepoint, first: string): Promise<readonly (readonly string[])[]> {
  const { checkpoints } = await savepoint.list();
  const newest = [...checkpoints].reverse().filter(({ number }) => number > Number(first.slice(3)));
  return newest.map(graded);
}

/** Runs a call of a file tool, with a person's work before and after the tool writes. */
async function edit(
  { session }: { readonly w: TimelineWorld; readonly session: Session },
  request: Partial<CallRequest> & { readonly write: () => void },
  end: CallEnd = {},
): Promise<void> {
  const { write, ...rest } = request;
  const { id } = await session.begin({ tool: 'Edit', kind: 'edit', paths: [PATH], ...rest });
  write();
  await session.end(id, end);
}

async function scene(): Promise<{ w: TimelineWorld; savepoint: Savepoint; session: Session }> {
  const { w, savepoint } = await worldWith({ 'a.txt': linesOf(9) });
  return { w, savepoint, session: savepoint.session({ agent: 'one', id: 's-one' }) };
}

const replacement = (line: number, text: string) => ({ old: `line ${line}\n`, new: `${text}\n`, all: false });

describe('without a report', () => {
  test('a change while no call is open is surely from outside', async () => {
    const { w, savepoint } = await scene();
    w.write('a.txt', 'mine\n');
    await savepoint.checkpoint();
    expect(await gradesAfter(savepoint, 'cp_1')).toEqual([['a.txt by outside (sure, no-call)']]);
  });

  test('a change in a shell call is only likely by its agent', async () => {
    const { w, savepoint, session } = await scene();
    await session.call({ tool: 'Bash', kind: 'shell', args: { command: 'make' } }, () => w.write('a.txt', 'x\n'));
    expect(await gradesAfter(savepoint, 'cp_1')).toEqual([['a.txt by one (likely, call)']]);
  });

  test('a path that a tool declares is likely its own, and other paths are likely from outside', async () => {
    const { w, savepoint, session } = await scene();
    await session.call({ tool: 'Edit', kind: 'edit', paths: [PATH] }, () => {
      w.write('a.txt', 'x\n');
      w.write('b.txt', 'x\n');
    });
    expect(await gradesAfter(savepoint, 'cp_1')).toEqual([
      ['a.txt by one (likely, declared)', 'b.txt by outside (likely, beyond)'],
    ]);
  });

  test('a declared path that an open shell of another agent may have written is open', async () => {
    const { w, savepoint, session } = await scene();
    const other = savepoint.session({ agent: 'two' });
    const shell = await other.begin({ tool: 'Bash', kind: 'shell', id: '2' });
    await session.call({ tool: 'Edit', kind: 'edit', paths: [PATH] }, () => w.write('a.txt', 'x\n'));
    await other.end(shell.id);
    expect(await gradesAfter(savepoint, 'cp_1')).toEqual([['a.txt by one or two or outside (open, declared)']]);
  });
});

describe('while two agents have calls open', () => {
  test('a person may also have saved a file: all three are named', async () => {
    const { w, savepoint, session } = await scene();
    const other = savepoint.session({ agent: 'two' });
    const shell = await other.begin({ tool: 'Bash', kind: 'shell', id: '2' });
    await session.call({ tool: 'Bash', kind: 'shell', id: '1' }, () => w.write('a.txt', 'mine\n'));
    await other.end(shell.id);
    expect(await gradesAfter(savepoint, 'cp_1')).toEqual([['a.txt by one or two or outside (open, call)']]);
  });

  test('a restore treats the change as one of agents', async () => {
    const { w, savepoint, session } = await scene();
    const other = savepoint.session({ agent: 'two' });
    const shell = await other.begin({ tool: 'Bash', kind: 'shell', id: '2' });
    await session.call({ tool: 'Bash', kind: 'shell', id: '1' }, () => w.write('a.txt', 'x\n'));
    await other.end(shell.id);
    await savepoint.restore('cp_1');
    expect(w.read('a.txt')).toBe(linesOf(9));
  });

  test('what changed while a call runs in the background has unclear authors', async () => {
    const { w, savepoint, session } = await scene();
    const { id } = await session.begin({ tool: 'Bash', kind: 'shell' });
    await session.end(id, { background: true });
    w.write('a.txt', 'x\n');
    await savepoint.checkpoint();
    expect(await gradesAfter(savepoint, 'cp_1')).toEqual([['a.txt by one or outside (open, unclear-call)']]);
  });
});

describe('the words of a command', () => {
  const shell = (id: string, command: string) => ({ tool: 'Bash', kind: 'shell', id, args: { command } }) as const;

  test('decide between two agents, and make nothing sure', async () => {
    const { w, savepoint, session } = await scene();
    const other = savepoint.session({ agent: 'two' });
    await other.begin(shell('2', 'npm test'));
    await session.call(shell('1', "sed -i 's/line 3/x/' a.txt"), () => {
      w.write('a.txt', linesOf(9, { 3: 'x' }));
      w.write('b.txt', 'x\n');
    });
    expect(await gradesAfter(savepoint, 'cp_1')).toEqual([
      ['a.txt by one (likely, named)', 'b.txt by one or two or outside (open, call)'],
    ]);
    const { details } = await savepoint.rollback({ agent: 'one', files: [PATH] });
    expect(details.skipped).toMatchObject([
      { why: "`sed -i 's/line 3/x/' a.txt` names it, and ran while it changed", grade: 'likely' },
    ]);
  });

  test('are evidence of an unknown kind for an older version, which uses the grade', async () => {
    const { w, session } = await scene();
    await session.call(shell('1', 'tee a.txt'), () => w.write('a.txt', 'x\n'));
    w.replaceInRecord('cp_2', '"named"', '"of-a-newer-version"');
    expect(await gradesAfter(w.open(), 'cp_1')).toEqual([['a.txt by one (likely, null)']]);
    expect((await w.open().rollback({ agent: 'one' })).details.skipped).toMatchObject([{ grade: 'likely' }]);
  });

  test('do not decide if both name the path', async () => {
    const { w, savepoint, session } = await scene();
    const other = savepoint.session({ agent: 'two' });
    await other.begin(shell('2', 'npx prettier --write a.txt'));
    await session.call(shell('1', 'rm a.txt'), () => w.delete('a.txt'));
    expect(await gradesAfter(savepoint, 'cp_1')).toEqual([['a.txt by one or two or outside (open, call)']]);
  });

  test('do not decide if it is not known when a call began', async () => {
    const { w, savepoint, session } = await scene();
    const other = savepoint.session({ agent: 'two' });
    await other.beginLate(shell('2', 'npm test'));
    await session.beginLate(shell('1', 'rm a.txt'));
    w.delete('a.txt');
    await session.end('1');
    expect(await gradesAfter(savepoint, 'cp_1')).toEqual([['a.txt by one or two or outside (open, unclear-call)']]);
  });

  test('that only read a path do not decide', async () => {
    const { w, savepoint, session } = await scene();
    const other = savepoint.session({ agent: 'two' });
    await other.begin(shell('2', 'npm test'));
    await session.call(shell('1', 'cat a.txt; git diff a.txt'), () => w.write('a.txt', 'x\n'));
    expect(await gradesAfter(savepoint, 'cp_1')).toEqual([['a.txt by one or two or outside (open, call)']]);
  });

  test('are relative to the folder in which the command starts', async () => {
    const { w, savepoint, session } = await scene();
    w.write('sub/b.txt', 'x\n');
    await session.call({ ...shell('1', 'tee ../a.txt b.txt'), dir: w.at('sub') as DiskPath }, () => {
      w.write('a.txt', 'x\n');
      w.write('sub/b.txt', 'y\n');
    });
    expect((await gradesAfter(savepoint, 'cp_2')).flat()).toEqual([
      'a.txt by one (likely, named)',
      'sub/b.txt by one (likely, named)',
    ]);
  });
});

describe('a call that waited for a permission', () => {
  test('did not write what was last written before it ran', async () => {
    const { w } = await scene();
    const ports = realPorts();
    let end: number | null = null;
    const savepoint = w.open({ ports: { ...ports, clock: { ...ports.clock, now: () => end ?? Date.now() } } });
    const session = savepoint.session({ agent: 'one' });
    const { id } = await session.begin({ tool: 'Bash', kind: 'shell' });
    w.write('mine.txt', 'while it waited\n');
    await ports.clock.sleep(30);
    const began = Date.now();
    await ports.clock.sleep(30);
    w.write('its.txt', 'x\n');
    const ranMs = Date.now() - began;
    // The end of a call may be reported two seconds late.
    end = began + ranMs + 2_000;
    await session.end(id, { ranMs });
    expect(await gradesAfter(savepoint, 'cp_1')).toEqual([
      ['its.txt by one (likely, call)', 'mine.txt by outside (likely, beyond)'],
    ]);
  });
});

describe('a call whose end is recorded late, such as on a slow machine', () => {
  test('wrote what changed while it ran', async () => {
    const { w } = await scene();
    const ports = realPorts();
    let ahead = 0;
    const savepoint = w.open({ ports: { ...ports, clock: { ...ports.clock, now: () => Date.now() + ahead } } });
    const session = savepoint.session({ agent: 'one' });
    const { id } = await session.begin({ tool: 'Bash', kind: 'shell' });
    w.write('its.txt', 'x\n');
    const reportedAt = Date.now();
    ahead = 60_000;
    await session.end(id, { ranMs: 0, reportedAt });
    expect(await gradesAfter(savepoint, 'cp_1')).toEqual([['its.txt by one (likely, call)']]);
  });
});

describe('a call that asks for a permission', () => {
  const shell = { tool: 'Bash', kind: 'shell', id: '1', args: { command: 'make' } } as const;

  test('made no change before it got it', async () => {
    const { w, savepoint, session } = await scene();
    await session.begin(shell);
    await session.notePermission({ kind: 'asked', call: { id: '1' }, isGrantReported: true });
    w.write('a.txt', 'mine\n');
    await savepoint.checkpoint();
    await session.notePermission({ kind: 'granted', call: { id: '1' } });
    w.write('a.txt', 'its\n');
    await session.end('1');
    expect((await gradesAfter(savepoint, 'cp_1')).flat()).toEqual([
      'a.txt by outside (likely, beyond)',
      'a.txt by one (likely, call)',
    ]);
  });

  test('did not write what was last written before it got it', async () => {
    const { w } = await scene();
    const ports = realPorts();
    let ahead = 0;
    const savepoint = w.open({ ports: { ...ports, clock: { ...ports.clock, now: () => Date.now() + ahead } } });
    const session = savepoint.session({ agent: 'one' });
    await session.begin(shell);
    await session.notePermission({ kind: 'asked', call: { id: '1' }, isGrantReported: true });
    w.write('mine.txt', 'x\n');
    ahead = 60_000;
    await session.notePermission({ kind: 'granted', call: { id: '1' } });
    w.write('its.txt', 'x\n');
    const later = new Date(Date.now() + ahead);
    utimesSync(w.at('its.txt'), later, later);
    await session.end('1');
    expect((await gradesAfter(savepoint, 'cp_1')).flat()).toEqual([
      'its.txt by one (likely, call)',
      'mine.txt by outside (likely, beyond)',
    ]);
  });

  test('made no change if it never got it', async () => {
    const { w, savepoint, session } = await scene();
    await session.begin(shell);
    await session.notePermission({ kind: 'asked', call: { id: '1' }, isGrantReported: true });
    w.write('a.txt', 'x\n');
    await session.endTurn(null);
    expect(await gradesAfter(savepoint, 'cp_1')).toEqual([['a.txt by outside (likely, beyond)']]);
  });

  test('may have made a change if its agent does not report the answer, so outside is named, too', async () => {
    const { w, savepoint, session } = await scene();
    await session.begin(shell);
    const { tool, args } = shell;
    await session.notePermission({ kind: 'asked', call: { tool, args: { command: 'other' } }, isGrantReported: false });
    w.write('a.txt', 'x\n');
    await savepoint.checkpoint();
    await session.notePermission({ kind: 'asked', call: { tool, args }, isGrantReported: false });
    w.write('b.txt', 'x\n');
    await savepoint.checkpoint();
    w.write('c.txt', 'x\n');
    await session.end('1');
    expect((await gradesAfter(savepoint, 'cp_1')).flat()).toEqual([
      'a.txt by one (likely, call)',
      'b.txt by one or outside (open, call)',
      'c.txt by one (likely, call)',
    ]);
  });

  test('may not have written what its file tool proposed, until the tool reports that it did', async () => {
    const { w, savepoint, session } = await scene();
    const proposal = { tool: 'Edit', kind: 'edit', args: {}, paths: [PATH] } as const;
    const begin = async (id: string, line: number): Promise<readonly GivenWrite[]> => {
      const writes = [{ path: PATH, result: [replacement(line, 'typed')] }];
      await session.begin({ ...proposal, id, writes });
      await session.notePermission({ kind: 'asked', call: proposal, isGrantReported: false });
      return writes;
    };
    await begin('1', 1);
    w.write('a.txt', linesOf(9, { 1: 'typed' }));
    await savepoint.checkpoint();
    await session.end('1', { writes: [] });
    await begin('2', 2);
    w.write('a.txt', linesOf(9, { 1: 'typed', 2: 'typed' }));
    await session.endTurn(null);
    const writes = await begin('3', 3);
    w.write('a.txt', linesOf(9, { 1: 'typed', 2: 'typed', 3: 'typed' }));
    await session.end('3', { writes });
    expect((await gradesAfter(savepoint, 'cp_1')).flat()).toEqual([
      'a.txt by one or outside (open, declared)',
      'a.txt by one or outside (open, unclear-call)',
      'a.txt by one (sure, content)',
    ]);
  });

  test('may have been refused if the turn ends before it does, also if it did not ask', async () => {
    const { w, savepoint, session } = await scene();
    const writes = [{ path: PATH, result: [replacement(3, 'typed')] }];
    await session.begin({ tool: 'Edit', kind: 'edit', id: '1', paths: [PATH], writes });
    w.write('a.txt', linesOf(9, { 3: 'typed' }));
    await session.prompt('no, I did it myself');
    expect(await gradesAfter(savepoint, 'cp_1')).toEqual([['a.txt by one or outside (open, unclear-call)'], []]);
  });

  test('did not write what a file tool of it reports while it waits', async () => {
    const { w, savepoint, session } = await scene();
    const writes = [{ path: PATH, result: [replacement(3, 'same')] }];
    await session.begin({ tool: 'Edit', kind: 'edit', id: '1', paths: [PATH], writes });
    await session.notePermission({ kind: 'asked', call: { id: '1' }, isGrantReported: true });
    w.write('a.txt', linesOf(9, { 3: 'same' }));
    await savepoint.checkpoint();
    expect(await gradesAfter(savepoint, 'cp_1')).toEqual([['a.txt by outside (likely, beyond)']]);
  });
});

describe('a report of a file tool', () => {
  test('is evidence if the file is exactly as reported, also beside an open shell of another agent', async () => {
    const s = await scene();
    const other = s.savepoint.session({ agent: 'two' });
    const shell = await other.begin({ tool: 'Bash', kind: 'shell', id: '2' });
    const result = linesOf(9, { 3: 'agent' });
    await edit(s, {
      writes: [{ path: PATH, result: [replacement(3, 'agent')] }],
      write: () => s.w.write('a.txt', result),
    });
    await other.end(shell.id);
    expect(await gradesAfter(s.savepoint, 'cp_1')).toEqual([['a.txt by one (sure, content)']]);
  });

  test('of a whole text, of a new file and of a deleted file', async () => {
    const s = await scene();
    const created = tree('new.txt')[0]!;
    const write = async ({ path, ...rest }: GivenWrite, work: () => void): Promise<void> => {
      const { id } = await s.session.begin({
        tool: 'Write',
        kind: 'write',
        paths: [path],
        writes: [{ path, ...rest }],
      });
      work();
      await s.session.end(id);
    };
    await write({ path: PATH, found: linesOf(9), result: 'whole\n' }, () => s.w.write('a.txt', 'whole\n'));
    await write({ path: created, result: 'new' }, () => s.w.write('new.txt', 'new\n'));
    await write({ path: PATH, found: 'whole\n', result: null }, () => s.w.delete('a.txt'));
    expect((await gradesAfter(s.savepoint, 'cp_1')).flat()).toEqual([
      'a.txt by one (sure, content)',
      'new.txt by one (sure, content)',
      'a.txt by one (sure, content)',
    ]);
  });

  test('with other line ends than the file', async () => {
    const { w, savepoint } = await worldWith({ 'a.txt': 'one\r\ntwo\r\n' });
    const session = savepoint.session({ agent: 'one' });
    const writes = [{ path: PATH, result: [{ old: 'one\ntwo\n', new: 'one\n2\n', all: false }] }];
    await edit({ w, session }, { writes, write: () => w.write('a.txt', 'one\r\n2\r\n') });
    expect(await gradesAfter(savepoint, 'cp_1')).toEqual([['a.txt by one (sure, content)']]);
  });

  test('leaves a person the lines that they wrote before the tool did', async () => {
    const s = await scene();
    const writes = [{ path: PATH, result: [replacement(3, 'agent')] }];
    await edit(s, { writes, write: () => s.w.write('a.txt', linesOf(9, { 3: 'agent', 7: 'mine' })) });
    expect(await gradesAfter(s.savepoint, 'cp_1')).toEqual([
      ['a.txt by outside (likely, beyond)'],
      ['a.txt by one (sure, content)'],
    ]);
    await s.savepoint.rollback({ agent: 'one' });
    expect(s.w.read('a.txt')).toBe(linesOf(9, { 7: 'mine' }));
  });

  test('leaves a person the lines that they wrote after the tool did', async () => {
    const s = await scene();
    const found = linesOf(9);
    const result = linesOf(9, { 3: 'agent' });
    await edit(
      s,
      {
        write: () => {
          s.w.write('a.txt', result);
          appendFileSync(s.w.at('a.txt'), 'mine\n');
        },
      },
      { writes: [{ path: PATH, found, result }] },
    );
    expect(await gradesAfter(s.savepoint, 'cp_1')).toEqual([
      ['a.txt by one (sure, content)'],
      ['a.txt by outside (likely, beyond)'],
    ]);
    await s.savepoint.rollback({ agent: 'one' });
    expect(s.w.read('a.txt')).toBe(`${linesOf(9)}mine\n`);
  });

  test('leaves a person the permissions that they changed meanwhile', async () => {
    const s = await scene();
    const [found, result] = [linesOf(9), linesOf(9, { 3: 'agent' })];
    const mode = (): number => statSync(s.w.at('a.txt')).mode & 0o777;
    chmodSync(s.w.at('a.txt'), 0o640);
    await s.savepoint.checkpoint();
    const write = (): void => {
      s.w.write('a.txt', result);
      chmodSync(s.w.at('a.txt'), 0o750);
    };
    await edit(s, { write }, { writes: [{ path: PATH, found, result }] });
    expect(await gradesAfter(s.savepoint, 'cp_2')).toEqual([
      ['a.txt by one (sure, content)'],
      ['a.txt by outside (likely, beyond)'],
    ]);
    await s.savepoint.rollback({ agent: 'one' });
    expect([s.w.read('a.txt'), mode()]).toEqual([found, 0o750]);
  });

  test('names what it found: a person had saved the file before, and did again afterwards', async () => {
    const s = await scene();
    const found = linesOf(9, { 1: 'mine' });
    const result = linesOf(9, { 1: 'mine', 5: 'agent' });
    const write = (): void => s.w.write('a.txt', `${result}later\n`);
    const announced: string[] = [];
    s.savepoint.on('checkpoint:created', ({ checkpoint }) => void announced.push(checkpoint.id));
    await edit(s, { write }, { writes: [{ path: PATH, found, result: [replacement(5, 'agent')] }] });
    expect((await gradesAfter(s.savepoint, 'cp_1')).flat()).toEqual([
      'a.txt by outside (likely, beyond)',
      'a.txt by one (sure, content)',
      'a.txt by outside (likely, beyond)',
    ]);
    expect(announced).toEqual(['cp_2', 'cp_3', 'cp_4']);
    await s.savepoint.rollback({ agent: 'one' });
    expect(s.w.read('a.txt')).toBe(`${found}later\n`);
  });

  test('of a call of the library', async () => {
    const { w, savepoint, session } = await scene();
    const found = linesOf(9);
    await session.call({ tool: 'note', kind: 'write', paths: [PATH] }, ({ report }) => {
      w.write('a.txt', 'note\nmine\n');
      report([{ path: PATH, found, result: 'note\n' }]);
    });
    expect((await gradesAfter(savepoint, 'cp_1')).flat()).toEqual([
      'a.txt by one (sure, content)',
      'a.txt by outside (likely, beyond)',
    ]);
  });

  test('of a tool that failed: it wrote nothing', async () => {
    const s = await scene();
    const writes = [{ path: PATH, result: [replacement(3, 'agent')] }];
    await edit(s, { writes, write: () => s.w.write('a.txt', 'mine\n') }, { writes: [] });
    expect(await gradesAfter(s.savepoint, 'cp_1')).toEqual([['a.txt by outside (likely, beyond)']]);
  });

  test('is used once: what differs after a capture of another session is not written again', async () => {
    const s = await scene();
    const writes = [{ path: PATH, result: [replacement(3, 'line 3\nagent')] }];
    const { id } = await s.session.begin({ tool: 'Edit', kind: 'edit', paths: [PATH], writes });
    s.w.write('a.txt', linesOf(9, { 3: 'line 3\nagent' }));
    await s.savepoint.checkpoint();
    appendFileSync(s.w.at('a.txt'), 'mine\n');
    await s.session.end(id, { writes });
    expect((await gradesAfter(s.savepoint, 'cp_1')).flat()).toEqual([
      'a.txt by one (sure, content)',
      'a.txt by outside (likely, beyond)',
    ]);
  });

  test('of a call that has not written yet leaves the change to others', async () => {
    const s = await scene();
    const writes = [{ path: PATH, result: [replacement(3, 'agent')] }];
    await s.session.begin({ tool: 'Edit', kind: 'edit', paths: [PATH], writes });
    s.w.write('a.txt', linesOf(9, { 7: 'mine' }));
    await s.savepoint.checkpoint();
    expect(await gradesAfter(s.savepoint, 'cp_1')).toEqual([['a.txt by outside (likely, beyond)']]);
  });

  test('of a call that is to remove a line is not taken for the file that still has it', async () => {
    const s = await scene();
    const writes = [{ path: PATH, result: [{ old: 'line 3\nline 4\n', new: 'line 3\n', all: false }] }];
    await s.session.begin({ tool: 'Edit', kind: 'edit', paths: [PATH], writes });
    s.w.write('a.txt', linesOf(9, { 7: 'mine' }));
    await s.savepoint.checkpoint();
    expect(await gradesAfter(s.savepoint, 'cp_1')).toEqual([['a.txt by outside (likely, beyond)']]);
  });

  test.each([
    ['deletes', null],
    ['empties', ''],
  ])('of an open call that %s a file is no proof: others can do that, too', async (_, result) => {
    const s = await scene();
    await s.session.begin({ tool: 'Write', kind: 'write', paths: [PATH], writes: [{ path: PATH, result }] });
    if (result === null) s.w.delete('a.txt');
    else s.w.write('a.txt', result);
    await s.savepoint.checkpoint();
    expect(await gradesAfter(s.savepoint, 'cp_1')).toEqual([['a.txt by one (likely, declared)']]);
  });

  test('of an open call that writes a whole file does not say which lines it removed', async () => {
    const s = await scene();
    const writes = [{ path: PATH, result: 'whole\n' }];
    await s.session.begin({ tool: 'Write', kind: 'write', paths: [PATH], writes });
    s.w.write('a.txt', 'whole\n');
    await s.savepoint.checkpoint();
    expect(await gradesAfter(s.savepoint, 'cp_1')).toEqual([['a.txt by one (likely, declared)']]);
  });

  test('of a write that another capture has found together with a person’s lines is not written again', async () => {
    const s = await scene();
    const result = 'whole\n';
    const request = { tool: 'Write', kind: 'write', paths: [PATH], writes: [{ path: PATH, result }] } as const;
    const { id } = await s.session.begin(request);
    s.w.write('a.txt', `${result}mine\n`);
    await s.savepoint.checkpoint();
    s.w.write('a.txt', 'mine\n');
    await s.session.end(id, { writes: [{ path: PATH, found: linesOf(9), result }] });
    expect((await gradesAfter(s.savepoint, 'cp_1')).flat()).toEqual([
      'a.txt by outside (likely, beyond)',
      'a.txt by one (likely, declared)',
    ]);
  });

  test('of a tool that wrote over what a capture has found since it read the file is not divided', async () => {
    const s = await scene();
    const writes = [{ path: PATH, result: [replacement(3, 'agent')] }];
    const { id } = await s.session.begin({ tool: 'Edit', kind: 'edit', paths: [PATH], writes });
    s.w.write('a.txt', 'mine\n');
    await s.savepoint.checkpoint();
    s.w.write('a.txt', linesOf(9, { 3: 'agent' }));
    await s.session.end(id, { writes });
    expect((await gradesAfter(s.savepoint, 'cp_1')).flat()).toEqual([
      'a.txt by outside (likely, beyond)',
      'a.txt by one (likely, declared)',
    ]);
  });

  test('of a call that is to remove a line is no proof while it runs: a person may remove the line', async () => {
    const s = await scene();
    const writes = [{ path: PATH, result: [{ old: 'line 3\n', new: '', all: false }] }];
    const { id } = await s.session.begin({ tool: 'Edit', kind: 'edit', paths: [PATH], writes });
    s.w.write('a.txt', linesOf(9).replace('line 3\n', ''));
    await s.savepoint.checkpoint();
    await s.session.end(id, { writes: [] });
    expect(await gradesAfter(s.savepoint, 'cp_1')).toEqual([['a.txt by one (likely, declared)']]);
  });

  test('that does not fit the file proves nothing', async () => {
    const s = await scene();
    const writes = [{ path: PATH, result: [{ old: 'not there', new: 'nor here', all: false }] }];
    await edit(s, { writes, write: () => s.w.write('a.txt', 'something else\n') });
    expect(await gradesAfter(s.savepoint, 'cp_1')).toEqual([['a.txt by one (likely, declared)']]);
  });
});

describe('a rollback', () => {
  test('takes what is sure, and lists the rest with its grade', async () => {
    const { w, savepoint, session } = await scene();
    await session.call({ tool: 'Bash', kind: 'shell', args: { command: 'make all' } }, () => w.write('a.txt', 'x\n'));
    const left = await savepoint.rollback({ agent: 'one' });
    expect(left.details.skipped).toMatchObject([{ why: 'it changed while `make all` ran', grade: 'likely' }]);
    expect(w.read('a.txt')).toBe('x\n');
    await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect(w.read('a.txt')).toBe(linesOf(9));
  });
});

describe('a call that is given up, because its end was not reported', () => {
  test('may go on: changes are open at first, later likely from outside, and clear again once its end is reported', async () => {
    const { w, savepoint, session } = await scene();
    await session.start();
    const { id } = await session.begin({ tool: 'convert', kind: 'other' });
    await session.prompt('Never mind.');
    w.write('b.txt', 'x\n');
    await savepoint.checkpoint();
    w.pass(601);
    w.write('c.txt', 'x\n');
    await savepoint.checkpoint();
    await session.end(id);
    w.write('d.txt', 'x\n');
    await savepoint.checkpoint();
    const grades = (await gradesAfter(savepoint, 'cp_1')).flat();
    expect(grades).toEqual([
      'b.txt by one or outside (open, left-behind)',
      'c.txt by outside (likely, beyond)',
      'd.txt by outside (sure, no-call)',
    ]);
  });
});
