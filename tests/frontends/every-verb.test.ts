import { schemasOf, VERBS, type Verb } from '@savepoint/core/frontend';
import { explain, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { fingerprintOf } from './plan-approval.ts';

/** Each verb, in an order in which it has something to do, with what its JSON and its text must contain. */
const RUNS: readonly (readonly [keyof typeof VERBS, readonly string[], string])[] = [
  ['status', [], 'No checkpoints yet'],
  ['list', [], 'No checkpoints'],
  ['history', [], 'No changes'],
  ['sessions', [], 'No sessions'],
  ['turns', [], 'No prompts to agents'],
  ['workspaces', [], 'No workspaces yet'],
  ['checkpoint', ['-m', 'by hand', '--test-result', 'pass'], 'cp_1'],
  ['list', [], 'tests pass'],
  ['setTestResult', ['last', 'fail'], 'tests fail'],
  ['show', ['last'], 'by hand'],
  ['status', [], 'a.txt'],
  ['diff', [], 'a.txt'],
  ['diff', ['cp_1', '--patch'], '+two'],
  ['diff', ['cp_1', '--stat', '--', 'a.txt'], 'a.txt'],
  ['findings', ['cp_1'], 'No findings.'],
  ['map', [], 'No file defines a symbol.'],
  ['cat', ['cp_1', '--', 'a.txt'], 'one'],
  ['cat', ['--', 'a.txt'], 'two'],
  ['restore', ['last', '--dry-run'], 'a.txt'],
  ['restore', ['last', '--yes'], 'Restored cp_1'],
  ['restore', ['cp_1', '--yes', '--exact'], 'Nothing to restore'],
  ['status', [], 'undo would revert'],
  ['undo', ['--dry-run'], 'a.txt'],
  ['undo', [], 'Undid cp_3'],
  ['status', [], 'redo would apply cp_3 again (Restored cp_1)'],
  ['redo', ['--dry-run'], 'changed  a.txt'],
  ['redo', [], 'Redid cp_3'],
  ['edit', ['--dry-run', '../edits.json'], '+edited'],
  ['edit', ['../edits.json'], 'Edit 2 files: a.txt (+1 −1)'],
  ['history', ['--limit', '2'], 'new/file.txt'],
  ['history', ['--file', 'a.txt', '--limit', '1'], 'changed  a.txt'],
  ['history', ['--agent', 'user', '--tool', 'edit', '--file', 'a.txt', '--since', '1 hour ago'], 'user'],
  ['blame', ['-L', '1,1', 'a.txt'], '1) edited'],
  ['stats', [], '100%'],
  ['stats', ['--by', 'day'], 'turns'],
  ['watch', ['--once', '--after', 'cp_1'], 'checkpoint:created  cp_2'],
  ['undo', [], 'Undid cp_6'],
  ['list', ['--all'], 'Undid cp_6'],
  ['list', ['--multi-file'], 'Edit 2 files'],
  ['rollback', ['--after', 'cp_1', '--dry-run'], 'Nothing to roll back'],
  ['restore', ['cp_2', '--yes', '--keep-outside'], 'Restored cp_2'],
  ['verify', [], 'no damage found'],
  ['verify', ['--deep'], 'every byte'],
  ['repair', ['--dry-run'], 'Nothing to repair'],
  ['repair', [], 'can be fully restored'],
  ['recover', [], 'Nothing is pending'],
  ['copies', [], 'No copies'],
  ['copies', ['--clean'], 'No copies'],
  ['pin', ['last'], 'is now pinned'],
  ['list', [], '[pinned]'],
  ['unpin', ['last'], 'no longer pinned'],
  ['drop', ['cp_5', '--dry-run'], 'would drop'],
  ['drop', ['cp_1', '--yes'], 'Dropped 1 checkpoint (cp_1)'],
  ['trust', ['--list'], 'No checks were found'],
  ['freeze', ['secret'], 'secret'],
  ['freeze', ['--list'], 'secret'],
  ['unfreeze', ['secret'], 'Nothing is frozen'],
  ['scopeAdd', ['b'], 'Scope of the workspace'],
  ['scopeList', [], 'added by you'],
  ['scopeDrop', ['b'], 'Nothing is in scope'],
  ['guardStatus', [], 'Nothing is guarded'],
  ['guardOff', [], 'was not on'],
  ['purge', ['b/c.txt', '--yes'], 'nothing is left'],
  ['gc', ['--max-checkpoints', '2', '--keep-at-least', '1', '--dry-run'], 'would drop'],
  ['gc', ['--max-checkpoints', '2', '--keep-at-least', '1', '--yes'], 'Dropped'],
  ['forkList', [], 'No forks'],
  ['forkCreate', ['attempt'], 'attempt: '],
  ['forkList', [], 'attempt'],
  ['forkShow', ['attempt'], 'no changes'],
  ['forkDiff', ['attempt'], 'Nothing to merge'],
  ['forkOpen', ['attempt'], '/tree'],
  ['forkCreate', ['other'], 'other: '],
  ['forkCompare', ['attempt', 'other'], 'do not conflict with each other'],
  ['forkDiff', ['attempt', 'other'], 'The files are the same'],
  ['forkDiff', ['attempt', '.'], 'The files are the same'],
  ['forkMerge', ['attempt', '--dry-run'], 'Nothing to merge'],
  ['forkClean', [], 'No fork is merged'],
  ['forkDrop', ['attempt'], 'Dropped fork attempt'],
  ['planList', [], 'No open plans'],
  ['planNew', ['../plan.json', '-m', 'try it'], 'pending'],
  ['planList', [], 'try it'],
  ['planShow', ['last'], 'plan.txt'],
  ['cat', ['--plan', 'last', '--state', 'selected', '--', 'plan.txt'], 'made'],
  ['planRevise', ['last', '-m', 'say more'], 'say more'],
  ['planPhases', ['last', '--phase', 'all', '--', 'plan.txt'], 'phase all: not applied'],
  ['planSplit', ['last', '--phases'], 'phase 1: 1 path'],
  ['planReview', ['last', '--approve', 'FINGERPRINT'], 'approved'],
  ['planApply', ['last', '--yes'], 'Applied plan_'],
  ['planCommit', ['last'], 'Nothing was committed'],
  ['planRollback', ['last', '--yes'], 'Rolled back 1 change'],
  ['planNew', ['../plan2.json', '-m', 'again'], 'pending'],
  ['planCancel', ['last'], 'cancelled'],
  ['planPolicy', [], 'Agents apply only plans that a person approved'],
  ['planMode', ['on'], 'Plan mode is on for all sessions'],
  ['planMode', ['off'], 'Plan mode is off.'],
  ['commentAdd', ['a.txt:1', 'mine'], 'gets it with its next prompt'],
  ['commentList', [], 'mine'],
  ['commentResolve', ['last'], 'is resolved'],
  ['commentDelete', ['last'], 'was deleted'],
  ['bundleCreate', ['../all.bundle', '--overwrite'], 'all.bundle'],
  ['bundleRestore', ['../all.bundle', '../restored'], 'added'],
  ['bundleExport', [], 'No export is configured'],
  ['list', ['--limit', '1'], 'Older'],
  ['workspaces', [], 'project'],
  ['repos', [], 'plain folder'],
  ['context', [], 'Checkpoints, newest first'],
  ['config', [], 'max_checkpoints'],
];

/** The request of a plan that creates a file. */
const planOf = (name: string): string =>
  JSON.stringify({ files: [{ file_path: name, edits: [{ op: 'create', content: 'made\n' }] }] });

const REQUEST = {
  files: [
    { file_path: 'a.txt', edits: [{ old_string: 'one', new_string: 'edited' }] },
    { file_path: 'new/file.txt', edits: [{ op: 'create', content: 'made\n' }] },
  ],
};

describe('every verb through the binary', () => {
  it('prints text for people', () => {
    const p = project();
    p.write('a.txt', 'one\n');
    p.write('b/c.txt', 'c\n');
    p.write('../edits.json', JSON.stringify(REQUEST));
    p.write('../plan.json', planOf('plan.txt'));
    p.write('../plan2.json', planOf('plan2.txt'));
    for (const [key, given, word] of RUNS) {
      const args = given.map((one) => (one === 'FINGERPRINT' ? fingerprintOf(p, 'last') : one));
      const outcome = p.run([...VERBS[key].name.split(' '), ...args]);
      expect(outcome.status, explain([key, ...args], outcome)).toBe(0);
      expect(outcome.stdout, [key, ...args].join(' ')).toContain(word);
      if (key === 'checkpoint') p.write('a.txt', 'two\n');
    }
  });

  it('prints --json in the shape of its schema, and nothing else on either stream', async () => {
    const p = project();
    p.write('a.txt', 'one\n');
    p.write('b/c.txt', 'c\n');
    p.write('../edits.json', JSON.stringify(REQUEST));
    p.write('../plan.json', planOf('plan.txt'));
    p.write('../plan2.json', planOf('plan2.txt'));
    const seen = new Set<string>();
    for (const [key, given] of RUNS) {
      const args = given.map((one) => (one === 'FINGERPRINT' ? fingerprintOf(p, 'last') : one));
      const verb = VERBS[key] as Verb;
      const [head, paths] = args.includes('--') ? [args.slice(0, -2), args.slice(-2)] : [args, []];
      const line = [...verb.name.split(' '), ...head, '--json', ...paths];
      const outcome = p.run(line);
      expect(outcome.status, explain(line, outcome)).toBe(0);
      expect(outcome.stderr).toBe('');
      const { output } = await schemasOf(verb);
      const parsed = output.safeParse(JSON.parse(outcome.stdout));
      expect(parsed.error, line.join(' ')).toBeUndefined();
      if (key === 'checkpoint') p.write('a.txt', 'two\n');
      seen.add(key);
    }
    // These have their own tests.
    expect([...Object.keys(VERBS)].filter((key) => !seen.has(key))).toEqual([
      'deleteSession',
      'bisect',
      'replay',
      'exportSession',
      'forkRun',
      'forkCheck',
      'planCheck',
      'check',
      'guardOn',
      'guardSteps',
      'deleteWorkspace',
      'linkWorkspace',
    ]);
  });

  it('workspace link accepts a relative path, and gives the folder those checkpoints', async () => {
    const p = project();
    p.write('a.txt', 'a\n');
    p.checkpoint();
    const other = { cwd: `${p.base}/home` };
    p.delete('.');
    const outcome = p.run(['-C', '../other', 'workspace', 'link', '../project', '--json'], other);
    expect(outcome.status).toBe(1);
    p.run(['status']);
    const { mkdirSync, readFileSync } = await import('node:fs');
    mkdirSync(`${p.base}/other`);
    const linked = p.run(['workspace', 'link', '../project', '--json'], { cwd: `${p.base}/other` });
    expect(linked.status, linked.stderr).toBe(0);
    const { output } = await schemasOf(VERBS.linkWorkspace as Verb);
    expect(output.safeParse(JSON.parse(linked.stdout)).error).toBeUndefined();
    expect(p.run(['restore', 'last', '--yes'], { cwd: `${p.base}/other` }).status).toBe(0);
    expect(readFileSync(`${p.base}/other/a.txt`, 'utf8')).toBe('a\n');
  });

  it('accepts global options before and after the verb', () => {
    const p = project();
    p.write('a.txt', 'a\n');
    p.checkpoint();
    const elsewhere = { cwd: p.home };
    for (const args of [
      ['-C', p.dir, '--json', 'list'],
      ['list', '--json', '-C', p.dir],
      ['--json', 'list', '-C', '../project'],
    ]) {
      const outcome = p.run(args, elsewhere);
      expect(outcome.status, explain(args, outcome)).toBe(0);
      expect(JSON.parse(outcome.stdout).checkpoints).toHaveLength(1);
    }
  });
});
