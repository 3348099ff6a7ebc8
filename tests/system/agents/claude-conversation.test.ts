import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AgentProject } from '../../agents/agent-project.ts';
import { ACCEPT, claude } from '../../agents/claude.ts';
import { whyNot } from '../../agents/hooked.ts';
import type { Step } from '../../agents/model/plan.ts';
import type { ProgramRun } from '../../agents/run.ts';
import { type TimelineStep, timeline } from '../../agents/timeline.ts';

/** The real program, whose conversation goes back with the files. */

const { write, shell } = claude;
const SAID = { text: 'All done.' };

interface RestoredJson {
  readonly conversation: {
    readonly original: { readonly command: readonly string[] };
  };
  readonly conversationRewound: boolean;
  readonly continue: { readonly session: string; readonly command: readonly string[]; readonly dir: string };
}

/** Two prompts, each with an edit by a tool and by a shell. The first also has two calls at once. */
class TwoPrompts {
  readonly project = new AgentProject(claude);
  readonly first: readonly Step[];
  readonly second: readonly Step[];
  session = '';

  constructor() {
    this.project.ok('install', claude.name, '--project');
    const at = (name: string): string => this.project.at(name);
    const together = [shell('echo a > a.txt'), shell('sleep 1; echo late > late.txt')];
    this.first = [{ calls: [write(at('one.txt'), 'one\n')] }, { calls: together }];
    this.second = [{ calls: [write(at('two.txt'), 'two\n')] }, { calls: [shell('rm one.txt; echo b > b.txt')] }];
  }

  async run(): Promise<this> {
    await this.say('Do the FIRST part.', this.first, []);
    this.session = timeline(this.project)[0]?.session ?? '';
    await this.say('Do the SECOND part.', [...this.first, ...this.second], ['--resume', this.session]);
    return this;
  }

  say(words: string, steps: readonly Step[], args: readonly string[]): Promise<ProgramRun> {
    const plan = [{ marker: '', steps: [...steps, SAID] }];
    return this.project.work(plan, { args: [...args, ...ACCEPT] }, words);
  }

  restore(...args: readonly string[]): RestoredJson {
    return JSON.parse(this.project.ok('restore', ...args, '--yes', '--json').stdout) as RestoredJson;
  }

  get transcripts(): readonly string[] {
    const projects = join(this.project.home, '.claude/projects');
    return readdirSync(projects).flatMap((folder) =>
      readdirSync(join(projects, folder))
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => join(projects, folder, name)),
    );
  }

  transcript(session: string): string {
    return this.transcripts.find((path) => path.endsWith(`${session}.jsonl`)) ?? '';
  }
}

describe.skipIf(whyNot !== null)('claude, whose conversation goes back', () => {
  let game: TwoPrompts;
  let original = Buffer.alloc(0);
  const found = { first: '', second: '', parallel: '' };
  const idOf = (isWanted: (step: TimelineStep) => boolean): string => timeline(game.project).find(isWanted)?.id ?? '';

  beforeAll(async () => {
    game = await new TwoPrompts().run();
    original = readFileSync(game.transcript(game.session));
    found.first = idOf(
      ({ trigger, conversation }) => trigger === 'prompt' && conversation?.lastUser?.includes('FIRST') === true,
    );
    found.second = idOf(
      ({ trigger, conversation }) => trigger === 'prompt' && conversation?.lastUser?.includes('SECOND') === true,
    );
    found.parallel = idOf(({ changes }) => changes?.some(({ path }) => path === 'a.txt') === true);
  });
  afterAll(() => game?.project.remove());
  afterEach(() => expect(readFileSync(game.transcript(game.session))).toEqual(original));

  it('alone, and is told that the files differ from what it knows', async () => {
    const done = game.restore(found.second, '--conversation-only');
    expect(game.project.has('two.txt')).toBe(true);
    const next = await game.say('And NEXT?', game.first, done.continue.command.slice(1));
    const text = next.seen.at(-1)?.allText ?? '';
    expect(text).toContain('the user took this conversation back');
    expect(text).toMatch(/two\.txt/);
    expect(text).not.toContain('SECOND part');
  });

  it('to before a prompt, with the files', async () => {
    const { project, session } = game;
    const preview = project.ok('restore', found.second, '--conversation', '--dry-run').stdout;
    expect(preview).toContain('Do the SECOND part.');
    const done = game.restore(found.second, '--conversation');
    expect(done).toMatchObject({
      conversationRewound: true,
      conversation: { prompts: 1, words: 'Do the SECOND part.' },
    });
    expect(done.conversation.original.command).toEqual(['claude', '--resume', session]);
    expect(done.continue.command).toEqual(['claude', '--resume', done.continue.session]);
    expect(done.continue.dir).toBe(project.dir);
    expect([project.has('one.txt'), project.has('two.txt'), project.has('b.txt')]).toEqual([true, false, false]);
    const file = game.transcript(done.continue.session);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toMatch(/SECOND part|two\.txt/);

    const next = await game.say('And NEXT?', game.first, done.continue.command.slice(1));
    expect(next).toMatchObject({ status: 0, trouble: [] });
    const text = next.seen.at(-1)?.allText ?? '';
    expect(text).toContain('Do the FIRST part.');
    expect(text).toContain('And NEXT?');
    expect(text).not.toMatch(/SECOND part|two\.txt|Savepoint/);
    expect(next.seen.at(-1)?.results).toHaveLength(3);
    // The new session is one like any other.
    const again = JSON.parse(project.ok('restore', '@prompt', '--conversation', '--dry-run', '--json').stdout);
    expect(again.conversation).toMatchObject({
      session: done.continue.session,
      possible: true,
      prompts: 1,
      words: 'And NEXT?',
      removed: [{ role: 'user', text: 'And NEXT?' }, { role: 'assistant' }],
    });
  });

  it('to after one of several calls at once, whose other results it does not know', async () => {
    const done = game.restore(found.parallel, '--conversation');
    expect(game.project.has('late.txt')).toBe(false);
    const next = await game.say('And NEXT?', game.first, done.continue.command.slice(1));
    const last = next.seen.at(-1);
    expect(last?.results.map(({ isError }) => isError).toSorted()).toEqual([false, false, true]);
    expect(last?.allText).toContain('this call had not ended');
    expect(last?.allText).toContain('And NEXT?');
    expect(last?.allText).not.toContain('SECOND part');
  });

  it('to before its first prompt: nothing is left of it', async () => {
    const done = game.restore(found.first, '--conversation');
    expect(game.transcript(done.continue.session)).toBe('');
    const next = await game.say('And NEXT?', [], done.continue.command.slice(1));
    expect(next.status).toBe(0);
    expect(next.seen.at(-1)?.allText).not.toMatch(/(FIRST|SECOND) part/);
    expect(next.seen.at(-1)?.results).toEqual([]);
  });
});
