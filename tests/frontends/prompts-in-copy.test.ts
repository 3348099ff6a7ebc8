/** The prompts to an agent in a copy are shown outside, as those of the changes that followed them. */

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { whyNoOverlays } from '@savepoint/testkit';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { prompt, STOP } from './hooks-in-copy.ts';
import { until } from './hosted-terminal.ts';

/** @returns a folder with the programs that the scripts need, so without those that make an overlay */
function fewPrograms(p: Project): string {
  const bin = path.join(p.base, 'bin');
  fs.mkdirSync(bin);
  for (const name of ['sh', 'git', 'sed', 'sleep']) {
    fs.symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), path.join(bin, name));
  }
  return bin;
}

describe.each(['overlay', 'copy'] as const)('the words of prompts in a copy of an isolated run: %s', (rung) => {
  const turns = (p: Project): readonly string[] =>
    JSON.parse(p.ok('turns', '--json').stdout).turns.map(
      (one: { prompt: string | null; files: number; actor: { name: string } }) =>
        `${one.actor.name}: ${one.prompt} (${one.files})`,
    );
  const run = (p: Project, script: string, ...options: readonly string[]) => {
    fs.writeFileSync(path.join(p.base, 'script.sh'), `set -e\nexec >'${p.base}/said' 2>&1\n${script}`);
    const env = rung === 'overlay' ? {} : { PATH: fewPrograms(p) };
    return p.start(['run', '--isolated', ...options, '--agent', 'mine', '--', 'sh', path.join(p.base, 'script.sh')], {
      env,
    }).done;
  };

  it.skipIf(rung === 'overlay' && whyNoOverlays() !== null)('are those of the turns that are applied', async () => {
    const p = project();
    const wait = (name: string): string => `while ! test -e '${p.base}/${name}'; do sleep 0.05; done`;
    const script = [
      prompt('Add \u001b[31mone'),
      'echo 1 > one.txt',
      STOP,
      wait('one.txt'),
      prompt('Only a question?'),
      STOP,
    ];
    script.push(
      prompt('Add two'),
      'echo 2 > two.txt',
      STOP,
      wait('two.txt'),
      prompt('Add three'),
      'echo 3 > three.txt',
    );
    const running = run(p, script.join('\n'), '--each-turn', '--apply');
    for (const name of ['one.txt', 'two.txt']) {
      await until(
        async () => p.has(name),
        () => `${name}: ${fs.readFileSync(path.join(p.base, 'said'), 'utf8')}`,
        30_000,
      );
      fs.writeFileSync(path.join(p.base, name), '');
    }
    const done = await running;
    expect(done.status, done.stderr).toBe(0);
    expect(done.stderr.includes('no overlay is possible')).toBe(rung === 'copy');
    expect(turns(p)).toEqual([
      'mine: Add three (recorded in a copy) (1)',
      'mine: Only a question? / Add two (recorded in a copy) (1)',
      'mine: Add \u001b[31mone (recorded in a copy) (1)',
    ]);
    expect(p.ok('turns').stdout).not.toContain('\u001b');
    expect(p.ok('list').stdout).toContain('Add three (recorded in a copy)');
    // Every program in the copy can record one, with any id, so none of them names a state of the folder.
    const refused = p.run(['restore', '@prompt', '--yes']);
    expect(refused.stderr).toContain('No prompt of an agent is recorded.');
    expect([refused.status === 0, p.has('three.txt')]).toEqual([false, true]);
    const { checkpoints } = JSON.parse(p.ok('list', '--json').stdout);
    const ids = checkpoints.map((one: { conversation: { messageId: unknown } | null }) => one.conversation?.messageId);
    expect(ids.filter((id: unknown) => typeof id === 'string')).toEqual([]);
  });

  it.skipIf(rung === 'overlay' && whyNoOverlays() !== null)('are those of a copy that is applied later', async () => {
    const p = project();
    const script = `${prompt('Add one')}\necho 1 > one.txt\n${prompt('Improve it')}\necho 2 > one.txt`;
    const { stderr } = await run(p, script, '--keep');
    const [, id = ''] = /The copy (copy_[0-9a-f]{8}) is kept/.exec(stderr) ?? [];
    expect(turns(p)).toEqual([]);
    p.ok('try', '--continue', id, '--apply');
    expect(turns(p)).toEqual(['mine: Add one / Improve it (recorded in a copy) (1)']);
  });

  it.skipIf(rung === 'overlay' && whyNoOverlays() !== null)('are missing if its store cannot be read', async () => {
    const p = project();
    const { stderr } = await run(p, `${prompt('Add one')}\necho 1 > one.txt`, '--keep');
    const [, id = ''] = /The copy (copy_[0-9a-f]{8}) is kept/.exec(stderr) ?? [];
    const damage = `cd '${p.store}/copies/${id}'/home/workspaces/*/objects.git && rm -r refs && ln -s refs refs`;
    execFileSync('sh', ['-c', damage]);
    p.ok('try', '--continue', id, '--apply');
    expect(turns(p)).toEqual(['mine: null (1)']);
  });
});
