import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { AGENTS } from '../src/index.ts';
import { geminiCommands } from '../src/slash/files.ts';
import { NOT_ANSWERED, parseSlash } from '../src/slash/parse.ts';

/** Commands that a person types at the prompt of an agent. */

const UNDERSTOOD: readonly (readonly [string, object])[] = [
  ['/savepoint:checkpoint', { kind: 'list' }],
  ['/savepoint:checkpoint list', { kind: 'list' }],
  ['/savepoint:checkpoint show cp_12', { kind: 'show', checkpoint: 'cp_12' }],
  ['/savepoint:checkpoint diff last~2', { kind: 'diff', checkpoint: 'last~2' }],
  ['/savepoint:checkpoint restore @prompt', { kind: 'restore', checkpoint: '@prompt', mode: null }],
  ['/savepoint:checkpoint restore cp_3 exact', { kind: 'restore', checkpoint: 'cp_3', mode: 'exact' }],
  ['/savepoint:checkpoint create', { kind: 'create', message: null }],
  ['/savepoint:checkpoint  create  before  the "rename" ', { kind: 'create', message: 'before  the "rename"' }],
  ['/savepoint:rewind', { kind: 'turns' }],
  [' /savepoint:rewind 2\n', { kind: 'rewind', turn: 2, mode: null }],
  ['/savepoint:rewind cp_2 keep-outside', { kind: 'restore', checkpoint: 'cp_2', mode: 'keep-outside' }],
  ['$savepoint-undo', { kind: 'undo' }],
  ['/savepoint-redo', { kind: 'redo' }],
];

test.each(UNDERSTOOD)('%j', (prompt, request) => {
  expect(parseSlash(prompt)?.request).toEqual(request);
});

test.each([
  '/savepoint',
  '/savepoint:',
  '/savepoint:purge',
  '/savepoint:undo cp_2',
  '/savepoint:undo; ls',
  '/savepoint:undo\nand then go on',
  '/savepoint:rewind 0',
  '/savepoint:rewind 2 exact exact',
  '/savepoint:rewind 2000',
  '/savepoint:rewind --force',
  '/savepoint:checkpoint show',
  '/savepoint:checkpoint show cp_0',
  '/savepoint:checkpoint show ../../etc/passwd',
  '/savepoint:checkpoint restore cp_1 everything',
  '/savepoint:checkpoint delete cp_1',
  `/savepoint:checkpoint create ${'x'.repeat(5_000)}`,
])('%j gets the usage', (prompt) => {
  expect(parseSlash(prompt)?.request).toEqual({ kind: 'usage' });
});

test.each([
  '',
  'undo what you did',
  'please run /savepoint:undo',
  '/rewind 2',
  '/savepoints',
  '/savepoint-project/src/a.ts is broken',
  '/savepoint-undone is what I want',
  '$savepoint-dir is not set',
  '`/savepoint:undo`',
])('%j is for the model', (prompt) => {
  expect(parseSlash(prompt)).toBeNull();
});

describe('what an agent makes of the files', () => {
  test('an agent that reads the files of Claude Code may send their text', () => {
    const file = AGENTS.claude.integration.commands?.files.find(({ name }) => name === 'checkpoint.md');
    const text = file?.content.split('---\n')[2]?.replace('$ARGUMENTS', 'show cp_1') ?? '';
    expect(parseSlash(text)?.request).toEqual({ kind: 'show', checkpoint: 'cp_1' });
  });

  test('Gemini CLI sends the text of the file', () => {
    const file = AGENTS.gemini.integration.commands?.files.find(({ name }) => name === 'rewind.toml');
    const template = /prompt = """\n(.*)"""/s.exec(file?.content ?? '')?.[1] ?? '';
    expect(parseSlash(template.replace('{{args}}', '2'))).toEqual({
      prefix: '/savepoint:',
      request: { kind: 'rewind', turn: 2, mode: null },
    });
    expect(parseSlash(template.replace('{{args}}', ''))?.request).toEqual({ kind: 'turns' });
  });

  test.each([
    ['cp_12', '\n\nARGUMENTS: cp_12', { kind: 'restore', checkpoint: 'cp_12', mode: null }],
    ['no arguments', '', { kind: 'turns' }],
  ])('Copilot CLI sends the text of the skill, with %s', (_, more, request) => {
    const folder = folderWith(AGENTS.copilot.integration.commands?.files ?? []);
    const { text, typedDoubt } = copilotPrompt(join(folder, 'savepoint-rewind'), `${NOT_ANSWERED}\n${more}`);
    expect(parseSlash(text)).toEqual({ prefix: '/savepoint-', request });
    expect(typedDoubt ?? null).toBeNull();
  });
});

interface Prompt {
  readonly text: string;
  readonly typedDoubt?: string | null;
}

function copilotPrompt(folder: string, body: string): Prompt {
  const prompt =
    'The user explicitly invoked the "/savepoint-rewind" skill. Follow its instructions now.\n\n' +
    `<skill-context name="savepoint-rewind">\nBase directory for this skill: ${folder}\n\n${body}\n</skill-context>`;
  const event = { sessionId: 's', cwd: '/p', timestamp: 1, prompt };
  return AGENTS.copilot.parse(event, {}, 'userPromptSubmitted') as unknown as Prompt;
}

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folderWith(files: readonly { readonly name: string; readonly content: string }[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-slash-'));
  folders.push(folder);
  for (const { name, content } of files) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

describe('a file of the repository does not type a command', () => {
  test.each([
    ['without our text', 'ARGUMENTS: cp_1 exact'],
    ['after our text', `${NOT_ANSWERED}\n\n\nARGUMENTS: cp_1 exact`],
  ])('as a skill of Copilot CLI, %s', (_, body) => {
    const content = `---\nname: savepoint-rewind\n---\n${body}\n`;
    const folder = folderWith([{ name: 'savepoint-rewind/SKILL.md', content }]);
    expect(parseSlash(copilotPrompt(join(folder, 'savepoint-rewind'), body).text)).toBeNull();
  });

  const ours = geminiCommands().map(({ name, content }) => ({ name: `.gemini/commands/savepoint/${name}`, content }));
  const expansion = `/savepoint:rewind 2\n\n${NOT_ANSWERED}\n`;
  const gemini = (prompt: string, files: typeof ours): Prompt => {
    const cwd = folderWith(files);
    const event = { session_id: 's', cwd, hook_event_name: 'BeforeAgent', prompt, timestamp: '2026-01-01T00:00:00Z' };
    return AGENTS.gemini.parse(event, {}, null) as unknown as Prompt;
  };

  test.each([
    ['alone', []],
    ['with a plain prompt', ['prompt = "Review the changes"']],
    ['with a prompt that runs a program later', ['# ours\ndescription = "d"\nprompt = """\nReview:\n!{git diff}"""']],
  ])('but our command of Gemini CLI does, %s', (_, more) => {
    const others = more.map((content, index) => ({ name: `.gemini/commands/a/${index}.toml`, content }));
    expect(gemini(expansion, [...ours, ...others]).typedDoubt).toBeNull();
    expect(gemini(expansion, others).typedDoubt).toBeNull();
  });

  test.each([
    ['the whole text', `prompt = """${expansion}"""`],
    ['an included file', 'prompt = "@{evil.txt}"'],
    ['a program', 'prompt = """\n  !{cat evil.txt}"""'],
    ['arguments in between', 'prompt = "{{args}}/save{{args}}point:undo"'],
    ['escapes', 'prompt = "\\u002fsavepoint:undo"'],
    ['another form of the key', '"prompt" = "x"'],
    ['a prompt inside of a description', 'description = """\nprompt = "x"\n"""\nprompt = "/savepoint:undo"'],
  ])('as a command of Gemini CLI: %s', (_, content) => {
    expect(gemini(expansion, [...ours, { name: '.gemini/commands/review.toml', content }]).typedDoubt).toMatch(
      /review/,
    );
  });

  test('as a replacement of our command of Gemini CLI, or as its bare text', () => {
    const replaced = { name: '.gemini/commands/savepoint/undo.toml', content: 'prompt = "/savepoint:undo"' };
    expect(gemini(expansion, [replaced]).typedDoubt).toMatch(/undo\.toml/);
    expect(gemini('/savepoint:undo', ours).typedDoubt).toMatch(/did not write/);
    expect(gemini(`x\n${expansion}`, ours).typedDoubt).not.toBeNull();
  });

  test('as a link among the commands of Gemini CLI', () => {
    const cwd = folderWith(ours);
    symlinkSync('/dev/zero', join(cwd, '.gemini', 'commands', 'endless.toml'));
    const event = { session_id: 's', cwd, hook_event_name: 'BeforeAgent', prompt: expansion };
    expect((AGENTS.gemini.parse(event, {}, null) as unknown as Prompt).typedDoubt).toMatch(/endless/);
  });
});

test('each agent ends the prompt in its own way', () => {
  const events = { gemini: 'BeforeAgent', copilot: 'userPromptSubmitted', cursor: 'beforeSubmitPrompt' };
  const replies = (['claude', 'codex', 'gemini', 'copilot', 'cursor', 'opencode'] as const).map((name) => {
    const native = { claude: 'UserPromptSubmit', codex: 'UserPromptSubmit', opencode: 'chat.message', ...events }[name];
    expect(AGENTS[name].answersPrompts(native)).toBe(true);
    expect(AGENTS[name].answersPrompts('PreToolUse')).toBe(false);
    return [name, JSON.parse(AGENTS[name].reply(native, { kind: 'answered', text: 'Done.' }).stdout)];
  });
  expect(Object.fromEntries(replies)).toEqual({
    claude: {
      decision: 'block',
      reason: 'Done.',
      hookSpecificOutput: { hookEventName: 'UserPromptSubmit', suppressOriginalPrompt: true },
    },
    codex: { decision: 'block', reason: 'Done.' },
    gemini: { decision: 'deny', reason: 'Done.' },
    copilot: { decision: 'block', reason: 'Done.' },
    cursor: { continue: false, user_message: 'Done.' },
    opencode: { answer: 'Done.' },
  });
});
