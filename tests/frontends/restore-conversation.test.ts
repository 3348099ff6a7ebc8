import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { onTerminal } from './pseudo-terminal.ts';

/** `savepoint restore --conversation`, with the transcript that the hooks of Claude Code name. */

const SESSION = '11111111-2222-4333-8444-555555555555';

/** A project in which Claude Code got two prompts, and wrote a file for each. Its calls have no hooks, which is faster. */
class Conversed {
  readonly p: Project = project();
  readonly folder = path.join(this.p.home, '.claude/projects', this.p.dir.replace(/[^a-zA-Z0-9]/g, '-'));
  readonly transcript = path.join(this.folder, `${SESSION}.jsonl`);
  #rows: readonly object[] = [];
  #leaf: string | null = null;

  constructor() {
    mkdirSync(this.folder, { recursive: true });
    this.turn('first', 'Do the first part.', 'one.txt');
    this.turn('second', 'Do the \x1b[31msecond part.', 'two.txt');
  }

  turn(id: string, prompt: string, file: string): void {
    this.#hook({ hook_event_name: 'UserPromptSubmit', prompt, prompt_id: id });
    this.#add({ type: 'user', promptId: id, message: { role: 'user', content: prompt } });
    this.#add({
      type: 'assistant',
      message: {
        id: `m-${id}`,
        role: 'assistant',
        content: [{ type: 'tool_use', id: `call-${id}`, name: 'Write', input: {} }],
      },
    });
    this.p.write(file, id);
    const result = { tool_use_id: `call-${id}`, type: 'tool_result', content: 'written' };
    this.#add({ type: 'user', promptId: id, message: { role: 'user', content: [result] } });
    this.#add({
      type: 'assistant',
      message: { id: `n-${id}`, role: 'assistant', content: [{ type: 'text', text: `Did ${id}.` }] },
    });
  }

  get transcripts(): readonly string[] {
    return readdirSync(this.folder);
  }

  #add(row: object): void {
    const uuid = `u-${this.#rows.length}`;
    this.#rows = [...this.#rows, { ...row, uuid, parentUuid: this.#leaf, sessionId: SESSION, cwd: this.p.dir }];
    this.#leaf = uuid;
    writeFileSync(this.transcript, this.#rows.map((one) => `${JSON.stringify(one)}\n`).join(''), { mode: 0o600 });
  }

  #hook(event: object): void {
    const input = JSON.stringify({ session_id: SESSION, transcript_path: this.transcript, cwd: this.p.dir, ...event });
    expect(this.p.run(['hook', 'claude'], { input })).toMatchObject({ status: 0, stderr: '' });
  }
}

describe('restore --conversation', () => {
  it('shows first what the conversation loses, then how it continues', () => {
    const { p, transcripts: before, ...c } = new Conversed();
    const dry = p.ok('restore', '@prompt', '--conversation', '--dry-run').stdout;
    expect(dry.split('\n')).toEqual(
      expect.arrayContaining([
        `The conversation of claude (session ${SESSION}) would lose 4 messages (1 prompt):`,
        '  user       Do the \\x1b[31msecond part.',
        '  assistant  Write',
        '  tool       Write',
        '  assistant  Did second.',
        'It would continue as a new session; the original stays as it is.',
      ]),
    );
    expect(p.has('two.txt')).toBe(true);
    expect(readdirSync(c.folder)).toEqual(before);
    const { status, stdout } = p.run(['restore', '@prompt', '--conversation', '--yes']);
    expect(status).toBe(0);
    expect(p.has('two.txt')).toBe(false);
    const [made = ''] = readdirSync(c.folder).filter((name) => !before.includes(name));
    const session = made.replace('.jsonl', '');
    expect(stdout).toContain('The conversation of claude went back and lost 4 messages (1 prompt).');
    expect(stdout).toContain(`Continue it: \`claude --resume ${session}\` in ${p.dir}`);
    expect(stdout).toContain(`The conversation as it was: \`claude --resume ${SESSION}\` in ${p.dir}`);
    expect(readFileSync(path.join(c.folder, made), 'utf8')).not.toContain('second');
  });

  it('is asked for at a terminal, with the words that would be lost', async () => {
    const { p } = new Conversed();
    const { status, screen } = await onTerminal(p, ['restore', '@prompt', '--conversation'], {
      typed: [[/\[y\/N\] /, 'y\r']],
    });
    expect(status, screen).toBe(0);
    const asked = screen.slice(0, screen.indexOf('[y/N]'));
    expect(asked).toMatch(/second part[\s\S]*Restore 1 path and the conversation\?/);
    expect(screen).toContain('claude --resume');
  });

  it('has everything in JSON', () => {
    const { p } = new Conversed();
    const json = JSON.parse(p.ok('restore', '@prompt', '--conversation', '--yes', '--json').stdout);
    expect(json).toMatchObject({
      outcome: 'done',
      conversationRewound: true,
      error: null,
      continue: { session: expect.any(String), command: ['claude', '--resume', json.continue.session], dir: p.dir },
      conversation: {
        agent: 'claude',
        session: SESSION,
        possible: true,
        reason: null,
        messages: 4,
        prompts: 1,
        words: 'Do the \x1b[31msecond part.',
        original: { command: ['claude', '--resume', SESSION] },
      },
    });
    expect(JSON.parse(p.ok('restore', 'last', '--yes', '--json').stdout)).toMatchObject({
      conversation: null,
      conversationRewound: false,
      continue: null,
      error: null,
    });
  });

  it('restores only the files if the conversation cannot go back, says so before and after, and exits with 5', () => {
    const { p, transcript } = new Conversed();
    rmSync(transcript);
    const reason = 'its transcript does not exist any more';
    const dry = p.run(['restore', '@prompt', '--conversation', '--dry-run']);
    expect(dry.status).toBe(5);
    expect(dry.stdout).toContain(`cannot go back: ${reason}. Only the files would be restored.`);
    const done = p.run(['restore', '@prompt', '--conversation', '--yes']);
    expect(done.status).toBe(5);
    expect(done.stdout).toContain('The conversation did not go back.');
    expect(done.stdout).toContain(reason);
    expect(p.has('two.txt')).toBe(false);
    p.ok('undo');
    const json = p.run(['restore', '@prompt', '--conversation', '--yes', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      outcome: 'done',
      conversationRewound: false,
      continue: null,
      error: { code: 'CONVERSATION_REFUSED', message: expect.stringContaining(reason), hint: expect.any(String) },
    });
  });
});

describe('restore --conversation-only', () => {
  it('leaves the files', () => {
    const { p } = new Conversed();
    const dry = p.ok('restore', '@prompt', '--conversation-only', '--dry-run').stdout;
    expect(dry).toContain('would restore only the conversation');
    expect(dry).not.toContain('Nothing to restore');
    const done = p.ok('restore', '@prompt', '--conversation-only', '--yes').stdout;
    expect(done).toContain('Continue it: `claude --resume');
    expect(done).not.toContain('Nothing to restore');
    expect(p.has('two.txt')).toBe(true);
  });

  it('is asked for at a terminal', async () => {
    const { p } = new Conversed();
    const { status, screen } = await onTerminal(p, ['restore', '@prompt', '--conversation-only'], {
      typed: [[/\[y\/N\] /, 'n\r']],
    });
    expect(status).toBe(1);
    expect(screen).toContain('Restore the conversation?');
  });

  it('fails if the conversation cannot go back', () => {
    const { p, transcript } = new Conversed();
    rmSync(transcript);
    expect(p.run(['restore', '@prompt', '--conversation-only', '--dry-run']).status).toBe(1);
    const { status, stderr } = p.run(['restore', '@prompt', '--conversation-only', '--yes']);
    expect(status).toBe(1);
    expect(stderr).toContain('The conversation cannot go back: its transcript does not exist any more.');
    expect(existsSync(transcript)).toBe(false);
  });

  it('takes no options for files, and a session needs a conversation', () => {
    const { p } = new Conversed();
    for (const args of [
      ['--conversation-only', '--git'],
      ['--conversation-only', '--', 'one.txt'],
      ['--conversation-only', '--conversation'],
      ['--session', SESSION],
    ]) {
      expect([args, p.run(['restore', '@prompt', '--dry-run', ...args]).status]).toEqual([args, 2]);
    }
  });
});

describe('fork create --conversation', () => {
  it('copies the conversation into the fork as it was, and says how it continues there', () => {
    const c = new Conversed();
    const { p } = c;
    const original = readFileSync(c.transcript);
    const { stdout } = p.ok('fork', 'create', 'other', '--from', '@prompt', '--conversation');
    const folder = p.ok('fork', 'open', 'other').stdout.trim();
    const project = path.join(c.folder, '..', folder.replace(/[^a-zA-Z0-9]/g, '-'));
    const [made = ''] = readdirSync(project);
    const command = `claude --resume ${made.replace('.jsonl', '')}`;
    expect(stdout).toContain(`other: ${folder}\n`);
    expect(stdout).toContain(`\n  continue the conversation: \`${command}\` in ${folder}\n`);
    const rows = readFileSync(path.join(project, made), 'utf8');
    expect(rows).toContain(`"cwd":"${folder}"`);
    expect([rows.includes('first part'), rows.includes('second part'), rows.includes(p.dir)]).toEqual([
      true,
      false,
      false,
    ]);
    expect([existsSync(path.join(folder, 'one.txt')), existsSync(path.join(folder, 'two.txt'))]).toEqual([true, false]);
    expect([readFileSync(c.transcript), c.transcripts]).toEqual([original, [`${SESSION}.jsonl`]]);
    expect(p.has('two.txt')).toBe(true);
  });

  it('makes no fork if the conversation cannot be copied', () => {
    const { p, transcript } = new Conversed();
    expect(p.run(['fork', 'create', 'other', '--conversation']).status).toBe(2);
    rmSync(transcript);
    const refused = p.run(['fork', 'create', 'other', '--from', '@prompt', '--conversation', '--json']);
    expect([refused.status, JSON.parse(refused.stderr)]).toMatchObject([
      1,
      { error: { code: 'CONVERSATION_REFUSED' } },
    ]);
    expect(JSON.parse(p.ok('fork', 'list', '--json').stdout).forks).toEqual([]);
  });
});
