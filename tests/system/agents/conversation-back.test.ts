/** Real agent programs whose conversation goes back: their model receives only what stays of it. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AgentProject, hookedProject } from '../../agents/agent-project.ts';
import { codex } from '../../agents/codex.ts';
import { resumableCopilot } from '../../agents/copilot.ts';
import { gemini } from '../../agents/gemini.ts';
import { whyNot } from '../../agents/hooked.ts';
import type { Plan } from '../../agents/model/plan.ts';
import { opencode } from '../../agents/opencode.ts';
import type { AgentProgram } from '../../agents/program.ts';
import { installProgram } from '../../agents/programs.ts';
import type { ProgramRun } from '../../agents/run.ts';
import { timeline } from '../../agents/timeline.ts';

interface Case {
  readonly program: AgentProgram;
  /** The arguments with which the program continues a session without a terminal. */
  readonly resume: (session: string) => readonly string[];
  /** The command that a user runs, which is interactive. */
  readonly command: (session: string) => readonly string[];
  /** The folder of its transcripts, in the home; null: it has none. */
  readonly transcripts: string | null;
  /** How often it sends each result of an earlier run. */
  readonly repeats: number;
}

const CASES: readonly Case[] = [
  {
    program: codex,
    resume: (session) => ['resume', session],
    command: (session) => ['codex', 'resume', session],
    transcripts: '.codex/sessions',
    repeats: 1,
  },
  {
    program: gemini,
    resume: (session) => ['--resume', session],
    command: (session) => ['gemini', '--resume', session],
    transcripts: '.gemini/tmp',
    repeats: 2,
  },
  {
    program: opencode,
    resume: (session) => ['--session', session],
    command: (session) => ['opencode', '--session', session],
    transcripts: null,
    repeats: 1,
  },
  {
    program: resumableCopilot,
    resume: (session) => ['--resume', session],
    command: (session) => ['copilot', '--resume', session],
    transcripts: '.copilot/session-state',
    repeats: 1,
  },
];

const FIRST = 'Do the first part.';
const SECOND = 'Do the second part.';
const THIRD = 'Do it in another way.';

describe.skipIf(whyNot !== null).each(CASES)('$program.name', ({ program, resume, command, transcripts, repeats }) => {
  it('continues before a prompt, and after a call', async () => {
    const project = hookedProject(program);
    const { write, shell } = program;
    const calls = [
      { calls: [write(project.at('new.txt'), 'line1\n')] },
      { calls: [shell('echo x > shell.txt')] },
      { calls: [shell('echo y > last.txt')] },
    ];
    await project.work(planOf(...calls, { text: 'First done.' }), {}, FIRST);
    const session = timeline(project)[0]?.session ?? '';
    const earlier = Array.from({ length: repeats }, () => calls).flat();
    const more = [{ calls: [write(project.at('second.txt'), 'line1\n')] }, { text: 'Second done.' }];
    await project.work(planOf(...earlier, ...more), { args: resume(session) }, SECOND);
    expect(project.has('second.txt')).toBe(true);
    const files = project.files(() => true);
    const before = sessionFiles(project, transcripts);

    const back = restore(project, '@prompt', '--conversation-only');
    expect(back).toMatchObject({
      conversationRewound: true,
      conversation: {
        // opencode puts a prompt of several words in quotes.
        words: expect.stringContaining(SECOND),
        prompts: 1,
        original: { command: command(session) },
      },
      continue: { command: command(back.continue.session), dir: project.dir },
    });
    expect(back.continue.session).not.toBe(session);
    // Not even the agent's own snapshots were restored.
    expect(project.files(() => true)).toEqual(files);
    const call = timeline(project).find(({ changes }) => changes?.some(({ path }) => path === 'shell.txt'));
    const shorter = restore(project, call?.id ?? '', '--conversation');
    expect([project.has('shell.txt'), project.has('last.txt')]).toEqual([true, false]);
    expect(project.has('second.txt')).toBe(false);
    // The original is as it was. (Gemini CLI itself may remove a resumed session when another one starts.)
    const after = sessionFiles(project, transcripts);
    for (const [path, content] of before) expect(after.get(path)).toBe(content);
    const same = restore(project, call?.id ?? '', '--conversation-only', '--dry-run');
    expect(same.conversation).toEqual({ ...(shorter.conversation as object), only: true });

    const again = planOf({ text: 'Third done.' });
    const third = await project.work(again, { args: resume(back.continue.session) }, THIRD);
    expect(third.status).toBe(0);
    expect(resultsSeen(third)).toBe(3);
    expect(wordsSeen(third)).toEqual([FIRST, 'First done.', THIRD]);
    const fourth = await project.work(again, { args: resume(shorter.continue.session) }, THIRD);
    expect(resultsSeen(fourth)).toBe(2);
    expect(wordsSeen(fourth)).toEqual([FIRST, THIRD]);
  });
});

interface Restored {
  readonly conversation: unknown;
  readonly continue: { readonly session: string };
}

function restore(project: AgentProject, ...args: readonly string[]): Restored {
  const done = project.run(['restore', ...args, '--yes', '--json'], { env: environment(project) });
  expect(done.stderr).toBe('');
  const restored = JSON.parse(done.stdout) as Restored;
  expect(restored.conversation).toMatchObject({ reason: null });
  return restored;
}

/** What the model received with its first request. */
function wordsSeen({ seen }: ProgramRun): readonly string[] {
  const words = [FIRST, 'First done.', SECOND, 'Second done.', THIRD];
  return words.filter((each) => seen[0]?.allText.includes(each));
}

function resultsSeen({ seen }: ProgramRun): number {
  expect(seen).toHaveLength(1);
  return new Set(seen[0]?.results.map(({ call }) => call)).size;
}

function planOf(...steps: Plan[number]['steps']): Plan {
  return [{ marker: '', steps }];
}

/** The files of the agent's sessions, with their contents. */
function sessionFiles(project: AgentProject, folder: string | null): ReadonlyMap<string, string> {
  if (folder === null) return new Map();
  const root = join(project.home, folder);
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name));
  const files = paths.filter((path) => path.endsWith('.jsonl') && statSync(path).isFile());
  return new Map(files.map((path) => [path, readFileSync(path, 'utf8')]));
}

/** With `opencode` on the PATH, in a network of its own. */
function environment(project: AgentProject): Readonly<Record<string, string>> {
  const bin = join(project.base, 'bin');
  mkdirSync(bin, { recursive: true });
  const program = join(installProgram('opencode'), 'node_modules/opencode-linux-x64-baseline/bin/opencode');
  const alone = `#!/bin/sh\nexec unshare --net -- sh -c 'ip link set lo up && exec "$@"' sh '${program}' "$@"\n`;
  writeFileSync(join(bin, 'opencode'), alone, { mode: 0o755 });
  const env = project.agentEnvironment(project.program.env({ project: project.dir, home: project.home }));
  return { ...env, PATH: `${bin}:${env['PATH']}` };
}
