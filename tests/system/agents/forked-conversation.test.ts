import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hookedProject } from '../../agents/agent-project.ts';
import { ACCEPT, claude } from '../../agents/claude.ts';
import { codex } from '../../agents/codex.ts';
import { whyNot } from '../../agents/hooked.ts';
import type { Step } from '../../agents/model/plan.ts';
import { timeline } from '../../agents/timeline.ts';

/** Real programs continue in a fork where their conversation was at an earlier prompt. */

const SAID = { text: 'All done.' };
const CASES = [
  { program: claude, resume: '--resume', more: ACCEPT, transcripts: '.claude/projects' },
  { program: codex, resume: 'resume', more: [], transcripts: '.codex/sessions' },
];

describe.skipIf(whyNot !== null).each(CASES)('$program.name in a fork', ({ program, resume, more, transcripts }) => {
  it('continues before a prompt, knows the files of the fork, and leaves the workspace and the original alone', async () => {
    const project = hookedProject(program);
    const say = (words: string, steps: readonly Step[], args: readonly string[], cwd = project.dir) =>
      project.work([{ marker: '', steps: [...steps, SAID] }], { args: [...args, ...more], cwd }, words);
    const first = [{ calls: [program.write(project.at('one.txt'), 'one\n')] }];
    const second = [{ calls: [program.write(project.at('two.txt'), 'two\n')] }];
    await say('Do the FIRST part.', first, []);
    const session = timeline(project)[0]?.session ?? '';
    await say('Do the SECOND part.', [...first, ...second], [resume, session]);
    const projects = join(project.home, transcripts);
    const original = readdirSync(projects, { recursive: true, encoding: 'utf8' })
      .map((name) => join(projects, name))
      .find((name) => name.endsWith(`${session}.jsonl`));
    const before = readFileSync(original ?? '');
    const files = project.files(() => true);

    const created = project.ok('fork', 'create', 'other', '--from', '@prompt', '--conversation', '--json');
    const [fork] = (JSON.parse(created.stdout) as { forks: readonly ForkJson[] }).forks;
    if (fork === undefined) throw new Error(created.stdout);
    const { continue: next, folder } = fork;
    expect(next).toEqual({ session: next.session, command: [program.name, resume, next.session], dir: folder });
    expect(existsSync(join(folder, 'two.txt'))).toBe(false);

    const third = [...first, { calls: [program.write(join(folder, 'three.txt'), 'three\n')] }];
    const { seen, status } = await say('Do it in ANOTHER way.', third, next.command.slice(1), folder);
    const text = seen[0]?.allText ?? '';
    expect([status, text.includes('FIRST part'), text.includes('SECOND part')]).toEqual([0, true, false]);
    const [copy = ''] = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith(`${next.session}.jsonl`),
    );
    const rows = readFileSync(join(projects, copy), 'utf8');
    expect([rows.includes(project.at('one.txt')), rows.includes(join(folder, 'one.txt'))]).toEqual([false, true]);
    expect(readFileSync(join(folder, 'three.txt'), 'utf8')).toBe('three\n');
    expect(project.files(() => true)).toEqual(files);
    expect(readFileSync(original ?? '')).toEqual(before);
    // Its hooks record in the fork: the merge has its author. Codex runs none before a person trusts that folder.
    project.ok('fork', 'merge', 'other', '--yes');
    const merged = timeline(project).find(({ trigger }) => trigger === 'merge');
    expect(merged?.changes?.map(({ path }) => path)).toContain('three.txt');
    expect(JSON.stringify(merged).includes(program.name)).toBe(program.name === 'claude');
  });
});

interface ForkJson {
  readonly folder: string;
  readonly continue: { readonly session: string; readonly command: readonly string[]; readonly dir: string };
}
