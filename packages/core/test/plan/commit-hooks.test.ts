/** Commits of plans with the repository's own hooks, on request. */

import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { bytesFromText, type DiskPath, type OpenOptions, type Savepoint } from '@savepoint/core';
import { expect, test } from 'vitest';
import { AUTHOR, appliedPlan, GIT, GitPlace } from './git-place.ts';

const WITH_HOOKS = { author: AUTHOR, hooks: true } as const;

class HookPlace extends GitPlace {
  override open(options: Partial<OpenOptions> = {}): Savepoint {
    const PATH = process.env['PATH'] ?? '';
    const variables = { PATH, HOME: this.at('../user'), GIT_CONFIG_NOSYSTEM: '1', GIT_DIR: '/nowhere' };
    // git gets the paths of temporary files as text.
    const home = bytesFromText(this.at('../höme')) as DiskPath;
    const places = { ...this.world.places, home, searchPath: PATH, variables: () => variables };
    return super.open({ places, ...options });
  }

  hook(name: string, script: string, folder = '.git/hooks'): void {
    mkdirSync(this.at(folder), { recursive: true });
    this.write(`${folder}/${name}`, `#!/bin/sh\n${script}\n`);
    chmodSync(this.at(`${folder}/${name}`), 0o755);
  }

  /** What must not change if nothing is committed. */
  state(folder = '.'): string {
    const git = (...args: string[]): string => this.git('-C', folder, ...args);
    return `${git('rev-parse', 'HEAD')}${git('ls-files', '--stage')}${git('log', '--format=%s')}`;
  }

  async debris(): Promise<readonly string[]> {
    return readdirSync(`${await this.store()}/cache`).filter((name) => name.startsWith('commit'));
  }
}

/** A repository with staged work, and an applied plan for three files. */
async function applied(): Promise<{ readonly p: HookPlace; readonly id: string }> {
  const p = new HookPlace();
  for (const name of ['src/a.txt', 'src/b.txt', 'mine.txt', 'gone.txt']) p.write(name, `${name}\n`);
  p.shell(`${GIT} init -q && ${GIT} add . && ${GIT} commit -qm first`);
  p.write('mine.txt', 'staged\n');
  p.shell('git add mine.txt');
  p.write('mine.txt', 'changed after that\n');
  return { p, id: await appliedPlan(p, 'Spell the names') };
}

test('all hooks of a commit run in their order, see what will be committed, and may edit the message', async () => {
  const { p, id } = await applied();
  const log = p.at('../log');
  p.hook('pre-commit', `{ echo "pre-commit in $(basename "$PWD")"; git diff --cached --name-status HEAD; } >> ${log}`);
  p.hook('prepare-commit-msg', `echo "prepare-commit-msg $2 $GIT_AUTHOR_NAME: $(cat "$1")" >> ${log}`);
  p.hook('commit-msg', `echo "commit-msg" >> ${log}; printf '\\nChange-Id: I1\\n' >> "$1"`);
  p.hook('post-commit', `git log -1 --format='post-commit %s' >> ${log}`);
  p.hook('reference-transaction', `echo "never" >> ${log}`);
  const { commits, notes } = await p.open().commitPlan(id, WITH_HOOKS);
  expect(commits).toMatchObject([{ files: 3, subject: 'spell the names' }]);
  expect(notes).toEqual([]);
  expect(p.read('../log')).toBe(
    'pre-commit in workspace\nD\tgone.txt\nM\tsrc/a.txt\nA\tsrc/new.sh\n' +
      'prepare-commit-msg message Ann: spell the names\ncommit-msg\npost-commit spell the names\n',
  );
  expect(p.git('log', '-1', '--format=%B')).toBe('spell the names\n\nChange-Id: I1\n\n');
  expect(p.git('status', '--porcelain')).toBe('MM mine.txt\n');
  expect(p.git('show', ':mine.txt')).toBe('staged\n');
  expect(await p.debris()).toEqual([]);
});

test.each(['pre-commit', 'prepare-commit-msg', 'commit-msg'])(
  'a %s hook that refuses: nothing is committed, and the message shows what it printed',
  async (name) => {
    const { p, id } = await applied();
    p.shell(`mkdir inner && cd inner && ${GIT} init -q && ${GIT} commit -qm inner --allow-empty`);
    p.hook(name, `printf 'not like \\033[31mthis\\n'; for i in $(seq 400); do echo "line $i"; done; exit 7`);
    const before = p.state();
    const error = await p
      .open()
      .commitPlan(id, WITH_HOOKS)
      .then(
        () => null,
        (thrown: unknown) => thrown,
      );
    expect(error).toMatchObject({
      code: 'GIT_REFUSED',
      message: expect.stringContaining(`${name} refused (status 7)`),
    });
    const { message } = error as Error;
    expect(message).toContain('line 400');
    expect(message).not.toContain('\u001b');
    expect(message.length).toBeLessThan(3_000);
    expect(p.state()).toBe(before);
    expect(await p.debris()).toEqual([]);
    // Without hooks, it is committed.
    expect((await p.open().commitPlan(id, { author: AUTHOR })).commits).toHaveLength(1);
  },
);

test('what a formatter makes of the files of the plan is committed, and staged in the own index', async () => {
  const { p, id } = await applied();
  p.hook(
    'pre-commit',
    'for f in $(git diff --cached --name-only --diff-filter=AM HEAD); do echo tidy >> $f; git add $f; done',
  );
  const { commits } = await p.open().commitPlan(id, WITH_HOOKS);
  expect(commits).toHaveLength(1);
  expect(p.git('show', 'HEAD:src/a.txt')).toBe('changed\ntidy\n');
  expect(p.read('src/a.txt')).toBe('changed\ntidy\n');
  expect(p.git('status', '--porcelain')).toBe('MM mine.txt\n');
  expect(p.git('show', ':mine.txt')).toBe('staged\n');
  p.git('fsck', '--strict');
  // git has another content than the plan made, but nothing is left to be committed.
  const again = await p.open().commitPlan(id, WITH_HOOKS);
  expect(again).toEqual({
    commits: [],
    notes: [
      'left out, because git has them as the folder has them, though not as the plan made them: src/a.txt, src/new.sh',
    ],
  });
});

test.each([
  ['stages other files', 'git add -u', 'staged mine.txt, which the plan does not change'],
  ['takes the plan out', 'git read-tree HEAD', 'left nothing to commit'],
  ['commits itself', `${GIT} commit -q --no-verify -m other`, 'changed while its hooks ran'],
  [
    'moves the branch',
    `git update-ref HEAD $(${GIT} commit-tree -p HEAD -m other HEAD^{tree})`,
    'changed while its hooks ran',
  ],
  ['stages in the own index', 'unset GIT_INDEX_FILE; echo x >> src/a.txt; git add src/a.txt', 'had changes of yours'],
])('a hook that %s: nothing of the plan is committed', async (_, script, why) => {
  const { p, id } = await applied();
  p.hook('pre-commit', script);
  await expect(p.open().commitPlan(id, WITH_HOOKS)).rejects.toMatchObject({
    code: 'GIT_REFUSED',
    message: expect.stringContaining(why),
  });
  expect(p.git('log', '--format=%s')).not.toContain('spell');
  expect(p.git('show', ':mine.txt')).toBe('staged\n');
  expect(await p.debris()).toEqual([]);
});

test('core.hooksPath of the repository counts, and hooks can use Savepoint', async () => {
  const { p, id } = await applied();
  p.shell('git config core.hooksPath .husky');
  p.hook('pre-commit', 'touch ../wrong');
  p.hook('pre-commit', 'touch ../right', '.husky');
  const savepoint = p.open({ waitMs: 0 });
  // While a hook runs, nobody waits for the store.
  p.hook('commit-msg', 'while [ ! -e ../seen ]; do sleep 0.05; done', '.husky');
  const committing = savepoint.commitPlan(id, WITH_HOOKS);
  await expect.poll(() => existsSync(p.at('../right'))).toBe(true);
  await p.open({ waitMs: 0 }).checkpoint();
  p.write('../seen', '');
  expect((await committing).commits).toHaveLength(1);
  expect(existsSync(p.at('../wrong'))).toBe(false);
});

test('files that changed since the plan was applied are refused, and a failed post-commit is only named', async () => {
  const { p, id } = await applied();
  p.hook('post-commit', 'echo too late; exit 3');
  p.write('src/a.txt', 'changed again\n');
  await expect(p.open().commitPlan(id, WITH_HOOKS)).rejects.toMatchObject({
    code: 'GIT_REFUSED',
    message: expect.stringContaining('src/a.txt changed since the plan was applied'),
  });
  p.write('src/a.txt', 'changed\n');
  const { commits, notes } = await p.open().commitPlan(id, WITH_HOOKS);
  expect(commits).toHaveLength(1);
  expect(notes).toEqual(['the folder: its hook post-commit failed (status 3): too late']);
});

test('an agent cannot ask for hooks, and a caller can cancel them', async () => {
  const { p, id } = await applied();
  p.hook('pre-commit', 'touch ../ran; sleep 600');
  const agent = p.open({ actor: { kind: 'agent', name: 'x' } });
  await expect(agent.commitPlan(id, WITH_HOOKS)).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  expect(existsSync(p.at('../ran'))).toBe(false);
  const stop = new AbortController();
  const committing = p.open().commitPlan(id, { ...WITH_HOOKS, signal: stop.signal });
  await expect.poll(() => existsSync(p.at('../ran'))).toBe(true);
  stop.abort();
  await expect(committing).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(await p.debris()).toEqual([]);
});

test('a plan is applied and committed in one run, which has the commits; a refused one says that it was applied', async () => {
  const { p } = await applied();
  const savepoint = p.open();
  const edits = [{ path: 'src/b.txt', edits: [{ op: 'write' as const, content: 'b2\n' }] }];
  const { plan, fingerprint } = await savepoint.proposeEdits(edits, { intent: 'Second' });
  await savepoint.approvePlan(plan.id, fingerprint);
  p.hook('pre-commit', 'exit 1');
  const run = await savepoint.runPlan(plan.id, { commit: WITH_HOOKS });
  expect(run).toMatchObject({ plan: { status: 'applied' }, commits: null, stopped: { code: 'GIT_REFUSED' } });
  await savepoint.rollBackPlan(plan.id);
  await savepoint.approvePlan(plan.id, fingerprint);
  const again = await savepoint.runPlan(plan.id, { commit: { author: AUTHOR } });
  expect(again.commits?.commits).toMatchObject([{ subject: 'second', files: 1 }]);
});

test('a plan whose file a hook or a person changed since is rolled back as the conflict is resolved', async () => {
  const { p } = await applied();
  const savepoint = p.open();
  const edits = [{ path: 'src/b.txt', edits: [{ op: 'write' as const, content: 'b2\n' }] }];
  const { plan, fingerprint } = await savepoint.proposeEdits(edits, { intent: 'Second' });
  await savepoint.approvePlan(plan.id, fingerprint);
  const before = p.read('src/b.txt');
  await savepoint.applyPlan(plan.id);
  p.write('src/b.txt', 'formatted b2\n');
  const hint = expect.stringMatching(/^Nothing was changed\. To continue: --skip-conflicts .* --theirs PATH/);
  await expect(savepoint.rollBackPlan(plan.id)).rejects.toMatchObject({ code: 'CONFLICT', hint });
  await savepoint.rollBackPlan(plan.id, { prefer: new Map([['src/b.txt', 'theirs']]) });
  expect(p.read('src/b.txt')).toBe(before);
});
