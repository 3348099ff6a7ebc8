/**
 * Agents that are killed while their shell command runs: what a person does afterwards is never the agent's. Half of the
 * signals go to the agent's process alone, and half to its group, as a terminal does.
 */
import { main } from '@savepoint/testkit/command';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { AgentProject } from '../../agents/agent-project.ts';
import { ACCEPT, claude } from '../../agents/claude.ts';
import { cline } from '../../agents/cline.ts';
import { codex } from '../../agents/codex.ts';
import { copilot } from '../../agents/copilot.ts';
import { gemini } from '../../agents/gemini.ts';
import { whyNot } from '../../agents/hooked.ts';
import { opencode } from '../../agents/opencode.ts';
import type { AgentProgram } from '../../agents/program.ts';
import { type TimelineChange, timeline } from '../../agents/timeline.ts';

const SAVEPOINT = `'${process.execPath}' '${main}'`;
/** Time for an installation that is not cached yet, and the runs. */
const TIMEOUT_MS = 15 * 60_000;

const SIGNALS = [
  { name: 'SIGKILL', alone: true },
  { name: 'SIGTERM', alone: true },
  { name: 'SIGHUP', alone: false },
  { name: 'SIGINT', alone: false },
] as const;

// The programs wait most of the time. Each runs four times at once.
vi.setConfig({ maxConcurrency: 2 });

const projects: AgentProject[] = [];
afterAll(() => {
  for (const project of projects) project.remove();
});

interface Killed {
  readonly project: AgentProject;
  /** How the program ended, for the message of a failure. */
  readonly ended: string;
}

async function killed(program: AgentProgram, signal: (typeof SIGNALS)[number]): Promise<Killed> {
  const project = new AgentProject(program);
  projects.push(project);
  // In a project, opencode waits a minute for the network before it loads a plugin.
  project.ok('install', program.name, program === opencode ? '--user' : '--project');
  const at = (file: string): string => `${project.base}/${file}`;
  const command = signal.name === 'SIGKILL' ? survivor(at) : BEGUN;
  // The file appears complete, since it is what the signal waits for.
  const shell = `echo $$ > ${at('shell')}; ${command}; echo $PPID > ${at('new')}; mv ${at('new')} ${at('agent')}; sleep 90`;
  const ran = await project.work([{ marker: '', steps: [{ calls: [program.shell(shell)] }, { text: 'All done.' }] }], {
    args: program === claude ? ACCEPT : [],
    signal: { when: at('agent'), ...signal },
    // The command ends as well: what it still did would be the agent's.
    afterwards: `kill -s KILL -- -$(cat ${at('shell')}) 2> /dev/null || true\n${FIRST}${signal.name === 'SIGKILL' ? letGo(at) : ''}${SECOND}`,
  });
  expect(project.has('begun.txt'), `${ran.stdout}${ran.stderr}`).toBe(true);
  return { project, ended: `${program.name} ${signal.name}: ${ran.status} ${ran.signal}` };
}

const BEGUN = 'echo begun > begun.txt';
const FIRST = `
echo mine > first.txt
sed -i s/nine/NINE/ keep.txt
${SAVEPOINT} checkpoint
`;
const SECOND = `
echo mine > second.txt
sed -i s/ten/TEN/ keep.txt
${SAVEPOINT} checkpoint
`;

/** A command that outlives its agent, and writes when it is allowed to. */
function survivor(at: (file: string) => string): string {
  const loop = `echo $$ > ${at('left')}; while [ ! -e ${at('go')} ]; do sleep 0.1; done; echo late > late.txt`;
  return `${BEGUN}; setsid sh -c '${loop}' > /dev/null 2>&1 & while [ ! -s ${at('left')} ]; do sleep 0.1; done`;
}

/** The surviving command writes, and ends. */
function letGo(at: (file: string) => string): string {
  return `touch ${at('go')}; while kill -0 $(cat ${at('left')}) 2> /dev/null; do sleep 0.1; done; ${SAVEPOINT} checkpoint`;
}

/** `first.txt by outside (sure)` for each change of these paths, oldest first. */
function authorsOf(project: AgentProject, ...paths: readonly string[]): readonly string[] {
  const changes = timeline(project).flatMap((step) => step.changes ?? []);
  return changes.filter(({ path }) => paths.includes(path)).map(inWords);
}

function inWords({ path, authors, grade }: TimelineChange): string {
  return `${path} by ${[...new Set(authors.map(({ actor }) => actor.name))].toSorted().join(' or ')} (${grade})`;
}

describe.skipIf(whyNot !== null)('an agent that is killed during a shell call', () => {
  for (const program of [cline, opencode, claude, gemini, codex, copilot]) {
    it.concurrent(
      `${program.name} is never the author of what a person does afterwards`,
      async () => {
        const all = SIGNALS.map((signal) => killed(program, signal));
        for (const { project, ended } of await Promise.all(all)) {
          const [first, ...later] = authorsOf(project, 'first.txt', 'keep.txt', 'second.txt');
          // It is not known when the agent died: before the first changes, or after them.
          const both = `by ${[program.name, 'outside'].toSorted().join(' or ')} (open)`;
          expect([`first.txt ${both}`, 'first.txt by outside (sure)'], ended).toContain(first);
          expect([`keep.txt ${both}`, 'keep.txt by outside (sure)'], ended).toContain(later[0]);
          expect(later.slice(1), ended).toEqual(['keep.txt by outside (sure)', 'second.txt by outside (sure)']);
          for (const more of [[], ['--likely']]) {
            const { status, stdout, stderr } = project.run(['rollback', '--agent', program.name, '--yes', ...more]);
            expect([0, 5], `${ended}\n${stdout}${stderr}`).toContain(status);
            expect(project.read('keep.txt'), ended).toMatch(/NINE\nTEN\n$/);
            expect([project.read('first.txt'), project.read('second.txt')], ended).toEqual(['mine\n', 'mine\n']);
          }
        }
      },
      TIMEOUT_MS,
    );
  }
});
