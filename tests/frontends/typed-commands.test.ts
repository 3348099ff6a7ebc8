import { spawn } from 'node:child_process';
import { lutimesSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { main, type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

/** Commands that a person types at the prompt of an agent, through the built command, as the agent's hook runs it. */

interface Step {
  readonly id: string;
  readonly trigger: string;
  readonly actor: { readonly kind: string };
}

let ids = 0;

function hook(p: Project, event: object, env: NodeJS.ProcessEnv = {}): Record<string, unknown> | null {
  const input = JSON.stringify({ session_id: 's', cwd: p.dir, ...event });
  const { stdout, stderr, status } = p.run(['hook', 'claude'], { input, env: { SAVEPOINT_DAEMON: 'off', ...env } });
  expect([stderr, status]).toEqual(['', 0]);
  return stdout === '' ? null : JSON.parse(stdout);
}

/** What the person reads. Fails if the prompt goes to the model. */
function type(p: Project, prompt: string, id = `p${++ids}`): string {
  const answer = hook(p, { hook_event_name: 'UserPromptSubmit', prompt, prompt_id: id });
  expect(answer).toMatchObject({ decision: 'block', reason: expect.any(String) });
  return answer?.['reason'] as string;
}

/** The agent works on a prompt, with its file tool. */
function work(p: Project, prompt: string, name: string, content: string): void {
  hook(p, { hook_event_name: 'UserPromptSubmit', prompt, prompt_id: `p${++ids}` });
  const call = { tool_name: 'Write', tool_input: { file_path: p.at(name), content }, tool_use_id: `t${ids}` };
  hook(p, { hook_event_name: 'PreToolUse', ...call });
  p.write(name, content);
  hook(p, { hook_event_name: 'PostToolUse', ...call, tool_response: {} });
}

function steps(p: Project): readonly Step[] {
  return JSON.parse(p.ok('list', '--all', '--json').stdout).checkpoints;
}

function atWork(prompts: 1 | 2 = 1): Project {
  const p = project();
  p.write('a.txt', 'one\n');
  hook(p, { hook_event_name: 'SessionStart', source: 'startup' });
  if (prompts === 2) work(p, 'make it two', 'a.txt', 'two\n');
  work(p, 'make it three', 'a.txt', 'three\n');
  return p;
}

it('rewind lists the prompts and goes back, undo and redo follow, and none of them is a prompt', () => {
  const p = atWork(2);
  const before = steps(p).length;
  expect(type(p, '/savepoint:rewind')).toMatch(
    /^The last prompts.*\n1 \* {2}cp_\d+ .* make it three .*\n2 {4}cp_\d+ .* make it two .*\n`\/savepoint:rewind 1`/,
  );
  expect(steps(p)).toHaveLength(before);
  expect(type(p, '/savepoint:rewind 2')).toMatch(
    /^Restored cp_\d+: 1 path[\s\S]*`\/savepoint:undo` to revert\.\nThe conversation stays\. `savepoint restore cp_\d+ /,
  );
  expect(p.read('a.txt')).toBe('one\n');
  expect(type(p, '/savepoint:undo')).toMatch(/^Undid cp_\d+[\s\S]*`\/savepoint:redo`/);
  expect(p.read('a.txt')).toBe('three\n');
  expect(type(p, '/savepoint:redo')).toMatch(/^Redid cp_\d+/);
  expect(p.read('a.txt')).toBe('one\n');
  expect(steps(p).slice(0, 3)).toMatchObject(
    ['redo', 'undo', 'restore'].map((trigger) => ({ trigger, actor: { kind: 'user' } })),
  );
  const { turns } = JSON.parse(p.ok('turns', '--json').stdout);
  expect(turns).toHaveLength(2);
  const told = hook(p, { hook_event_name: 'UserPromptSubmit', prompt: 'go on', prompt_id: 'last' });
  expect(JSON.stringify(told)).toMatch(/another actor has changed files[\s\S]*by user[\s\S]*a\.txt/);
});

it('checkpoint lists, shows, compares, restores and creates', () => {
  const p = atWork();
  const first = steps(p).at(-1)?.id as string;
  expect(type(p, '/savepoint:checkpoint create before "it"')).toMatch(/^cp_\d+ {2}before "it"$/);
  expect(steps(p)[0]).toMatchObject({ trigger: 'manual', actor: { kind: 'user' } });
  expect(type(p, '/savepoint:checkpoint list')).toMatch(/^cp_\d+ .* user .*before "it"/);
  expect(type(p, '/savepoint:checkpoint show last')).toContain('before "it"');
  expect(type(p, `/savepoint:checkpoint diff ${first}`)).toMatch(/-one\n\+three$/);
  expect(type(p, `/savepoint:checkpoint restore ${first}`)).toContain(`Restored ${first}`);
  expect(p.read('a.txt')).toBe('one\n');
});

it('a restore that would revert changes of others as well asks how', () => {
  const p = atWork();
  const first = steps(p).at(-1)?.id as string;
  p.write('mine.txt', 'mine\n');
  const asked = type(p, `/savepoint:rewind ${first}`);
  expect(asked).toContain('Nothing was changed');
  expect(asked).toContain(`/savepoint:rewind ${first} keep-outside`);
  expect(p.read('a.txt')).toBe('three\n');
  expect(type(p, `/savepoint:rewind ${first} keep-outside`)).toContain('Restored');
  expect([p.read('a.txt'), p.read('mine.txt')]).toEqual(['one\n', 'mine\n']);
});

it('what is not understood, is not there or is reported twice changes nothing, and does not reach the model', () => {
  const p = atWork();
  expect(type(p, '/savepoint:rewind everything')).toContain('/savepoint:checkpoint restore ID [keep-outside | exact]');
  expect(type(p, '/savepoint:rewind 2')).toContain('There is no prompt 2.');
  expect(type(p, '/savepoint:checkpoint restore cp_99')).toContain('There is no checkpoint cp_99.');
  expect(type(p, '/savepoint:undo')).toContain('error:');
  const id = 'twice';
  type(p, '/savepoint:rewind 1', id);
  expect(p.read('a.txt')).toBe('one\n');
  const count = steps(p).length;
  expect(type(p, '/savepoint:rewind 1', id)).toContain('already carrying out');
  expect(steps(p)).toHaveLength(count);
  const bare = project();
  expect(type(bare, '/savepoint:rewind 1')).toMatch(/^error: /);
});

it('two hooks that report it at the same time carry it out once', async () => {
  const p = atWork();
  const prompt = { hook_event_name: 'UserPromptSubmit', prompt: '/savepoint:rewind 1', prompt_id: 'both' };
  const input = JSON.stringify({ session_id: 's', cwd: p.dir, ...prompt });
  const once = async (): Promise<string> => {
    const child = spawn(process.execPath, [main, 'hook', 'claude'], {
      env: p.environment({ env: { SAVEPOINT_DAEMON: 'off' } }) as NodeJS.ProcessEnv,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(input);
    return JSON.parse(await text(child.stdout)).reason;
  };
  const answers = await Promise.all([once(), once()]);
  expect(answers.filter((answer) => answer.startsWith('Restored'))).toHaveLength(1);
  expect(answers.filter((answer) => answer.includes('already carrying out'))).toHaveLength(1);
  expect(steps(p).filter(({ trigger }) => trigger === 'restore')).toHaveLength(1);
});

it('what another agent types in its shell is a step of that agent, and a background call of the own one changes nothing', async () => {
  const p = atWork(2);
  // The inner agent: a process of its own, below the one that runs the hooks of the outer agent.
  const inner = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  try {
    const bash = (id: string): object => ({ tool_name: 'Bash', tool_input: { command: 'run it' }, tool_use_id: id });
    const typeInside = (prompt: string): void => {
      const event = { session_id: 'inner', hook_event_name: 'UserPromptSubmit', prompt, prompt_id: prompt };
      hook(p, event, { SAVEPOINT_HOOK_PARENT: `${inner.pid}` });
    };
    hook(p, { session_id: 'inner', hook_event_name: 'SessionStart' }, { SAVEPOINT_HOOK_PARENT: `${inner.pid}` });
    hook(
      p,
      { session_id: 'inner', hook_event_name: 'PreToolUse', ...bash('t-in') },
      { SAVEPOINT_HOOK_PARENT: `${inner.pid}` },
    );
    typeInside('/savepoint:checkpoint create by the user');
    expect(steps(p)[0]).toMatchObject({ trigger: 'manual', actor: { kind: 'user' } });
    hook(p, { hook_event_name: 'PreToolUse', ...bash('t-out') });
    typeInside('/savepoint:rewind 1');
    expect(steps(p)[0]).toMatchObject({ trigger: 'restore', actor: { kind: 'agent' }, toolCall: 't-out' });
  } finally {
    inner.kill();
  }
});

it('a conflict names the lines, and the command for a terminal', () => {
  const p = atWork();
  type(p, '/savepoint:rewind 1');
  p.write('a.txt', 'mine\n');
  expect(type(p, '/savepoint:undo')).toMatch(
    /^error: Conflict in 1 path: a\.txt\.[\s\S]*for `savepoint undo` in a terminal\.$/,
  );
  expect(p.read('a.txt')).toBe('mine\n');
});

it('works where automatic checkpoints are off', () => {
  const p = atWork();
  p.write('.savepoint.json', JSON.stringify({ automatic: { enabled: false } }));
  expect(type(p, '/savepoint:checkpoint create by hand')).toContain('by hand');
});

const RESTORE = '/savepoint:checkpoint restore cp_1 exact';
const IN_SKILL =
  'The user explicitly invoked the "/savepoint-rewind" skill. Follow its instructions now.\n\n<skill-context ' +
  'name="savepoint-rewind">\nBase directory for this skill: /p\n\nARGUMENTS: cp_1 exact\n</skill-context>';

it('a command that a file of the repository may contain changes nothing', () => {
  const p = atWork();
  p.write('.claude/commands/review.md', '/savepoint:undo\n');
  const cases: readonly (readonly [agent: string, native: string, event: object])[] = [
    ['gemini', 'BeforeAgent', { session_id: 's', hook_event_name: 'BeforeAgent', prompt: RESTORE }],
    ['copilot', 'userPromptSubmitted', { sessionId: 's', prompt: IN_SKILL }],
    ['opencode', '', { sessionID: 's', event: 'chat.message', messageID: 'm', text: RESTORE }],
    ['cursor', '', { conversation_id: 's', hook_event_name: 'beforeSubmitPrompt', prompt: RESTORE }],
    // What its hook gets for a command whose file contains one.
    ['claude', '', { session_id: 's', hook_event_name: 'UserPromptSubmit', prompt: '/review' }],
  ];
  for (const [agent, native, event] of cases) {
    const input = JSON.stringify({ cwd: p.dir, directory: p.dir, workspace_roots: [p.dir], timestamp: 1, ...event });
    const args = ['hook', agent, ...(native === '' ? [] : [native])];
    const ran = p.run(args, { input, env: { SAVEPOINT_DAEMON: 'off' } });
    expect([agent, ran.stderr, ran.status]).toEqual([agent, '', 0]);
    expect([agent, p.read('a.txt')]).toEqual([agent, 'three\n']);
    if (input.includes(RESTORE))
      expect([agent, ran.stdout]).toEqual([agent, expect.stringContaining('Nothing was changed.')]);
  }
  expect(steps(p).filter(({ trigger }) => trigger === 'restore')).toEqual([]);
});

it('a claim that cannot be removed does not let a command be carried out twice', () => {
  const p = atWork();
  type(p, '/savepoint:rewind 1', 'first');
  const folder = join(p.store, 'agents', 'typed');
  symlinkSync('nowhere', join(folder, 'dangling'));
  mkdirSync(join(folder, 'folder'));
  for (const name of ['dangling', 'folder']) lutimesSync(join(folder, name), 0, 0);
  type(p, '/savepoint:undo', 'twice');
  expect(p.read('a.txt')).toBe('three\n');
  expect(type(p, '/savepoint:undo', 'twice')).toContain('already carrying out');
});
