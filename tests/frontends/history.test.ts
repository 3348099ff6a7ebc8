import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { bytesFromText, type DiskPath, open, type Savepoint, type TreePath } from '@savepoint/core';
import { schemasOf, VERBS } from '@savepoint/core/frontend';
import { nodePorts } from '@savepoint/core/node';
import { explain, main, type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it, onTestFinished } from 'vitest';

/** What an agent did through the library, as users and programs see it through the command. */

function library(p: Project): Savepoint {
  const home = bytesFromText(p.store) as DiskPath;
  const dir = bytesFromText(p.dir) as DiskPath;
  return open({ dir, ports: nodePorts(), places: { home, userHome: null, globalIgnore: null } });
}

const LINES = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`);

function text(changed: Readonly<Record<number, string>> = {}): string {
  return LINES.map((line, index) => `${changed[index + 1] ?? line}\n`).join('');
}

const SESSION = '3f2a91bc-1111-4222-8333-444455556666';

/** cp_1: start, cp_2: prompt, cp_3: two hunks of a.ts, cp_4: a binary file and a deleted file. */
async function agentAtWork(p: Project): Promise<void> {
  p.write('a.ts', text());
  p.write('gone.txt', 'gone\n');
  const session = library(p).session({ agent: 'claude-code', id: SESSION });
  await session.start();
  await session.prompt('Make it so.\n\u001b[31mNow.', 'm-1');
  const paths = ['a.ts' as TreePath];
  const edited = text({ 2: 'by the agent', 25: 'here, too' });
  const writes = [{ path: paths[0] as TreePath, found: text(), result: edited }];
  await session.call({ tool: 'Edit', kind: 'edit', args: { file_path: 'a.ts' }, paths, writes, id: 'toolu_1' }, () =>
    p.write('a.ts', edited),
  );
  await session.call({ tool: 'Bash', kind: 'shell', args: { command: 'make' }, id: 'toolu_2' }, () => {
    p.write('data.bin', Buffer.from([0, 255, 1]));
    p.delete('gone.txt');
  });
}

describe('an agent that worked', () => {
  it('is shown by history, show, sessions and list: author, tool and changes', async () => {
    const p = project();
    await agentAtWork(p);
    const history = p.ok('history').stdout;
    expect(history).toMatch(
      /^cp_4\.2 {2}\S+ \S+ {2}claude 3f2a91bc… \(likely\) {2}Bash {2}deleted {2}gone\.txt {2}−1$/m,
    );
    expect(history).toMatch(/^cp_3\.1 .* claude 3f2a91bc… {11}Edit {2}changed {2}a\.ts {2}\+2 −2$/m);
    expect(history).toMatch(/cp_1 {2}the first checkpoint, 2 files/);
    const page = p.ok('history', '--limit', '1').stdout;
    expect(page).toContain('--before cp_4.2');
    expect(p.ok('history', '--limit', '1', '--before', 'cp_4.2').stdout).toMatch(/^cp_4\.1/);
    expect(p.ok('history', '--session', '3f2a', '--tool', 'Edit').stdout).toMatch(/^cp_3\.1.*\n(?!cp_)/);
    const shown = p.ok('show', 'cp_3').stdout;
    expect(shown).toContain('a.ts  +2 −2  by claude 3f2a91bc…');
    expect(shown).toContain('call toolu_1');
    expect(p.ok('sessions').stdout).toContain(SESSION);
    expect(p.ok('sessions').stdout).toContain('1 prompt, 2 calls, 3 changes, +2 −3');
    expect(p.ok('list', '--session', '3f2a').stdout.match(/^cp_\d/gm)).toEqual(['cp_2', 'cp_1']);
    const all = p.ok('list', '--all', '--session', '3f2a').stdout.match(/^cp_\d/gm);
    expect(all).toEqual(['cp_4', 'cp_3', 'cp_2', 'cp_1']);
    for (const args of [['history'], ['show', 'cp_2'], ['sessions'], ['list']]) {
      expect(p.ok(...args).stdout).not.toContain('\u001b');
    }
  });

  it('history shows an operation with many changes as one line, and lists them with --all and in JSON', async () => {
    const p = project();
    await agentAtWork(p);
    p.ok('restore', 'cp_2', '--exact', '--yes');
    p.ok('undo');
    p.ok('redo');
    p.ok('undo');
    const folded = p.ok('history');
    const rows = folded.stdout.match(/^cp_\S+/gm);
    expect(rows).toEqual(['cp_8', 'cp_7', 'cp_6', 'cp_5', 'cp_4.2', 'cp_4.1', 'cp_3.1']);
    expect(folded.stdout).toMatch(/^cp_5 .* user +restore +3 paths {2}\[reverted by cp_6\]$/m);
    expect(folded.stdout).toContain('`--all` lists their changes');
    expect(p.ok('history', '--limit', '2').stdout).toContain('--before cp_7.1');
    expect(p.ok('history', '--limit', '1', '--before', 'cp_7.1').stdout).toMatch(/^cp_6 /);
    expect(p.ok('history', '--', 'a.ts').stdout.match(/^cp_\S+/gm)).toHaveLength(5);
    expect(p.ok('history', '--all').stdout.match(/^cp_\S+/gm)).toHaveLength(15);
    expect(JSON.parse(p.ok('history', '--json').stdout).changes).toHaveLength(15);
    expect(p.ok('list', '--all').stdout).toMatch(/cp_7 .*Redid cp_5 \(Restored cp_2\)/);
    expect(p.ok('list', '--all').stdout).toMatch(/cp_8 .*Undid cp_7 \(Restored cp_2\)/);
  });

  it('history and show explain the ? of an uncertain author, and only then', async () => {
    const p = project();
    p.write('a.txt', 'a\n');
    const shell = { tool: 'Bash', kind: 'shell', args: { command: 'make' } } as const;
    const [one, two] = ['one', 'two'].map((agent) => library(p).session({ agent, id: `s-${agent}` }));
    await one?.call(shell, () => two?.call(shell, () => p.write('a.txt', 'b\n')));
    for (const args of [['history'], ['show', 'last']]) {
      const { stdout } = p.ok(...args);
      expect(stdout).toMatch(/one s-one or two s-two or outside \?/);
      expect(stdout).toMatch(/^ *\?: it is not certain who made this change/m);
    }
    expect(p.ok('show', 'cp_1').stdout).not.toContain('?:');
  });

  it('blame shows the author of each line, as text and in ranges', async () => {
    const p = project();
    await agentAtWork(p);
    p.write('a.ts', `${text({ 2: 'by the agent', 25: 'here, too' })}caf\u00e9 \u001b[31m\r\n`);
    const { stdout } = p.ok('blame', 'a.ts');
    expect(stdout).toMatch(/^cp_1 {4}older +1\) line 1$/m);
    expect(stdout).toMatch(/^cp_3\.1 {2}claude 3f2a91bc… {2}\S+ \S+ {2}Edit {3}2\) by the agent$/m);
    expect(stdout).toMatch(/^– {7}outside, now +31\) café \\x1b\[31m$/m);
    expect(stdout).toContain('older: 28 lines from before cp_1, the oldest checkpoint. `git blame a.ts` may know');
    expect(p.ok('blame', '-L', '2,+2', 'a.ts').stdout.match(/^cp_.*\)/gm)).toHaveLength(2);
    expect(p.ok('blame', '--at', 'cp_2', 'a.ts').stdout).not.toContain('by the agent');
    const { output } = await schemasOf(VERBS.blame);
    const json = output.parse(JSON.parse(p.ok('blame', '-L', '24,25', 'a.ts', '--json').stdout));
    expect(json).toMatchObject({
      file: 'a.ts',
      at: null,
      total: 31,
      ranges: [
        { first: 24, last: 24, origin: 'older', change: null, checkpoint: 'cp_1', authors: [], grade: null },
        {
          first: 25,
          last: 25,
          origin: 'change',
          change: 'cp_3.1',
          checkpoint: 'cp_3',
          authors: [{ actor: { name: 'claude' }, session: SESSION, call: 'toolu_1', tool: 'Edit' }],
          grade: 'sure',
          text: ['here, too'],
        },
      ],
    });
    for (const [args, why] of [
      [['data.bin'], 'is not a text file'],
      [['../x'], 'outside the workspace'],
      [['a.ts', '-L', '40,41'], 'a.ts has 31 lines'],
      [['a.ts', '-L', '9,3'], '-L needs the first and the last line'],
    ] as const) {
      const outcome = p.run(['blame', ...args]);
      expect([outcome.status === 0, outcome.stderr.includes(why)], explain(args, outcome)).toEqual([false, true]);
    }
  });

  it('diff --change shows one change with its hunks numbered, and git applies the patch', async () => {
    const p = project();
    await agentAtWork(p);
    const { stdout } = p.ok('diff', '--change', 'cp_3.1');
    expect(stdout).toContain('+by the agent');
    expect(stdout.match(/^@@ .* @@ hunk \d$/gm)).toEqual(['@@ -1,5 +1,5 @@ hunk 1', '@@ -22,7 +22,7 @@ hunk 2']);
    p.write('a.ts', text());
    p.write('../change.patch', stdout);
    p.commitAll();
    p.git('apply', '../change.patch');
    expect(p.read('a.ts')).toBe(text({ 2: 'by the agent', 25: 'here, too' }));
    const { output } = await schemasOf(VERBS.diff);
    const json = output.parse(JSON.parse(p.ok('diff', '--change', 'cp_3.1', '--json').stdout));
    expect(json.hunks?.map(({ number, before }) => [number, before])).toEqual([
      [1, [1, 5]],
      [2, [22, 7]],
    ]);
    for (const [id, why] of [
      ['cp_3.2', 'has 1 change'],
      ['cp_9.1', 'There is no cp_9'],
      ['cp_1.1', 'has no list of changes'],
      ['nonsense', 'cp_12.3'],
    ] as const) {
      const outcome = p.run(['diff', '--change', id]);
      expect([outcome.status, outcome.stderr.includes(why)], explain([id], outcome)).toEqual([1, true]);
    }
  });

  it('a session is deleted only after confirmation', async () => {
    const p = project();
    await agentAtWork(p);
    p.write('mine', 'mine\n');
    p.checkpoint();
    for (const given of [SESSION, SESSION.slice(0, 8)]) {
      const refused = p.run(['sessions', 'delete', given]);
      expect([refused.status, refused.stdout, refused.stderr]).toEqual([1, '', expect.stringContaining('no terminal')]);
    }
    expect(p.run(['sessions', 'delete', '3f2b', '--yes'])).toMatchObject({ status: 1, stdout: '' });
    const { output } = await schemasOf(VERBS.deleteSession);
    const json = output.parse(JSON.parse(p.ok('sessions', 'delete', SESSION.slice(0, 8), '--yes', '--json').stdout));
    expect(json).toMatchObject({ dropped: ['cp_1', 'cp_2', 'cp_3', 'cp_4'], stayed: [], kept: 1 });
    expect(p.ok('list', '--all').stdout.match(/^cp_\d/gm)).toEqual(['cp_5']);
    p.ok('verify', '--deep');
  });
});

describe('export', () => {
  it('writes an index, and a snapshot of each change with its contents, into a new folder', async () => {
    const p = project();
    await agentAtWork(p);
    const { output } = await schemasOf(VERBS.exportSession);
    const line = ['export', '--session', '3f2a', '--format', 'json', '--out', '../out', '--json'];
    const reported = output.parse(JSON.parse(p.ok(...line).stdout));
    expect(reported).toEqual({
      session: SESSION,
      folder: path.join(p.base, 'out'),
      changes: 3,
      incomplete: [],
      damaged: [],
    });
    const read = (file: string) => JSON.parse(fs.readFileSync(path.join(p.base, 'out', file), 'utf8'));
    const index = read('index.json');
    expect(index).toMatchObject({ sessionId: SESSION, createdAt: expect.stringMatching(/Z$/) });
    expect(index.changes).toMatchObject([
      {
        id: 'cp_3.1',
        filePath: 'a.ts',
        operation: 'patch',
        agentId: 'claude',
        stats: { linesAdded: 2, linesRemoved: 2, sizeBefore: text().length },
      },
      { id: 'cp_4.1', filePath: 'data.bin', operation: 'write' },
      { id: 'cp_4.2', filePath: 'gone.txt', operation: 'delete', stats: { sizeAfter: null } },
    ]);
    const after = text({ 2: 'by the agent', 25: 'here, too' });
    expect(read('snapshots/cp_3.1.json')).toMatchObject({
      id: 'cp_3.1',
      sessionId: SESSION,
      agentId: 'claude',
      filePath: 'a.ts',
      operation: 'patch',
      before: { content: text(), size: text().length },
      after: { content: after, hash: `sha256-${createHash('sha256').update(after).digest('hex')}`, size: after.length },
      metadata: { startLine: 2, endLine: 25, linesAdded: 2, linesRemoved: 2, isOverwrite: true },
      savepoint: { tool: 'Edit', call: 'toolu_1', sure: true },
    });
    expect(read('snapshots/cp_4.1.json')).toMatchObject({
      before: null,
      after: { content: Buffer.from([0, 255, 1]).toString('base64'), encoding: 'base64', size: 3 },
    });
    expect(read('snapshots/cp_4.2.json')).toMatchObject({ before: { content: 'gone\n' }, after: null });
    expect(fs.readdirSync(path.join(p.base, 'out/snapshots')).sort()).toEqual([
      'cp_3.1.json',
      'cp_4.1.json',
      'cp_4.2.json',
    ]);
    expect(fs.statSync(path.join(p.base, 'out')).mode & 0o777).toBe(0o700);
  });

  it('never overwrites files, and requires an existing session', async () => {
    const p = project();
    await agentAtWork(p);
    fs.mkdirSync(path.join(p.base, 'out'));
    expect(p.run(['export', '--session', SESSION, '--out', '../out'])).toMatchObject({ status: 3, stdout: '' });
    expect(fs.readdirSync(path.join(p.base, 'out'))).toEqual([]);
    expect(p.run(['export', '--session', 'none', '--out', '../new'])).toMatchObject({ status: 1, stdout: '' });
    expect(fs.existsSync(path.join(p.base, 'new'))).toBe(false);
    const nowhere = p.run(['export', '--session', SESSION, '--out', '../no/such/folder']);
    expect(nowhere).toMatchObject({ status: 1, stderr: expect.stringContaining('ENOENT') });
    expect(p.run(['export'])).toMatchObject({ status: 2 });
  });
});

describe('watch', () => {
  /** @returns lines as they arrive; `signal` ends it */
  function watching(p: Project, ...args: readonly string[]) {
    const child = spawn(process.execPath, [main, 'watch', ...args], {
      cwd: p.dir,
      env: p.environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const reported: { event: string; point: string; checkpoint: unknown; change?: { id: string } }[] = [];
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (data: string) => {
      const lines = (rest + data).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) reported.push(JSON.parse(line));
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', (status) => resolve(status)));
    const until = async (count: number): Promise<void> => {
      for (let i = 0; i < 600 && reported.length < count; i++) await new Promise((resolve) => setTimeout(resolve, 100));
      expect(reported.length).toBeGreaterThanOrEqual(count);
    };
    return { child, reported, ended, until };
  }

  it('reports what any process does, each event once, and ends with Ctrl-C', async () => {
    const p = project();
    await agentAtWork(p);
    const watch = watching(p, '--after', 'cp_2');
    await watch.until(5);
    p.write('b.txt', 'b\n');
    p.checkpoint();
    p.restore('cp_4');
    await watch.until(10);
    watch.child.kill('SIGINT');
    expect(await watch.ended).toBe(130);
    const shown = watch.reported.map(({ event, checkpoint, change }) =>
      [event, change?.id ?? (typeof checkpoint === 'string' ? checkpoint : (checkpoint as { id: string }).id)].join(
        ' ',
      ),
    );
    expect(shown).toEqual([
      'checkpoint:created cp_3',
      'change:recorded cp_3.1',
      'checkpoint:created cp_4',
      'change:recorded cp_4.1',
      'change:recorded cp_4.2',
      'checkpoint:created cp_5',
      'change:recorded cp_5.1',
      'checkpoint:created cp_6',
      'change:recorded cp_6.1',
      'restore:completed cp_6',
    ]);
  });

  it('continues where a reader was killed, and answers once on request', async () => {
    const p = project();
    await agentAtWork(p);
    const first = watching(p, '--after', 'cp_2', '--all');
    await first.until(2);
    first.child.kill('SIGKILL');
    await first.ended;
    const once = (...args: readonly string[]) => {
      const { events, point, more } = JSON.parse(p.ok('watch', '--once', '--json', ...args).stdout);
      return { events: events as typeof first.reported, point: point as string, more: more as boolean };
    };
    const read = first.reported[1];
    p.checkpoint();
    const rest = once('--after', read?.point ?? '', '--kind', 'checkpoints');
    expect(rest.events.map(({ event }) => event)).toEqual([
      'checkpoint:created',
      'change:recorded',
      'change:recorded',
      'checkpoint:created',
    ]);
    expect(once('--after', rest.point, '--wait', '1')).toEqual({ events: [], point: rest.point, more: false });
    expect(once('--after', 'cp_2', '--limit', '1')).toMatchObject({ more: true });
    expect(p.ok('watch', '--once', '--after', 'cp_3', '--limit', '1').stdout).toMatch(
      /^checkpoint:created {2}cp_4 Bash[^\n]*\nchange:recorded {2}\d{4}-[^\n]* {2}cp_4\.1 create data\.bin\n[^\n]*\nThere are more events\. To continue from here: `savepoint watch --once --after cp_4:\S+`\.\n$/,
    );
    expect(p.ok('watch', '--once').stdout).toMatch(/^There are no events to report\.\nTo continue from here: /);
    expect(p.run(['watch', '--limit', '1'])).toMatchObject({ status: 2, stdout: '' });
    expect(p.run(['watch', '--once', '--kind', 'nothing'])).toMatchObject({ status: 2, stdout: '' });
  });

  it('waits for the first checkpoint, and ends when its output is closed', async () => {
    const p = project();
    p.write('a', 'a\n');
    const watch = watching(p);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    p.checkpoint();
    await watch.until(1);
    expect(watch.reported[0]).toMatchObject({ event: 'checkpoint:created', checkpoint: { id: 'cp_1' } });
    watch.child.stdout.destroy();
    p.checkpoint();
    expect(await watch.ended).toBe(0);
  });

  it('reports a missing folder as an error, without waiting', () => {
    const p = project();
    expect(p.run(['-C', 'nowhere', 'watch'])).toMatchObject({ status: 1, stdout: '' });
  });
});
