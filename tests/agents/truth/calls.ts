/** Turns what an agent wants a tool to do into calls of its program. */

import { type Ability, patchText, type Task } from '@savepoint/testkit/truth';
import type { PlannedCall } from '../model/plan.ts';
import type { AgentProgram } from '../program.ts';

interface Habits {
  readonly can: readonly Ability[];
  /** The option of its edits that replaces all occurrences; null if it has none. */
  readonly all: string | null;
  /** Whether its file tools refuse a file that it has not read. */
  readonly readsFirst: boolean;
}

const HABITS: Readonly<Record<string, Habits>> = {
  claude: { can: ['write', 'edit', 'all', 'shell', 'shell', 'background'], all: 'replace_all', readsFirst: true },
  codex: { can: ['patch', 'shell'], all: null, readsFirst: false },
  gemini: { can: ['write', 'edit', 'all', 'shell', 'shell'], all: 'allow_multiple', readsFirst: false },
  opencode: { can: ['write', 'edit', 'all', 'shell', 'shell'], all: 'replaceAll', readsFirst: true },
};

export function habitsOf({ name }: AgentProgram): Habits {
  const habits = HABITS[name];
  if (habits === undefined) throw new Error(`it is not known what ${name} can do`);
  return habits;
}

/**
 * @param at makes a path absolute
 * @param command of a shell command, with points at which it waits
 */
export function callOf(program: AgentProgram, task: Task, at: (path: string) => string, command: string): PlannedCall {
  switch (task.kind) {
    case 'write':
      return program.write(at(task.path), task.text);
    case 'edit': {
      const [one] = task.edits;
      if (one === undefined) throw new Error('an edit without a replacement');
      const { all } = habitsOf(program);
      const call = program.edit(at(task.path), one.old, one.new);
      return one.all && all !== null ? withInput(call, { [all]: true }) : call;
    }
    case 'patch':
      return { name: 'apply_patch', input: patchText(task.files) };
    case 'shell': {
      const call = program.shell(command);
      if (program.name === 'codex') return withInput(call, { yield_time_ms: 30_000 });
      return task.background ? withInput(call, { run_in_background: true }) : call;
    }
  }
}

function withInput({ name, input }: PlannedCall, more: Readonly<Record<string, unknown>>): PlannedCall {
  if (typeof input === 'string') throw new Error(`${name} takes free text`);
  return { name, input: { ...input, ...more } };
}
