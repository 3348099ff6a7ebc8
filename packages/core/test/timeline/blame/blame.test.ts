import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import type { Savepoint, Session, TreePath } from '@savepoint/core';
import type { LineOrigin } from '@savepoint/core/ports';
import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.ts';
import { linesOf, TimelineWorld, tree } from '../query/timeline-world.ts';

const [PATH, NEW] = tree('a.txt', 'b.txt') as [TreePath, TreePath];

interface Scene {
  readonly w: TimelineWorld;
  readonly savepoint: Savepoint;
  readonly one: Session;
  readonly two: Session;
}

/** cp_1 and cp_2 have the content; sessions of two agents. */
async function scene(content: string | Buffer = linesOf(4)): Promise<Scene> {
  const w = new TimelineWorld();
  w.write('a.txt', content);
  w.write('empty.txt', '');
  const savepoint = w.open();
  await savepoint.checkpoint();
  await savepoint.checkpoint();
  const [one, two] = ['one', 'two'].map((agent) => savepoint.session({ agent, id: `s-${agent}` })) as [
    Session,
    Session,
  ];
  return { w, savepoint, one, two };
}

/** An agent writes a file with a tool that declares it. */
async function write({ w }: Scene, session: Session, content: string | Buffer, path: TreePath = PATH): Promise<void> {
  await session.call({ tool: 'Write', kind: 'write', paths: [path] }, () => w.write(path, content));
}

function originText(origin: LineOrigin): string {
  if (origin.kind === 'older') return `older ${origin.checkpoint.id}`;
  if (origin.kind === 'unknown') return `unknown ${origin.checkpoint.id} ${origin.why}`;
  const { authors, grade } = origin.change.by;
  const names = authors.map(({ actor }) => actor.name).join('|');
  return `${names} ${grade} ${origin.kind === 'change' ? origin.change.id : 'now'}`;
}

/** `first-last text`, one for each range. */
async function blamed(
  savepoint: Savepoint,
  query: { readonly path?: TreePath; readonly at?: string; readonly lines?: { first: number; last: number } } = {},
): Promise<readonly string[]> {
  const { ranges } = await savepoint.blame({ path: PATH, ...query });
  return ranges.map(({ first, last, origin }) => `${first}-${last} ${originText(origin)}`);
}

describe('the author of a line', () => {
  test('is the one whose change wrote it, with the grade of the change; lines of the oldest checkpoint are older', async () => {
    const it = await scene();
    await write(it, it.one, linesOf(4, { 2: 'by one' }));
    await write(it, it.two, linesOf(5, { 2: 'by one', 3: 'by two' }));
    await it.one.call({ tool: 'Bash', kind: 'shell', args: { command: 'x' } }, () =>
      it.w.write('a.txt', linesOf(5, { 1: 'shell', 2: 'by one', 3: 'by two' })),
    );
    it.w.write('a.txt', linesOf(6, { 1: 'shell', 2: 'by one', 3: 'by two' }));
    await it.savepoint.checkpoint();
    expect(await blamed(it.savepoint)).toEqual([
      '1-1 one likely cp_5.1',
      '2-2 one likely cp_3.1',
      '3-3 two likely cp_4.1',
      '4-4 older cp_1',
      '5-5 two likely cp_4.1',
      '6-6 outside sure cp_6.1',
    ]);
    expect(await blamed(it.savepoint, { at: 'cp_3' })).toEqual([
      '1-1 older cp_1',
      '2-2 one likely cp_3.1',
      '3-4 older cp_1',
    ]);
    expect(await blamed(it.savepoint, { lines: { first: 3, last: 5 } })).toEqual([
      '3-3 two likely cp_4.1',
      '4-4 older cp_1',
      '5-5 two likely cp_4.1',
    ]);
    expect(await blamed(it.savepoint, { lines: { first: 6, last: 99 } })).toEqual(['6-6 outside sure cp_6.1']);
  });

  test('of a change that is not captured is outside, or the open call', async () => {
    const it = await scene();
    it.w.write('a.txt', linesOf(4, { 1: 'mine' }));
    expect(await blamed(it.savepoint)).toEqual(['1-1 outside sure now', '2-4 older cp_1']);
    const { id } = await it.one.begin({ tool: 'Bash', kind: 'shell', args: {} });
    it.w.write('a.txt', linesOf(4, { 1: 'mine', 4: 'running' }));
    it.w.write('b.txt', 'new\n');
    expect(await blamed(it.savepoint)).toEqual(['1-1 outside sure cp_3.1', '2-3 older cp_1', '4-4 one likely now']);
    expect(await blamed(it.savepoint, { path: NEW })).toEqual(['1-1 one likely now']);
    expect(await blamed(it.savepoint, { at: 'last' })).toEqual(['1-1 outside sure cp_3.1', '2-4 older cp_1']);
    await it.one.end(id);
  });

  test('is found through renames, also when lines change with the rename', async () => {
    const it = await scene(linesOf(9));
    await write(it, it.one, linesOf(9, { 2: 'by one' }));
    await it.two.call({ tool: 'Bash', kind: 'shell', args: {} }, () => {
      it.w.delete('a.txt');
      it.w.write('b.txt', linesOf(9, { 2: 'by one', 8: 'moved' }));
    });
    const found = [
      '1-1 older cp_1',
      '2-2 one likely cp_3.1',
      '3-7 older cp_1',
      '8-8 two likely cp_4.1',
      '9-9 older cp_1',
    ];
    expect(await blamed(it.savepoint, { path: NEW })).toEqual(found);
    // The old path again, with another file.
    await write(it, it.one, linesOf(9));
    expect(await blamed(it.savepoint)).toEqual(['1-9 one likely cp_5.1']);
    expect(await blamed(it.savepoint, { path: NEW })).toEqual(found);
  });

  test('is the second one if a line was deleted and written again', async () => {
    const it = await scene();
    await write(it, it.one, linesOf(4, { 2: 'x' }));
    await write(it, it.one, 'line 1\nline 3\nline 4\n');
    await write(it, it.two, linesOf(4, { 2: 'x' }));
    expect(await blamed(it.savepoint)).toEqual(['1-1 older cp_1', '2-2 two likely cp_5.1', '3-4 older cp_1']);
  });

  test('of a file that was deleted and created again is the one who created it', async () => {
    const it = await scene();
    await it.one.call({ tool: 'Bash', kind: 'shell', args: {} }, () => it.w.delete('a.txt'));
    await write(it, it.two, linesOf(4));
    expect(await blamed(it.savepoint)).toEqual(['1-4 two likely cp_4.1']);
  });

  test('of a moved block is the one who moved it', async () => {
    const it = await scene(linesOf(6));
    await write(it, it.one, 'line 3\nline 4\nline 5\nline 6\nline 1\nline 2\n');
    expect(await blamed(it.savepoint)).toEqual(['1-4 older cp_1', '5-6 one likely cp_3.1']);
  });
});

describe('an operation that goes back', () => {
  test('a rollback and its undo bring lines back to their first authors', async () => {
    const it = await scene();
    await write(it, it.one, linesOf(4, { 2: 'by one', 3: 'also one' }));
    await write(it, it.two, linesOf(4, { 2: 'by two', 3: 'also one' }));
    await it.savepoint.rollback({ session: 's-two' }, { least: 'likely' });
    const before = ['1-1 older cp_1', '2-3 one likely cp_3.1', '4-4 older cp_1'];
    expect(await blamed(it.savepoint)).toEqual(before);
    await it.savepoint.undo();
    const after = ['1-1 older cp_1', '2-2 two likely cp_4.1', '3-3 one likely cp_3.1', '4-4 older cp_1'];
    expect(await blamed(it.savepoint)).toEqual(after);
    await it.savepoint.redo();
    expect(await blamed(it.savepoint)).toEqual(before);
  });

  test('a rollback that is merged with later work keeps the authors of both', async () => {
    const it = await scene(linesOf(20));
    await write(it, it.one, linesOf(20, { 3: 'by one' }));
    await write(it, it.two, linesOf(20, { 3: 'by two' }));
    await write(it, it.one, linesOf(20, { 3: 'by two', 18: 'later' }));
    await it.savepoint.rollback({ session: 's-two' }, { least: 'likely' });
    expect(await blamed(it.savepoint)).toEqual([
      '1-2 older cp_1',
      '3-3 one likely cp_3.1',
      '4-17 older cp_1',
      '18-18 one likely cp_5.1',
      '19-20 older cp_1',
    ]);
  });

  test('a restore gives lines back to the authors they had then, also if equal lines were written since', async () => {
    const it = await scene();
    await write(it, it.one, linesOf(4, { 2: 'x' })); // cp_3
    await write(it, it.one, 'line 1\nline 3\nline 4\n');
    await write(it, it.two, linesOf(5, { 2: 'x' })); // cp_5
    await it.savepoint.restore('cp_3');
    const then = ['1-1 older cp_1', '2-2 one likely cp_3.1', '3-4 older cp_1'];
    expect(await blamed(it.savepoint)).toEqual(then);
    await it.savepoint.undo();
    expect((await blamed(it.savepoint))[1]).toBe('2-2 two likely cp_5.1');
    await it.savepoint.restore('cp_2');
    expect(await blamed(it.savepoint)).toEqual(['1-4 older cp_1']);
    await it.savepoint.restore('cp_5');
    expect(await blamed(it.savepoint)).toEqual([
      '1-1 older cp_1',
      '2-2 two likely cp_5.1',
      '3-4 older cp_1',
      '5-5 two likely cp_5.1',
    ]);
  });

  test('a deleted file that comes back has its authors, whatever brought it back', async () => {
    const it = await scene();
    await write(it, it.one, linesOf(4, { 2: 'by one' }));
    await it.two.call({ tool: 'Bash', kind: 'shell', args: {} }, () => it.w.delete('a.txt')); // cp_4
    const found = ['1-1 older cp_1', '2-2 one likely cp_3.1', '3-4 older cp_1'];
    await it.savepoint.restore('cp_3');
    expect(await blamed(it.savepoint)).toEqual(found);
    await it.savepoint.undo();
    await it.savepoint.rollback({ session: 's-two' }, { least: 'likely' });
    expect(await blamed(it.savepoint)).toEqual(found);
  });

  test('a rename that is rolled back while another file is at the old path', async () => {
    const it = await scene(linesOf(9));
    await it.one.call({ tool: 'Bash', kind: 'shell', args: {} }, () => {
      it.w.delete('a.txt');
      it.w.write('b.txt', linesOf(9));
    }); // cp_3
    it.w.write('b.txt', linesOf(9, { 9: 'mine' }));
    await it.savepoint.checkpoint(); // cp_4
    await write(it, it.one, 'another file\n'); // cp_5
    await it.savepoint.rollback({ session: 's-one' }, { least: 'likely' });
    expect(it.w.read('a.txt')).toBe(linesOf(9, { 9: 'mine' }));
    expect(await blamed(it.savepoint)).toEqual(['1-8 older cp_1', '9-9 outside sure cp_4.1']);
  });
});

describe('what is not recorded', () => {
  test('a checkpoint without a list of changes: the author is unknown', async () => {
    const it = await scene();
    await write(it, it.one, linesOf(5));
    it.w.dropList('cp_3');
    await write(it, it.two, linesOf(6));
    // A process that has read the list before keeps it in memory.
    const savepoint = it.w.open();
    expect(await blamed(savepoint)).toEqual(['1-4 older cp_1', '5-5 unknown cp_3 unlisted', '6-6 two likely cp_4.1']);
    expect(await blamed(savepoint, { path: tree('empty.txt')[0]! })).toEqual([]);
  });

  test('lines of dropped checkpoints are unknown, and those around them are not', async () => {
    const it = await scene();
    await write(it, it.one, linesOf(5));
    await write(it, it.two, linesOf(6));
    await write(it, it.two, linesOf(7));
    await write(it, it.one, linesOf(8));
    await it.savepoint.forgetSession('s-two');
    expect(await blamed(it.savepoint)).toEqual([
      '1-4 older cp_1',
      '5-5 one likely cp_3.1',
      '6-7 unknown cp_6 dropped',
      '8-8 one likely cp_6.1',
    ]);
  });

  test('after clean-up, lines from before the oldest checkpoint are older, and its own are known', async () => {
    const it = await scene();
    await write(it, it.one, linesOf(5));
    await write(it, it.two, linesOf(6));
    await it.savepoint.gc({ retention: { maxCheckpoints: 1, keepAtLeast: 1 } });
    expect(await blamed(it.savepoint)).toEqual(['1-4 older cp_3', '5-5 one likely cp_3.1', '6-6 two likely cp_4.1']);
  });
});

describe('bytes', () => {
  test('a line with another ending is another line: CRLF, and no line feed at the end', async () => {
    const it = await scene('a\r\nb\nc');
    await write(it, it.one, 'a\r\nb\r\nc\nd');
    expect(await blamed(it.savepoint)).toEqual(['1-1 older cp_1', '2-4 one likely cp_3.1']);
  });

  test('lines that are not UTF-8 are compared as bytes', async () => {
    const it = await scene(Buffer.from('caf\xe9\nna\xefve\n', 'latin1'));
    await write(it, it.one, Buffer.from('caf\xe9\nna\xeeve\n', 'latin1'));
    expect(await blamed(it.savepoint)).toEqual(['1-1 older cp_1', '2-2 one likely cp_3.1']);
  });

  test('an empty file has no lines, and a file that was binary has only new ones', async () => {
    const it = await scene('');
    expect(await it.savepoint.blame({ path: PATH })).toMatchObject({ total: 0, ranges: [] });
    await write(it, it.one, Buffer.from('a\n\0'));
    await write(it, it.two, 'a\n');
    expect(await blamed(it.savepoint)).toEqual(['1-1 two likely cp_4.1']);
  });

  test('what is not a captured text file is refused, and the error says why', async () => {
    const it = await scene();
    it.w.write('bin', Buffer.from([1, 0, 2]));
    it.w.write('long', 'x'.repeat(8 * 1024 * 1024 + 1));
    it.w.write('node_modules/p/index.js', 'x\n');
    it.w.write('secret', 'x\n');
    symlinkSync('a.txt', it.w.at('link'));
    mkdirSync(it.w.at('folder'));
    if (process.getuid?.() !== 0) chmodSync(it.w.at('secret'), 0);
    for (const [path, why] of [
      ['bin', 'is not a text file'],
      ['long', 'is too large'],
      ['node_modules/p/index.js', 'is not captured (dependency-folder)'],
      ['link', 'is a link'],
      ['folder', 'is a folder'],
      ['gone', 'does not exist'],
    ] as const) {
      const refused = await failure(it.savepoint.blame({ path: path as string as TreePath }));
      expect(refused).toMatchObject({ code: 'PATH_REFUSED', message: expect.stringContaining(why) });
    }
    const then = await failure(it.savepoint.blame({ path: tree('bin')[0]!, at: 'cp_2' }));
    expect(then.message).toContain('does not exist in cp_2');
    const lines = await failure(it.savepoint.blame({ path: PATH, lines: { first: 5, last: 6 } }));
    expect(lines).toMatchObject({ code: 'USAGE', message: expect.stringContaining('a.txt has 4 lines') });
  });
});
