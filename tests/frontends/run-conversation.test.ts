/** Files and conversation go back inside `savepoint run`, with a program in the place of Claude Code. */
import fs from 'node:fs';
import { open } from '@savepoint/core/node';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { HostedTerminal } from './hosted-terminal.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';
const [ESC, DOWN, ENTER] = ['\x1b', '\x1b[B', '\r'];

interface Worked {
  readonly p: Project;
  readonly terminal: HostedTerminal;
  /** The arguments of each start of the program. */
  readonly starts: () => readonly (readonly string[])[];
}

/** Two prompts, and the program on a terminal. @param given lines of the program at its end, and when it is resumed */
async function worked(given: { readonly atEnd?: string; readonly resumed: string }): Promise<Worked> {
  const p = project();
  p.write('a.txt', 'start\n');
  const savepoint = open({ dir: p.dir, home: p.store });
  const session = savepoint.session({ agent: 'claude', id: SESSION });
  const rows: object[] = [];
  const add = (type: 'user' | 'assistant', content: unknown, more: object = {}): void => {
    const parentUuid = rows.length === 0 ? null : `u-${rows.length}`;
    const message = { role: type, content, ...(type === 'assistant' ? { id: `m-${rows.length}` } : {}) };
    rows.push({ type, uuid: `u-${rows.length + 1}`, parentUuid, sessionId: SESSION, cwd: p.dir, message, ...more });
  };
  for (const [prompt, file, id] of [
    ['First this', 'a.txt', 'p-1'],
    ['Second\nthat', 'b.txt', 'p-2'],
  ] as const) {
    await session.prompt(prompt, id);
    await session.call({ tool: 'Write', kind: 'write', paths: [file] as never }, () => p.write(file, `${prompt}\n`));
    add('user', prompt, { promptId: id });
    add('assistant', [{ type: 'text', text: 'Done.' }]);
  }
  await savepoint.idle();
  savepoint.close();
  const folder = `${p.home}/.claude/projects/${p.dir.replaceAll(/[^a-zA-Z0-9]/g, '-')}`;
  const transcript = `${folder}/${SESSION}.jsonl`;
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(transcript, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  fs.writeFileSync(`${p.store}/config.json`, JSON.stringify({ run: { key_ms: 5000 } }));
  const program = `${p.base}/claude`;
  fs.writeFileSync(
    program,
    `#!${process.execPath}
    const fs = require('node:fs');
    const args = process.argv.slice(2);
    fs.appendFileSync(${JSON.stringify(`${p.base}/starts`)}, JSON.stringify(args) + '\\n');
    process.stdin.setRawMode(true);
    let takes = true;
    process.stdin.on('data', (bytes) => {
      if (bytes.toString() === 'q') process.exit();
      if (takes && bytes.toString() !== ${JSON.stringify(ESC)}) process.stdout.write('got ' + JSON.stringify(bytes.toString()));
    });
    process.on('SIGTERM', () => { ${(given.atEnd ?? '').replaceAll('TRANSCRIPT', JSON.stringify(transcript)).replaceAll('STORE', JSON.stringify(p.store))}; process.exit(); });
    if (!args.includes('--resume')) console.log('begun');
    else { ${given.resumed} }
    `,
    { mode: 0o755 },
  );
  const terminal = new HostedTerminal(p, `exec $SAVEPOINT_COMMAND run --key esc -- ${program}`, { columns: 100 });
  await terminal.displays(/begun/);
  terminal.type(ESC);
  await new Promise((resolve) => setTimeout(resolve, 50));
  terminal.type(ESC);
  await terminal.displays(/the files as they are/);
  terminal.type(DOWN);
  await terminal.displays(/▸ .*Second/);
  terminal.type('2');
  await terminal.displays(/loses 2 messages \(1 prompt\)[\s\S]*y go back, files and conversation/);
  terminal.type('y');
  const starts = () =>
    fs
      .readFileSync(`${p.base}/starts`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { p, terminal, starts };
}

describe('files and conversation', () => {
  it('hands the prompt back only when the program has drawn something, and not while it drops its input', async () => {
    const { p, terminal } = await worked({
      resumed: `takes = false;
        process.stdout.write('\\x1b[?1049h\\x1b[?2004h');
        setTimeout(() => { takes = true; process.stdout.write('resumed '); }, 2500);`,
    });
    await terminal.displays(/resumed got "\\u001b\[200~Second\\nthat\\u001b\[201~"/);
    expect(p.has('b.txt')).toBe(false);
    terminal.type('q');
    expect(await terminal.exited).toMatchObject({ status: 0 });
    expect(terminal.text).not.toContain('Your prompt');
  });

  it('prints the prompt after a program that takes no pastes', async () => {
    const { terminal } = await worked({ resumed: `console.log('resumed');` });
    await terminal.displays(/resumed/);
    terminal.type('q');
    await terminal.exited;
    expect(terminal.text).toMatch(/Your prompt, which is in no program's input:\r\nSecond\r\nthat\r\n/);
  });

  it.each([
    ['its conversation', 'TRANSCRIPT', /Only the files went back\./, [false, 0]],
    ['the store', 'STORE', /This did not work\./, [true, 1]],
  ])(
    'continues the conversation as it was if %s is gone after the program has ended',
    async (_what, path, shown, end) => {
      const { p, terminal, starts } = await worked({
        atEnd: `fs.renameSync(${path}, ${path} + '.gone')`,
        resumed: `console.log('resumed');`,
      });
      await terminal.displays(shown);
      terminal.type(ENTER);
      await terminal.displays(/resumed/);
      expect(starts().at(-1)).toEqual(expect.arrayContaining(['--resume', SESSION]));
      terminal.type('q');
      const { status } = await terminal.exited;
      expect([p.has('b.txt'), status]).toEqual(end);
    },
  );
});
