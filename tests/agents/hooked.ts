import type { Manifest } from '@savepoint/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProject, type AgentRunOptions } from './agent-project.ts';
import type { Plan } from './model/plan.ts';
import type { AgentProgram } from './program.ts';
import { type ProgramRun, whyNoNetwork } from './run.ts';
import { inOneLine, type TimelineStep, timeline } from './timeline.ts';

export interface Hooked {
  readonly program: AgentProgram;
  /** Options with which the program does not ask for permission. */
  readonly options: AgentRunOptions;
  /** Where the hooks are configured in the project; the first part of the path. */
  readonly settings: string;
}

/** Why the programs cannot be run here, or null. The reason is printed, because a skip is easily overlooked. */
export const whyNot = whyNoNetwork();
if (whyNot !== null) console.warn(`no agent program is run: ${whyNot}`);

const FINISH = 'All done.';
/** Time for an installation that is not cached yet, and two runs. */
const SETUP_MS = 15 * 60_000;

/**
 * The work that every agent does here: its own tools, several kinds of shell calls, and a user who works at the same
 * time.
 */
function ordinaryWork({
  program,
  at,
}: {
  readonly program: AgentProgram;
  readonly at: (file: string) => string;
}): Plan {
  const { write, read, edit, shell } = program;
  const steps = [
    { calls: [write(at('new.txt'), 'line1\nline2\n')] },
    { calls: [read(at('keep.txt'))] },
    { calls: [edit(at('keep.txt'), 'two', 'TWO')] },
    { calls: [shell('sed -i s/beta/BETA/ src/lib.txt')] },
    {
      meanwhile: `echo mine > user.txt; sed -i s/nine/NINE/ keep.txt`,
      calls: [shell("cat > here.txt <<'END'\nfrom a here-document\nEND")],
    },
    { calls: [shell(`python3 -c "open('python.txt', 'w').write('python')"`)] },
    { calls: [shell('rm old.txt')] },
    { calls: [shell('mv moved.txt renamed.txt')] },
    { calls: [shell('echo worse >> spoilt.txt')] },
    { calls: [shell('git checkout -- spoilt.txt')] },
    { calls: [shell('echo a > a.txt; sleep 0.3'), shell('echo b > b.txt; sleep 0.3')] },
    { text: FINISH },
  ];
  return [{ marker: '', steps }];
}

/** The guarantees for every agent with installed hooks, tested with the real program. */
export function describeHooked({ program, options, settings }: Hooked): void {
  describe.skipIf(whyNot !== null)(`${program.name}, hooked`, () => {
    const projects: AgentProject[] = [];
    let plain: Done;
    let hooked: Done;
    let steps: readonly TimelineStep[] = [];
    const isOfProject = (path: string): boolean => path.split('/')[0] !== settings;

    beforeAll(async () => {
      const run = async (prepare: (project: AgentProject) => void): Promise<Done> => {
        const project = new AgentProject(program);
        projects.push(project);
        prepare(project);
        const ran = await project.work(ordinaryWork({ program, at: (file) => project.at(file) }), options);
        return { project, ran, files: project.files(isOfProject) };
      };
      plain = await run(() => {});
      hooked = await run((project) => project.ok('install', program.name, '--project'));
      steps = timeline(hooked.project);
      console.log(`${program.name}: ${plain.ran.seconds} s without hooks, ${hooked.ran.seconds} s with them`);
    }, SETUP_MS);
    afterAll(() => {
      for (const project of projects) project.remove();
    });

    it('behaves as it does without hooks', () => {
      expect(plain.ran).toMatchObject({ status: 0, signal: null });
      expect(plain.ran.stdout).toContain(FINISH);
      expect(behaviour(hooked)).toEqual(behaviour(plain));
      expect(hooked.files).toEqual(plain.files);
    });

    it('has a checkpoint of the start, of the prompt and of every call that changed something, and no other', () => {
      const { write, edit, shell } = program.tools;
      const by = (tool: string): string => `(${program.name} ${tool})`;
      const lines = steps.map((step) => inOneLine(step, isOfProject));
      const apart = [
        'session',
        'prompt',
        `call ${write}: create new.txt ${by(write)}`,
        `call ${edit}: patch keep.txt ${by(edit)}`,
        `call ${shell}: write src/lib.txt ${by(shell)}`,
        'before: create user.txt (outside), write keep.txt (outside)',
        `call ${shell}: create here.txt ${by(shell)}`,
        `call ${shell}: create python.txt ${by(shell)}`,
        `call ${shell}: delete old.txt ${by(shell)}`,
        `call ${shell}: rename moved.txt to renamed.txt ${by(shell)}`,
        `call ${shell}: write spoilt.txt ${by(shell)}`,
        `call ${shell}: write spoilt.txt ${by(shell)}`,
      ];
      expect(lines.slice(0, apart.length)).toEqual(apart);
      const together = lines.slice(apart.length);
      expect([1, 2]).toContain(together.length);
      // Parallel calls: it is random which call is found to have written which file, but the agent is certain.
      expect(together.join('\n')).toMatch(new RegExp(`create a.txt \\(${program.name} ${shell}`));
      expect(together.join('\n')).toMatch(new RegExp(`create b.txt \\(${program.name} ${shell}`));
      expect(together.join('\n')).not.toMatch(/outside|perhaps/);
    });

    it('names the session, the prompt and the call of every change', () => {
      const calls = steps.filter(({ trigger }) => trigger === 'call');
      expect(new Set(steps.map(({ session }) => session)).size).toBe(1);
      expect(steps[0]?.session).toMatch(/\S/);
      // opencode puts a prompt of several words in quotes.
      const prompts = new Set(calls.map(({ conversation }) => conversation?.lastUser?.replaceAll('"', '')));
      expect(prompts).toEqual(new Set(['Do what is planned.']));
      for (const { toolCall, session, changes } of calls) {
        // One capture may find the work of both parallel calls. The words of their commands tell them apart.
        const isParallel = changes?.some(({ path }) => ['a.txt', 'b.txt'].includes(path)) === true;
        for (const { authors } of changes ?? []) {
          expect(authors).toContainEqual(expect.objectContaining({ session, call: expect.any(String) }));
          if (authors.length === 1 && !isParallel) expect(authors[0]?.call).toBe(toolCall);
        }
      }
      if (!program.tellsCallIds) return;
      const reported = hooked.ran.seen.at(-1)?.results.map(({ call }) => call) ?? [];
      expect(calls.filter(({ toolCall }) => !reported.includes(toolCall ?? ''))).toEqual([]);
    });

    it('records where the conversation stood, if the agent names its transcript', () => {
      const positions = steps.filter(({ trigger }) => trigger !== 'before').map(({ conversation }) => conversation);
      const counts = positions.map((position) => position?.messages ?? null);
      if (program.transcriptModel === null) return expect(new Set(counts)).toEqual(new Set([null]));
      const known = counts.filter((count) => count !== null);
      expect(known).toEqual([...known].sort((a, b) => a - b));
      // At least six of the calls have changed something before the last ones.
      expect(known.at(-1)).toBeGreaterThan(6 * program.messagesPerCall);
      expect(positions.at(-1)?.model).toBe(program.transcriptModel);
    });

    it('is rolled back completely, and changes by the user stay', () => {
      const { project } = hooked;
      const preview = project.ok('rollback', '--agent', program.name, '--likely', '--dry-run').stdout;
      for (const path of ['new.txt', 'keep.txt', 'src/lib.txt', 'old.txt', 'moved.txt', 'a.txt', 'b.txt']) {
        expect(preview).toContain(path);
      }
      expect(project.files(isOfProject)).toEqual(hooked.files);
      project.ok('rollback', '--agent', program.name, '--likely', '--yes');
      const list = project.git('ls-files', '--cached', '--others', '--exclude-standard').trim().split('\n');
      expect(list.filter((path) => isOfProject(path) && project.has(path)).sort()).toEqual([
        'keep.txt',
        'moved.txt',
        'old.txt',
        'spoilt.txt',
        'src/lib.txt',
        'user.txt',
      ]);
      expect(project.read('keep.txt')).toBe('one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nNINE\nten\n');
      expect(project.read('src/lib.txt')).toBe('alpha\nbeta\ngamma\n');
      expect(project.read('user.txt')).toBe('mine\n');
      expect(project.ok('rollback', '--agent', program.name, '--likely', '--yes').stdout).toContain(
        'Nothing to roll back',
      );
      project.ok('undo', '--yes');
      expect(project.files(isOfProject)).toEqual(hooked.files);
    });

    it(
      'does not change frozen paths, and continues',
      async () => {
        const project = new AgentProject(program);
        projects.push(project);
        project.ok('install', program.name, '--project');
        project.ok('freeze', 'keep.txt', 'src');
        const before = [project.read('keep.txt'), project.read('src/lib.txt')];
        const { read, edit, shell } = program;
        const steps = [
          { calls: [read(project.at('keep.txt'))] },
          { calls: [edit(project.at('keep.txt'), 'two', 'TWO')] },
          { calls: [shell('echo worse >> src/lib.txt; echo more > more.txt')] },
          { text: FINISH },
        ];
        const ran = await project.work([{ marker: '', steps }], options);
        expect(ran).toMatchObject({ status: 0, signal: null });
        expect(ran.stdout).toContain(FINISH);
        expect([project.read('keep.txt'), project.read('src/lib.txt')]).toEqual(before);
        expect(project.read('more.txt')).toBe('more\n');
        const reported = ran.seen.map((request) => JSON.stringify(request)).join('\n');
        expect(reported).toMatch(/keep\.txt[^\n]*frozen|frozen[^\n]*keep\.txt/);
      },
      SETUP_MS,
    );
  });
}

interface Done {
  readonly project: AgentProject;
  readonly ran: ProgramRun;
  readonly files: Manifest;
}

/** What an outside observer can see of a program's run, without what differs from run to run. */
function behaviour({ project, ran: { status, signal, seen, leftBehind, trouble } }: Done) {
  const requests = seen.map(({ marker, step, tools, results }) => ({ marker, step, tools, results: results.length }));
  const results = (seen.at(-1)?.results ?? []).map(({ text, isError }) => ({ isError, text: steady(text, project) }));
  // A daemon outlives its agent and ends on its own.
  const others = leftBehind.filter((command) => !command.endsWith(' daemon run'));
  return { status, signal, requests, results: results.toSorted(byText), leftBehind: others, trouble };
}

function byText(a: { readonly text: string }, b: { readonly text: string }): number {
  return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
}

/** Replaces temporary folders, times and process ids. */
function steady(text: string, { base }: AgentProject): string {
  return text
    .replaceAll(base, '…')
    .replace(/(Wall time: )[\d.]+/g, '$1…')
    .replace(/(Chunk ID: )\w+/g, '$1…')
    .replace(/(PGID: )\d+/g, '$1…');
}
