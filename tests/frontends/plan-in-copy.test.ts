/** An agent that works in a copy on a plan: what a person says about it reaches the agent, by its hooks in the copy. */

import fs from 'node:fs';
import path from 'node:path';
import { whyNoOverlays } from '@savepoint/testkit';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { prompt, STOP } from './hooks-in-copy.ts';
import { until } from './hosted-terminal.ts';

/** Runs the script isolated, as an agent. What its hooks print is saved in a file. */
const start = (p: Project, script: readonly string[], ...options: readonly string[]) => {
  fs.writeFileSync(path.join(p.base, 'script.sh'), `set -e\nexec >>'${said(p)}' 2>&1\n${script.join('\n')}\n`);
  return p.start(['run', '--isolated', ...options, '--agent', 'mine', '--', 'sh', path.join(p.base, 'script.sh')]);
};
const said = (p: Project): string => path.join(p.base, 'said');
const heard = (p: Project): string => fs.readFileSync(said(p), 'utf8');
const waitFor = (p: Project, name: string): string => `while ! test -e '${p.base}/${name}'; do sleep 0.05; done`;
const goOn = (p: Project, name: string): void => fs.writeFileSync(path.join(p.base, name), '');
const shown = (p: Project) => JSON.parse(p.ok('plan', 'show', 'last', '--json').stdout);
/** The refs of plans, which change whenever a plan does; empty: there are none. */
const refsOfPlans = (p: Project): string => {
  const [store = ''] = fs.readdirSync(path.join(p.store, 'workspaces'));
  const objects = path.join(p.store, 'workspaces', store, 'objects.git');
  const folder = path.join(objects, 'refs/savepoint/plan');
  const loose = fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => path.join(folder, name)) : [];
  const packed = path.join(objects, 'packed-refs');
  const lines = readIfThere(packed).split('\n');
  return [...loose.map(readIfThere), ...lines.filter((line) => line.includes('refs/savepoint/plan'))].join('\n');
};
const readIfThere = (file: string): string => {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};
/** Waits less long than a test may take, so that the failure says what for. */
const holds = (what: string, isSo: () => boolean) =>
  until(
    async () => isSo(),
    () => what,
    40_000,
  );
/** Whether the run has passed the words on to the copy. */
const hasArrived = (p: Project, words: string): boolean => {
  const copies = path.join(p.store, 'copies');
  return fs.readdirSync(copies).some((id) => {
    const file = path.join(copies, id, 'home', 'plan-news.json');
    return fs.existsSync(file) && fs.readFileSync(file, 'utf8').includes(words);
  });
};

describe.skipIf(whyNoOverlays() !== null)('an isolated run that makes a plan', () => {
  it('keeps each turn in it, and what a person says reaches the agent with its next prompt', async () => {
    const p = project();
    p.write('a.txt', 'one\n');
    p.ok('checkpoint');
    const running = start(
      p,
      [
        ...[prompt('Add two'), 'echo two > two.txt; echo ONE > a.txt', STOP, waitFor(p, 'revise')],
        ...[prompt('Go on'), 'echo deux > two.txt', STOP, waitFor(p, 'applied')],
        ...[prompt('And three'), 'cat mine.txt; echo three > three.txt', STOP],
      ],
      ...['--each-turn', '--plan', '-m', 'Count'],
    );
    await holds('the plan', () => refsOfPlans(p) !== '');
    p.write('mine.txt', 'mine\n');
    p.ok('plan', 'review', 'last', '--reject', 'a.txt');
    expect(p.ok('plan', 'revise', 'last', '-m', 'Say deux.').stdout).toContain('--revise plan_');
    await holds('the words', () => hasArrived(p, 'Say deux.'));
    const before = refsOfPlans(p);
    goOn(p, 'revise');
    await holds('the revision', () => refsOfPlans(p) !== before);
    const { id, fingerprint, prompts } = shown(p);
    expect(prompts).toEqual(['Add two', 'Go on']);
    expect(p.ok('plan', 'show', id).stdout).toContain('prompts: Add two / Go on');
    expect([p.has('two.txt'), p.read('a.txt')]).toEqual([false, 'one\n']);
    p.ok('plan', 'review', id, '--approve', fingerprint);
    p.ok('plan', 'apply', id, '--yes');
    expect([p.read('two.txt'), p.read('a.txt')]).toEqual(['deux\n', 'one\n']);
    await holds('the application', () => hasArrived(p, 'cp_'));
    goOn(p, 'applied');
    const done = await running.done;
    expect(done.status, done.stderr).toBe(0);
    expect(heard(p)).toContain('What you change there becomes a plan that the user reviews');
    expect(heard(p).match(/Say deux\./g)).toHaveLength(1);
    expect(heard(p)).toMatch(/the user rejected these parts of your plan .*- a\.txt/);
    expect(heard(p)).toMatch(/your plan plan_\w+ \(Count\) was applied \(cp_\d+\)/);
    expect(heard(p)).toContain('mine\n');
    // What was applied is part of no later plan.
    const last = shown(p);
    expect(last.id).not.toBe(id);
    expect(last.changes.map((one: { path: string }) => one.path)).toEqual(['a.txt', 'three.txt']);
    expect(p.has('three.txt')).toBe(false);
  });

  it('goes on with a plan that was made before, and says what its agent did not read', async () => {
    const p = project();
    p.write('a.txt', 'one\ntwo\nthree\n');
    p.ok('checkpoint');
    const first = await start(p, [prompt('Shout'), 'sed -i s/two/TWO/ a.txt; echo new > new.txt'], '--plan').done;
    expect(first.status, first.stderr).toBe(0);
    const { id } = shown(p);
    p.ok('plan', 'review', id, '--reject', 'new.txt');
    p.ok('plan', 'revise', id, '-m', 'Say DEUX.');
    p.write('a.txt', 'one\ntwo\nthree\nmine\n');
    const script = ['cat a.txt new.txt', prompt('Please'), 'sed -i s/TWO/DEUX/ a.txt', waitFor(p, 'late')];
    const running = start(p, script, '--revise', id, '--json');
    await holds('the words', () => fs.existsSync(said(p)) && heard(p).includes('Say DEUX.'));
    p.ok('plan', 'revise', id, '-m', 'Too late.\u001b[31m');
    goOn(p, 'late');
    const second = await running.done;
    expect(second.status, second.stderr).toBe(0);
    expect(JSON.parse(second.stdout)).toMatchObject({
      outcome: 'planned',
      plan: id,
      unread: [{ plan: id, words: ['Too late.\u001b[31m'] }],
    });
    expect(heard(p)).toContain('one\nTWO\nthree\nmine\nnew\n');
    expect(shown(p)).toMatchObject({ id, revision: 2, rejected: 1, prompts: ['Shout', 'Please'] });
    p.ok('plan', 'review', id, '--approve', shown(p).fingerprint);
    p.ok('plan', 'apply', id, '--yes');
    expect([p.read('a.txt'), p.has('new.txt')]).toEqual(['one\nDEUX\nthree\nmine\n', false]);
    expect(p.run(['run', '--isolated', '--revise', id, '--', 'true']).stderr).toContain('so it cannot be revised');
  });

  it('reads what a person comments on its lines with its next prompt, once', async () => {
    const p = project();
    p.write('a.txt', 'one\ntwo\nthree\n');
    p.ok('checkpoint');
    const running = start(
      p,
      [
        ...[prompt('Shout'), 'sed -i s/two/TWO/ a.txt', STOP, waitFor(p, 'commented')],
        ...[prompt('Go on'), waitFor(p, 'noted'), prompt('And on'), STOP],
      ],
      ...['--each-turn', '--apply'],
    );
    await holds('the change', () => p.read('a.txt').includes('TWO'));
    p.ok('comment', 'add', 'a.txt:2', 'Say \u001b[31mDEUX.');
    const comment = () => JSON.parse(p.ok('comment', 'list', '--json').stdout).comments[0];
    expect(comment()).toMatchObject({ status: 'open', agent: 'mine' });
    await holds('the comment', () => hasArrived(p, 'DEUX.'));
    goOn(p, 'commented');
    await holds('the answer', () => comment().status === 'sent');
    goOn(p, 'noted');
    const done = await running.done;
    expect(done.status, done.stderr).toBe(0);
    expect(heard(p)).toContain(': a.txt, line 2:');
    expect(heard(p)).toContain('> TWO\\nSay \\\\x1b[31mDEUX.');
    expect(heard(p).match(/DEUX/g)).toHaveLength(1);
    expect(comment()).toMatchObject({ status: 'sent', sent: { agent: 'mine' } });
  });

  it('does not replace what another run made of the plan meanwhile: its copy stays, and becomes a plan of its own', async () => {
    const p = project();
    p.write('a.txt', 'one\n');
    p.ok('checkpoint');
    p.ok('try', '--plan', '--', 'sh', '-c', 'echo two > two.txt');
    const { id } = shown(p);
    const first = start(p, ['echo mine > mine.txt', 'touch ../first', waitFor(p, 'end-first')], '--revise', id);
    const other = p.start([
      'try',
      '--revise',
      id,
      '--json',
      '--',
      'sh',
      '-c',
      `touch ../other; ${waitFor(p, 'end-other')}; echo x > other.txt`,
    ]);
    await holds('both copies', () => ['first', 'other'].every((name) => fs.existsSync(path.join(p.base, name))));
    goOn(p, 'end-first');
    expect((await first.done).status).toBe(0);
    expect(shown(p).revision).toBe(2);
    goOn(p, 'end-other');
    const refused = await other.done;
    const { outcome, error, copy } = JSON.parse(refused.stdout);
    expect([refused.status, outcome, copy.isKept, error.code], refused.stdout).toEqual([3, 'kept', true, 'CONFLICT']);
    expect(error.message).toContain(`goes on from revision 1 of ${id}, which has revision 2 now`);
    const paths = () => shown(p).changes.map((one: { path: string }) => one.path);
    expect(paths()).toEqual(['mine.txt', 'two.txt']);
    p.ok('try', '--continue', copy.id, '--plan');
    expect(shown(p).id).not.toBe(id);
    expect(paths()).toEqual(['other.txt', 'two.txt']);
  });

  it('is the only way in plan mode, unless another one is chosen', () => {
    const p = project();
    p.ok('checkpoint');
    p.ok('plan', 'mode', 'on');
    const done = p.ok('run', '--isolated', '--', 'sh', '-c', 'echo new > new.txt');
    expect(done.stderr).toMatch(/Kept 1 change as plan_/);
    expect(p.has('new.txt')).toBe(false);
    p.ok('plan', 'revise', 'last', '-m', 'Say it \u001b[31mlouder.');
    const again = p.ok('run', '--isolated', '--revise', shown(p).id, '--', 'sh', '-c', 'echo NEW > new.txt');
    expect(again.stderr).toMatch(
      /does not read what is asked for in plan_\w+\. Tell it:\n {2}Say it \\x1b\[31mlouder\./,
    );
    expect(again.stderr).toMatch(/the agent did not read this about plan_\w+.*\n {2}Say it/);
    expect(again.stderr).toContain(', revision 2.');
    const undone = p.ok('try', '--revise', shown(p).id, '--', 'rm', 'new.txt');
    expect(undone.stderr).toMatch(/nothing was changed in the copy\.\nThe plan plan_\w+ stays as it was\./);
    expect(shown(p)).toMatchObject({ revision: 2, status: 'pending' });
    for (const options of [
      ['--revise', 'last'],
      ['--isolated', '--preset', 'read', '--revise', 'last'],
    ])
      expect(p.run(['run', ...options, '--', 'true'])).toMatchObject({ status: 2 });
  });
});
