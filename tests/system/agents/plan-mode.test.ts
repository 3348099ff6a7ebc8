import { gitFingerprint, manifest, whyNoOverlays } from '@savepoint/testkit';
import { main } from '@savepoint/testkit/command';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AgentProject, hookedProject } from '../../agents/agent-project.ts';
import { ACCEPT, claude } from '../../agents/claude.ts';
import { cline } from '../../agents/cline.ts';
import { codex } from '../../agents/codex.ts';
import { resumableCopilot } from '../../agents/copilot.ts';
import { gemini } from '../../agents/gemini.ts';
import { whyNot } from '../../agents/hooked.ts';
import type { PlannedCall, Step } from '../../agents/model/plan.ts';
import { opencode } from '../../agents/opencode.ts';
import type { AgentProgram } from '../../agents/program.ts';
import { installProgram } from '../../agents/programs.ts';
import { timeline } from '../../agents/timeline.ts';

/**
 * The real programs in plan mode. Nothing is written, a person reviews the plan, rejects a hunk and asks for a change, the
 * agent revises it, and it is approved, applied and validated.
 */

const TEST_MS = 10 * 60_000;
const FIRST = 'Improve the texts.';
const SECOND = 'Go on.';
const WORDS = 'Say DEUX, please.';
const COMMENT = 'This should be French.';
const TEXT = Array.from({ length: 30 }, (_, index) => `item ${String(index + 1).padStart(2, '0')}\n`).join('');
const CHECKS = { checks: { own: { command: ['sh', '-c', 'grep -q DEUX book.txt'], kind: 'lint' } } };

interface Tried {
  readonly program: AgentProgram;
  readonly args: readonly string[];
  /** What continues a session. */
  readonly resume: (session: string) => readonly string[];
  /** It refuses text that is not in the file on disk, and reads a file before it edits it. */
  readonly reads: boolean;
  /** The first calls after the prompt with which the words come. */
  readonly asks: readonly PlannedCall[];
}

/** Allows our own tools, too. */
const WITH_MCP = [
  '--permission-mode',
  'acceptEdits',
  '--mcp-config',
  JSON.stringify({ mcpServers: { savepoint: { command: process.execPath, args: [main, 'mcp'] } } }),
  '--allowedTools',
  'Read Write Edit Bash mcp__savepoint__plan_status mcp__savepoint__write_file',
];
/** A client of our server reads what was said about the plan, and cannot write. */
const ASK = [
  { name: 'mcp__savepoint__plan_status', input: { id: 'last' } },
  { name: 'mcp__savepoint__write_file', input: { file_path: 'ours.txt', content: 'ours\n' } },
];

const TRIED: readonly Tried[] = [
  {
    program: claude,
    args: ACCEPT,
    resume: (session) => [...WITH_MCP, '--resume', session],
    reads: true,
    asks: ASK,
  },
  {
    program: codex,
    args: [],
    resume: (session) => ['resume', session],
    reads: false,
    asks: [],
  },
];

/** Every byte of the folder, with ignored files and the index of git. */
const look = ({ dir }: AgentProject) => ({ files: manifest(dir), git: gitFingerprint(dir) });

describe.skipIf(whyNot !== null).each(TRIED.map((one) => [one.program.name, one] as const))(
  '%s in plan mode',
  (_, tried) => {
    const { program, args, resume, reads, asks } = tried;
    it(
      'proposes its edits, revises them as it is asked to, and a person applies them',
      async () => {
        const project = hookedProject(program);
        expect(project.ok('plan', 'mode', 'on').stdout).toContain('Plan mode is on for all sessions');
        project.write('.gitignore', 'ignored.txt\n');
        project.write('ignored.txt', 'mine\n');
        project.write('book.txt', TEXT);
        project.write('.savepoint.json', JSON.stringify(CHECKS));
        project.ok('trust', '--yes');
        const [book, fresh] = [project.at('book.txt'), project.at('new.txt')];
        const before = look(project);
        const steps: readonly Step[] = [
          ...(reads ? [{ calls: [program.read(book)] }] : []),
          { calls: [program.edit(book, 'item 02', 'TWO')] },
          { calls: [program.edit(book, 'item 20', 'TWENTY')] },
          { calls: [program.write(fresh, 'fresh\n')] },
          { calls: [program.shell('rm old.txt; echo out > shell.txt')] },
          { text: 'Proposed.' },
        ];
        const first = await project.work([{ marker: FIRST, isForPrompt: true, steps }], { args }, FIRST);
        expect(first, first.stderr).toMatchObject({ status: 0 });
        expect(look(project)).toEqual(before);
        const texts = first.seen.at(-1)?.results.map(({ text }) => text) ?? [];
        const [edited, again, written, shell] = texts.slice(reads ? 1 : 0);
        expect(edited).toMatch(
          /not applied\. It was recorded as a proposal in plan_[0-9a-f]{8} \(revision 1, changes 1 file\)/,
        );
        expect(again).toContain('(revision 2, changes 1 file)');
        expect(written).toContain('(revision 3, changes 2 files)');
        expect(shell).toContain('the command was not run');

        const session = timeline(project).at(-1)?.session ?? '';
        const [plan] = JSON.parse(project.ok('plan', 'list', '--json').stdout).plans;
        expect(plan).toMatchObject({
          // opencode puts a prompt of several words in quotes.
          intent: expect.stringContaining(FIRST),
          by: { name: program.name },
          status: 'pending',
          totals: { files: 2 },
        });
        project.ok('plan', 'review', plan.id, '--reject', 'book.txt:2');
        project.ok('plan', 'revise', plan.id, '-m', WORDS);
        project.ok('comment', 'add', 'book.txt:2', '--plan', plan.id, COMMENT);
        expect(look(project)).toEqual(before);

        const revised: readonly Step[] = [
          ...asks.map((one) => ({ calls: [one] })),
          ...(reads ? [{ calls: [program.read(book)] }] : []),
          { calls: [program.edit(book, reads ? 'item 02' : 'TWO', 'DEUX')] },
          { text: 'Revised.' },
        ];
        const script = { marker: SECOND, isForPrompt: true, steps: revised };
        const second = await project.work([script], { args: resume(session) }, SECOND);
        expect(second, second.stderr).toMatchObject({ status: 0 });
        expect(look(project)).toEqual(before);
        const [prompted] = second.seen.filter(({ marker }) => marker === SECOND);
        expect(prompted?.allText).toContain(WORDS);
        expect(prompted?.allText).toContain('- book.txt hunk 2');
        // With the prompt, and not again with the calls after it.
        expect(second.seen.at(-1)?.allText.split(COMMENT)).toHaveLength(2);
        expect(prompted?.allText).toMatch(
          /book\.txt, line 2, of your plan plan_[0-9a-f]{8}:\n> TWO\nThis should be French\./,
        );
        expect(JSON.parse(project.ok('comment', 'list', '--json').stdout).comments).toMatchObject([
          { status: 'sent', agent: program.name, sent: { agent: program.name } },
        ]);

        const [asked, wrote] = asks.length === 0 ? [] : (second.seen.at(-1)?.results ?? []).slice(-4);
        expect(asked?.text ?? WORDS).toContain(WORDS);
        expect(wrote?.text ?? 'Plan mode is on').toContain('Plan mode is on');

        const shown = JSON.parse(project.ok('plan', 'show', plan.id, '--patch', '--json').stdout);
        expect(shown).toMatchObject({ status: 'pending', revision: 4, rejected: 1 });
        project.ok('plan', 'review', plan.id, '--approve', shown.fingerprint);
        const applied = JSON.parse(project.ok('plan', 'apply', plan.id, '--yes', '--validate', 'own', '--json').stdout);
        expect(applied.steps).toMatchObject([{ failed: false, checks: [{ name: 'own' }] }]);
        expect(project.read('book.txt')).toBe(TEXT.replace('item 02', 'DEUX'));
        expect(project.read('new.txt')).toBe('fresh\n');
        expect(project.has('shell.txt')).toBe(false);
        expect(project.read('old.txt')).toBe('old\n');
      },
      TEST_MS,
    );
  },
);

/** Programs whose plans are made at the same time in one project. */
const AT_ONCE: readonly AtOnce[] = [
  { program: gemini, resume: (session) => ['--resume', session], repeats: 2 },
  { program: opencode, resume: (session) => ['--session', session], repeats: 1 },
  { program: resumableCopilot, resume: (session) => ['--resume', session], repeats: 1 },
  { program: cline, resume: null, repeats: 1 },
];

interface PlanJson {
  readonly id: string;
  readonly by: { readonly name: string };
  readonly revision: number;
  readonly fingerprint: string;
}

interface AtOnce {
  readonly program: AgentProgram;
  /** What continues a session. Null: it takes a refused call as the end of its run, and a session continues without a prompt. */
  readonly resume: Tried['resume'] | null;
  /** How often it sends each result of an earlier run. */
  readonly repeats: number;
}

describe.skipIf(whyNot !== null)('other programs in plan mode, in one project', () => {
  it(
    'propose their edits, revise them as each is asked to, and a person applies them all',
    async () => {
      const project = new AgentProject(gemini);
      onTestFinished(() => project.remove());
      for (const { program } of AT_ONCE) {
        program.prepare({ project: project.dir, home: project.home }, installProgram(program.name));
        project.ok('install', program.name, '--project');
      }
      project.write('book.txt', TEXT);
      project.ok('plan', 'mode', 'on');
      // Some of them keep states of their own in the repository and beside their settings.
      const files = () => project.files((path) => !path.startsWith('.'));
      const before = files();
      const lineOf = (program: AgentProgram, plus: number) => {
        const line = AT_ONCE.findIndex((one) => one.program === program) * 7 + plus;
        return `item ${String(line).padStart(2, '0')}`;
      };
      const stepsOf = (program: AgentProgram): readonly Step[] => [
        { calls: [program.read(project.at('book.txt'))] },
        { calls: [program.edit(project.at('book.txt'), lineOf(program, 2), `${program.name} two`)] },
        { calls: [program.shell('echo out > shell.txt')] },
      ];
      const end = { text: 'Proposed.' };
      const runs = await Promise.all(
        AT_ONCE.map(({ program }) =>
          project.work([{ marker: '', steps: [...stepsOf(program), end] }], { program }, FIRST),
        ),
      );
      for (const [index, { status, stdout, stderr, seen }] of runs.entries()) {
        const name = AT_ONCE[index]?.program.name;
        expect({ name, status, stderr }).toMatchObject({ name, status: 0 });
        if (AT_ONCE[index]?.resume === null) {
          expect(stdout).toContain('"type":"run_aborted"');
          continue;
        }
        const [, edited, shell] = seen.at(-1)?.results.map(({ text }) => text) ?? [];
        expect(edited).toContain('It was recorded as a proposal in plan_');
        expect(shell).toContain('the command was not run');
      }
      expect(files()).toEqual(before);

      const { sessions } = JSON.parse(project.ok('sessions', '--json').stdout);
      const plans = () => {
        const found: readonly PlanJson[] = JSON.parse(project.ok('plan', 'list', '--json').stdout).plans;
        return AT_ONCE.map((one) => ({ ...one, plan: found.find(({ by }) => by.name === one.program.name) }));
      };
      for (const { program, plan } of plans())
        project.ok('plan', 'revise', plan?.id ?? '', '-m', `${program.name}, say DEUX.`);
      const again = await Promise.all(
        AT_ONCE.flatMap(({ program, resume, repeats }) => {
          if (resume === null) return [];
          const session = sessions.find((one: { actor: { name: string } }) => one.actor.name === program.name)?.id;
          const earlier = Array.from({ length: repeats }, () => stepsOf(program)).flat();
          const all = [
            ...earlier,
            { calls: [program.edit(project.at('book.txt'), lineOf(program, 4), `${program.name} DEUX`)] },
            end,
          ];
          return [project.work([{ marker: '', steps: all }], { program, args: resume(session) }, SECOND)];
        }),
      );
      for (const [index, { status, stderr, seen }] of again.entries()) {
        const name = AT_ONCE[index]?.program.name;
        expect({ name, status, stderr }).toMatchObject({ name, status: 0 });
        const text = seen.at(-1)?.allText ?? '';
        for (const other of AT_ONCE)
          expect([name, text.includes(`${other.program.name}, say DEUX.`)]).toEqual([
            name,
            other.program.name === name,
          ]);
      }
      expect(files()).toEqual(before);

      let book = TEXT;
      for (const { program, resume, plan } of plans()) {
        expect([program.name, plan?.revision]).toEqual([program.name, resume === null ? 1 : 2]);
        project.ok('plan', 'review', plan?.id ?? '', '--approve', plan?.fingerprint ?? '');
        project.ok('plan', 'apply', plan?.id ?? '', '--rebase', '--yes');
        book = book.replace(lineOf(program, 2), `${program.name} two`);
        if (resume !== null) book = book.replace(lineOf(program, 4), `${program.name} DEUX`);
        expect(project.read('book.txt')).toBe(book);
      }
      expect(project.has('shell.txt')).toBe(false);
    },
    TEST_MS,
  );
});

const isolated = (program: AgentProgram, ...options: readonly string[]): AgentProgram => ({
  ...program,
  command: (...given) => [process.execPath, main, 'run', '--isolated', ...options, '--', ...program.command(...given)],
});

describe.skipIf(whyNot !== null || whyNoOverlays() !== null)('claude, isolated for a plan', () => {
  it(
    'works with its shell, and revises its plan in another copy as it is asked to',
    async () => {
      const project = hookedProject(isolated(claude, '--plan', '-m', FIRST));
      project.write('.gitignore', 'ignored.txt\n');
      project.write('ignored.txt', 'mine\n');
      project.ok('checkpoint');
      const before = look(project);
      const { read, edit, shell } = claude;
      const [lib, keep] = [project.at('src/lib.txt'), project.at('keep.txt')];
      const steps: readonly Step[] = [
        { calls: [shell('sed -i s/two/TWO/ keep.txt; git add -A; rm ignored.txt')] },
        { calls: [read(lib)] },
        { calls: [edit(lib, 'beta', 'BETA')] },
        { text: 'Done.' },
      ];
      const ran = await project.work([{ marker: '', steps }], { args: ACCEPT }, FIRST);
      expect(ran, ran.stderr).toMatchObject({ status: 0 });
      expect(look(project)).toEqual(before);
      expect(ran.seen.at(-1)?.allText).toContain('What you change there becomes a plan');
      const [plan] = JSON.parse(project.ok('plan', 'list', '--json').stdout).plans;
      expect(plan).toMatchObject({ intent: FIRST, source: 'isolated', by: { name: 'claude' }, totals: { files: 3 } });
      project.ok('plan', 'review', plan.id, '--reject', 'src/lib.txt');
      project.ok('plan', 'revise', plan.id, '-m', WORDS);

      const program = isolated(claude, '--revise', plan.id);
      const args = [...ACCEPT, '--resume', JSON.parse(ran.stdout).session_id];
      const revised = [{ calls: [read(keep)] }, { calls: [edit(keep, 'TWO', 'DEUX')] }, { text: 'Revised.' }];
      const script = { marker: SECOND, isForPrompt: true, steps: revised };
      const again = await project.work([script], { args, program }, SECOND);
      expect(again, again.stderr).toMatchObject({ status: 0 });
      expect(look(project)).toEqual(before);
      const { allText = '' } = again.seen.find(({ marker }) => marker === SECOND) ?? {};
      expect(allText).toContain(WORDS);
      expect(allText).toMatch(/rejected these parts of your plan .*\n- src\/lib\.txt/);
      const shown = JSON.parse(project.ok('plan', 'show', plan.id, '--json').stdout);
      expect(shown).toMatchObject({ revision: 2, rejected: 1, prompts: [FIRST, SECOND] });
      project.ok('plan', 'review', plan.id, '--approve', shown.fingerprint);
      project.ok('plan', 'apply', plan.id, '--yes');
      expect(project.read('keep.txt')).toMatch(/^one\nDEUX\n/);
      expect(project.read('src/lib.txt')).toBe('alpha\nbeta\ngamma\n');
    },
    TEST_MS,
  );
});
