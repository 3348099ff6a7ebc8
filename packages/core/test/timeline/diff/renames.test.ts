import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { open, type Savepoint, type TreePath } from '@savepoint/core';
import type { Change } from '@savepoint/core/ports';
import { realPorts, world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';

/** A moved file is one change, whatever moved it and whichever view shows it. */

function place(): { readonly savepoint: Savepoint; readonly shell: (command: string) => void; readonly root: string } {
  const { workspace, places } = world(onTestFinished);
  const root = path.join(Buffer.from(workspace, 'latin1').toString());
  return {
    root,
    savepoint: open({ dir: workspace, ports: realPorts(), places }),
    shell: (command) => void execFileSync('sh', ['-ec', command], { cwd: root }),
  };
}

/** `new < old` for a move, otherwise the operation. */
function reported(changes: readonly Change[] | null): readonly string[] {
  return (changes ?? []).map(({ path: at, from, operation, added, removed }) =>
    from === null ? `${operation} ${at}` : `${operation} ${at} < ${from} +${added} -${removed}`,
  );
}

async function after(p: ReturnType<typeof place>, first: string, then: string): Promise<readonly string[]> {
  p.shell(first);
  await p.savepoint.checkpoint();
  p.shell(then);
  const seen = reported((await p.savepoint.diff()).changes);
  const { checkpoint } = await p.savepoint.checkpoint();
  expect(reported(checkpoint.changes)).toEqual(seen);
  return seen;
}

describe('a file that moved is one change', () => {
  test('with the same bytes, also if other files have them', async () => {
    const two = 'mkdir x y; printf "same\\n" > x/a; printf "same\\n" > x/b';
    expect(await after(place(), two, 'mv x/b y/b; mv x/a y/a')).toEqual([
      'rename y/a < x/a +0 -0',
      'rename y/b < x/b +0 -0',
    ]);
  });

  test('a folder moves file by file', async () => {
    expect(await after(place(), 'mkdir d; seq 9 > d/a; seq 5 > d/b', 'mv d e')).toEqual([
      'rename e/a < d/a +0 -0',
      'rename e/b < d/b +0 -0',
    ]);
  });

  test('if less than half of it changed', async () => {
    expect(await after(place(), 'seq 10 > a', 'sed s/3/three/ a > b; rm a')).toEqual(['rename b < a +1 -1']);
  });

  test('but not if more than half changed, nothing was removed, or both are empty', async () => {
    expect(await after(place(), 'seq 10 > a', 'seq 6 20 > b; rm a')).toEqual(['delete a', 'create b']);
    expect(await after(place(), 'seq 10 > a', 'cp a b')).toEqual(['create b']);
    expect(await after(place(), ': > a', 'mv a b')).toEqual(['delete a', 'create b']);
  });

  test('the most similar of several: first by name, then by shared content', async () => {
    const three = 'mkdir d; seq 20 > d/one; seq 1 19 > two';
    expect(await after(place(), three, 'seq 2 20 > one; seq 1 18 > twoish; rm -r d two')).toEqual([
      'rename one < d/one +0 -1',
      'rename twoish < two +0 -1',
    ]);
  });

  test('links too, but never a link for a file', async () => {
    const links = 'ln -s nowhere l; printf nowhere > f';
    expect(await after(place(), links, 'mv l m; rm f; ln -s elsewhere f2')).toEqual([
      'delete f',
      'create f2',
      'rename m < l +null -null',
    ]);
  });
});

test('a rename by an edit is always one change, however much of the file changed', async () => {
  const p = place();
  p.shell('seq 3 > a');
  await p.savepoint.checkpoint();
  const [from, to] = ['a', 'b'] as TreePath[];
  const result = await p.savepoint.edit([
    {
      given: 'a',
      path: from as TreePath,
      edits: [
        { op: 'write', content: 'all\nnew\n', exact: false },
        { op: 'rename', to: to as TreePath },
      ],
      expectedHash: null,
      force: false,
    },
  ]);
  expect(reported(result.checkpoint?.changes ?? null)).toEqual(['rename b < a +2 -3']);
});

test('a move by two authors is two changes, although the bytes are equal', async () => {
  const p = place();
  p.shell('seq 9 > a');
  const session = p.savepoint.session({ agent: 'mine' });
  await session.start();
  const { id } = await session.begin({ tool: 'Write', kind: 'write', paths: ['b'] as unknown as TreePath[] });
  p.shell('mv a b');
  const { changes } = await session.end(id);
  expect(changes.map(({ path: at, operation, by }) => [at, operation, by.authors[0]?.actor.name])).toEqual([
    ['a', 'delete', 'outside'],
    ['b', 'create', 'mine'],
  ]);
});

test('a diff limited to one side of a move shows an added or removed file', async () => {
  const p = place();
  p.shell('mkdir x y; seq 9 > x/a');
  await p.savepoint.checkpoint();
  p.shell('mv x/a y/a');
  const only = async (name: string) => reported((await p.savepoint.diff({ paths: [name as TreePath] })).changes);
  expect(await only('x')).toEqual(['delete x/a']);
  expect(await only('y')).toEqual(['create y/a']);
});

test('git apply accepts the patch of a move', async () => {
  const p = place();
  p.shell('seq 10 > a');
  await p.savepoint.checkpoint();
  p.shell('sed s/3/three/ a > b; rm a');
  const { patch } = await p.savepoint.diff({ patch: true });
  execFileSync('git', ['apply', '-R'], { cwd: p.root, input: patch?.text });
  expect(execFileSync('ls', { cwd: p.root }).toString()).toBe('a\n');
});
