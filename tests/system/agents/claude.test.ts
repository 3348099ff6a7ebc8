import { existsSync } from 'node:fs';
import { main } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { type AgentProject, hookedProject } from '../../agents/agent-project.ts';
import { ACCEPT, claude } from '../../agents/claude.ts';
import { describeHooked, whyNot } from '../../agents/hooked.ts';
import type { Step } from '../../agents/model/plan.ts';
import { type TimelineChange, timeline } from '../../agents/timeline.ts';

describeHooked({ program: claude, options: { args: ACCEPT }, settings: '.claude' });

const { write, shell } = claude;
const options = { args: ACCEPT };
const done = { text: 'All done.' };
const savepoint = `'${process.execPath}' '${main}'`;

function script(...steps: readonly Step[]) {
  return [{ marker: '', steps }];
}

/** Every change of these paths on the timeline, oldest first. */
function changesOf(project: AgentProject, ...paths: readonly string[]): readonly TimelineChange[] {
  return timeline(project).flatMap(({ changes }) => (changes ?? []).filter(({ path }) => paths.includes(path)));
}

describe.skipIf(whyNot !== null)('claude with hooks, special cases', () => {
  it('a sub-agent has an id of its own under the session', async () => {
    const project = hookedProject(claude);
    const task = { description: 'a part', prompt: 'PART: do it', subagent_type: 'general-purpose' };
    const part = [
      { calls: [write(project.at('part.txt'), 'part\n')] },
      { calls: [shell('echo more > part-shell.txt')] },
      { text: 'The part is done.' },
    ];
    const ran = await project.work(
      [
        ...script(
          { calls: [{ name: 'Task', input: task }] },
          { calls: [write(project.at('whole.txt'), 'whole\n')] },
          done,
        ),
        { marker: 'PART:', steps: part },
      ],
      options,
    );
    expect(ran.status).toBe(0);
    const [session] = timeline(project).map((step) => step.session);
    const found = changesOf(project, 'part.txt', 'part-shell.txt', 'whole.txt').map(({ path, grade, authors }) => {
      const whose = authors.map(({ actor, session: its }) => [actor.name, actor.id !== null, its === session]);
      return { path, grade, whose };
    });
    // It works in parallel to the session that started it.
    expect(found.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: 'part-shell.txt', grade: 'likely', whose: [['claude', true, true]] },
      { path: 'part.txt', grade: 'sure', whose: [['claude', true, true]] },
      { path: 'whole.txt', grade: 'sure', whose: [['claude', false, true]] },
    ]);
  });

  it('background writes of a command are attributed to it, as uncertain', async () => {
    const project = hookedProject(claude);
    const command = 'while [ ! -e go.txt ]; do sleep 0.1; done; echo late > late.txt';
    const late = { name: 'Bash', input: { command, description: 'goes on', run_in_background: true } };
    // Between two calls, so that no other call of the session can have done it.
    const meanwhile = 'echo go > go.txt; while [ ! -s late.txt ]; do sleep 0.1; done';
    const next = { calls: [shell('echo next > next.txt')], meanwhile };
    const ran = await project.work(script({ calls: [late] }, next, done), options);
    expect(ran.status).toBe(0);
    const [first] = changesOf(project, 'late.txt');
    expect(first?.authors.map(({ actor, call }) => [actor.name, call])).toEqual([
      ['claude', 'toolu_1_0'],
      ['outside', null],
    ]);
    expect(first?.grade).toBe('open');
    expect(changesOf(project, 'next.txt')).toMatchObject([{ grade: 'likely', authors: [{ call: 'toolu_2_0' }] }]);
  });

  it('changes of a cancelled call are attributed to it', async () => {
    const project = hookedProject(claude);
    const call = shell('echo begun > begun.txt; sleep 120; echo never > never.txt');
    const signal = { when: project.at('begun.txt'), name: 'SIGINT' } as const;
    const ran = await project.work(script({ calls: [call] }, done), { ...options, signal });
    expect(ran.timedOut).toBe(false);
    project.ok('checkpoint');
    expect(changesOf(project, 'begun.txt').map(({ authors }) => authors.map(({ actor }) => actor.name))).toEqual([
      expect.arrayContaining(['claude']),
    ]);
    expect(existsSync(project.at('never.txt'))).toBe(false);
  });

  it('is captured also with bypassed permissions', async () => {
    const project = hookedProject(claude);
    const env = { IS_SANDBOX: '1' };
    const args = ['--dangerously-skip-permissions'];
    const ran = await project.work(script({ calls: [shell('echo free > free.txt')] }, done), { args, env });
    expect(ran.status).toBe(0);
    expect(changesOf(project, 'free.txt')).toMatchObject([{ operation: 'create', grade: 'likely' }]);
  });

  it('an edit through our own MCP server is one step', async () => {
    const project = hookedProject(claude);
    const servers = { savepoint: { command: process.execPath, args: [main, 'mcp'] } };
    const args = [
      '--mcp-config',
      JSON.stringify({ mcpServers: servers }),
      '--allowedTools',
      'mcp__savepoint__write_file',
    ];
    const call = {
      name: 'mcp__savepoint__write_file',
      input: { file_path: project.at('ours.txt'), content: 'ours\n' },
    };
    const ran = await project.work(script({ calls: [call] }, done), { args });
    expect(ran.seen.at(-1)?.results).toMatchObject([{ isError: false }]);
    const steps = timeline(project).filter(({ changes }) => (changes ?? []).some(({ path }) => path === 'ours.txt'));
    expect(steps).toMatchObject([{ trigger: 'edit', toolCall: 'toolu_1_0' }]);
    expect(timeline(project).map(({ trigger }) => trigger)).toEqual(['session', 'prompt', 'edit']);
  });

  it('is informed when its work is reverted by others', async () => {
    const project = hookedProject(claude);
    const ran = await project.work(
      script(
        { calls: [write(project.at('gone.txt'), 'gone\n')] },
        { calls: [shell('echo on > on.txt')], meanwhile: `${savepoint} restore last~1 --exact --yes` },
        { calls: [shell('echo further > further.txt')] },
        done,
      ),
      options,
    );
    const last = ran.seen.at(-1)?.allText ?? '';
    expect(last).toMatch(/restore/i);
    expect(last).toContain('gone.txt');
  });
});
