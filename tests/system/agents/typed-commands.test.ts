/** Commands of Savepoint that are typed at the prompt of real agents. The hook answers, and the model is not asked. */
import { describe, expect, it } from 'vitest';
import { hookedProject } from '../../agents/agent-project.ts';
import { ACCEPT, claude } from '../../agents/claude.ts';
import { codex } from '../../agents/codex.ts';
import { copilot } from '../../agents/copilot.ts';
import { gemini } from '../../agents/gemini.ts';
import { whyNot } from '../../agents/hooked.ts';
import { opencode } from '../../agents/opencode.ts';
import type { AgentProgram } from '../../agents/program.ts';
import { timeline } from '../../agents/timeline.ts';

interface Case {
  readonly program: AgentProgram;
  readonly options?: readonly string[];
  readonly prompt: string;
  /** For the command alone. */
  readonly more?: readonly string[];
  /** Without a terminal, some agents do not print the answer. */
  readonly isShown: boolean;
}

const CASES: readonly Case[] = [
  { program: claude, options: ACCEPT, prompt: '/savepoint:rewind 1', isShown: true },
  { program: codex, prompt: '$savepoint-rewind 1', isShown: false },
  { program: gemini, prompt: '/savepoint:rewind 1', isShown: true },
  { program: copilot, prompt: '/savepoint-rewind 1', isShown: true },
  { program: opencode, prompt: '1', more: ['--command', 'savepoint:rewind'], isShown: false },
];

const NAMED = CASES.map((one) => [one.program.name, one] as const);

describe.skipIf(whyNot !== null)('a command typed at the prompt', () => {
  it.each(NAMED)(
    'of %s is carried out without its model',
    async (_, { program, options = [], prompt, more = [], isShown }) => {
      const project = hookedProject(program);
      const steps = [{ calls: [program.write(project.at('new.txt'), 'new\n')] }, { text: 'Done.' }];
      const first = await project.work([{ marker: '', steps }], { args: options });
      expect(first.seen.length).toBeGreaterThan(0);
      // Its menu costs no tokens either.
      for (const { allText } of first.seen) expect(allText).not.toContain('Savepoint: ');
      expect(project.read('new.txt')).toBe('new\n');
      const prompts = (): number => timeline(project).filter(({ trigger }) => trigger === 'prompt').length;
      const before = prompts();

      const ran = await project.work([{ marker: '', steps }], { args: [...options, ...more] }, prompt);
      expect(ran.seen).toEqual([]);
      expect(project.has('new.txt')).toBe(false);
      if (isShown) expect(`${ran.stdout}${ran.stderr}`).toContain('Restored cp_');
      const last = timeline(project).findLast(({ trigger }) => trigger === 'restore');
      expect(last?.actor).toMatchObject({ kind: 'user' });
      expect(prompts()).toBe(before);
    },
  );
});
