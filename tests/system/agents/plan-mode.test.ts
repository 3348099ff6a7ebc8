import { gitFingerprint, manifest, whyNoOverlays } from '@savepoint/testkit';
import { main } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { type AgentProject, hookedProject } from '../../agents/agent-project.ts';
import { ACCEPT, claude } from '../../agents/claude.ts';
import { codex } from '../../agents/codex.ts';
import { whyNot } from '../../agents/hooked.ts';
import type { PlannedCall, Step } from '../../agents/model/plan.ts';
import type { AgentProgram } from '../../agents/program.ts';

/**
 * The real programs in plan mode. Nothing is written, a person reviews the plan, rejects a hunk and asks for a change, the
 * agent revises it, and it is approved, applied and validated.
 */

const TEST_MS = 10 * 60_000;
const FIRST = 'Improve the texts.';
const SECOND = 'Go on.';
const WORDS = 'Say DEUX, please.';
const TEXT = Array.from({ length: 30 }, (_, index) => `item ${String(index + 1).padStart(2, '0')}\n`).join('');
const CHECKS = { checks: { own: { command: ['sh', '-c', 'grep -q DEUX book.txt'], kind: 'lint' } } };

interface Tried {
  readonly program: AgentProgram;
  readonly args: readonly string[];
  /** What continues the conversation of a run. */
  readonly resume: (stdout: string) => readonly string[];
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
    resume: (stdout) => [...WITH_MCP, '--resume', JSON.parse(stdout).session_id],
    reads: true,
    asks: ASK,
  },
  {
    program: codex,
    args: [],
    resume: (stdout) => ['resume', /"thread_id":"([^"]+)"/.exec(stdout)?.[1] ?? ''],
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

        const [plan] = JSON.parse(project.ok('plan', 'list', '--json').stdout).plans;
        expect(plan).toMatchObject({
          intent: FIRST,
          by: { name: program.name },
          status: 'pending',
          totals: { files: 2 },
        });
        project.ok('plan', 'review', plan.id, '--reject', 'book.txt:2');
        project.ok('plan', 'revise', plan.id, '-m', WORDS);
        expect(look(project)).toEqual(before);

        const revised: readonly Step[] = [
          ...asks.map((one) => ({ calls: [one] })),
          ...(reads ? [{ calls: [program.read(book)] }] : []),
          { calls: [program.edit(book, reads ? 'item 02' : 'TWO', 'DEUX')] },
          { text: 'Revised.' },
        ];
        const script = { marker: SECOND, isForPrompt: true, steps: revised };
        const second = await project.work([script], { args: resume(first.stdout) }, SECOND);
        expect(second, second.stderr).toMatchObject({ status: 0 });
        expect(look(project)).toEqual(before);
        const [prompted] = second.seen.filter(({ marker }) => marker === SECOND);
        expect(prompted?.allText).toContain(WORDS);
        expect(prompted?.allText).toContain('- book.txt hunk 2');

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

const isolated: AgentProgram = {
  ...codex,
  command: (...given) => [
    process.execPath,
    main,
    'run',
    '--isolated',
    '--plan',
    '-m',
    FIRST,
    '--',
    ...codex.command(...given),
  ],
};

describe.skipIf(whyNot !== null || whyNoOverlays() !== null)('codex, isolated for a plan', () => {
  it(
    'works with its shell, and what it changed is a plan',
    async () => {
      const project = hookedProject(isolated);
      project.write('.gitignore', 'ignored.txt\n');
      project.write('ignored.txt', 'mine\n');
      project.ok('checkpoint');
      const before = look(project);
      const steps: readonly Step[] = [
        { calls: [codex.shell('sed -i s/two/TWO/ keep.txt; git add -A; rm ignored.txt')] },
        { calls: [codex.edit(project.at('src/lib.txt'), 'beta', 'BETA')] },
        { text: 'Done.' },
      ];
      const ran = await project.work([{ marker: '', steps }]);
      expect(ran, ran.stderr).toMatchObject({ status: 0 });
      expect(look(project)).toEqual(before);
      const [plan] = JSON.parse(project.ok('plan', 'list', '--json').stdout).plans;
      expect(plan).toMatchObject({ intent: FIRST, source: 'isolated', totals: { files: 3 } });
    },
    TEST_MS,
  );
});
