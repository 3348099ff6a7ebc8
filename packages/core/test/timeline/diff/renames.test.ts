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

describe('if many files are gone and many are new', () => {
  /** Test cases: each folder has settings that are equal in all, and an output that is similar in all. */
  const cases = (folder: string, names: string): string =>
    `for i in $(seq ${names}); do mkdir -p ${folder}/case$i; echo '{ "throws": true }' > ${folder}/case$i/options.json; ` +
    `(seq 20; echo $i) > ${folder}/case$i/output.txt; done`;

  test('files of a folder that moved keep their places in it, changed or not', async () => {
    const moved = await after(
      place(),
      cases('old', '60'),
      'mv old new; for f in new/*/output.txt; do echo x >> $f; done',
    );
    expect(moved).toHaveLength(120);
    expect(moved).toContain('rename new/case7/options.json < old/case7/options.json +0 -0');
    for (const line of moved) expect(line).toMatch(/^rename new\/(case\d+\/\w+\.\w+) < old\/\1 /);
  });

  test('equal or similar files with the same name are not one file', async () => {
    const listed = await after(
      place(),
      cases('a/old', '60'),
      `rm -r a; ${cases('b/new', '61 120')}; echo one > b/file`,
    );
    expect(listed.filter((line) => !/^(create|delete) /.test(line))).toEqual([]);
  });

  test('a file whose name or content occurs once is found', async () => {
    const once = `${cases('old', '60')}; seq 50 > old/case1/once.txt; seq 90 99 > old/case2/here.txt`;
    const then = `mv old/case1/once.txt old/case2/here.txt .; rm -r old; ${cases('new', '61 120')}; mv here.txt there.md; echo x >> once.txt`;
    const listed = await after(place(), once, then);
    expect(listed.filter((line) => line.startsWith('rename'))).toEqual([
      'rename once.txt < old/case1/once.txt +1 -0',
      'rename there.md < old/case2/here.txt +0 -0',
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
