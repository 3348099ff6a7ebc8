/** With a program that exports and imports in the form of opencode 1.18. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConversationEnd, ConversationPlace, DiskPath } from '@savepoint/core/ports';
import { expect, onTestFinished, test } from 'vitest';
import { opencodeConversation } from '../../src/conversation/opencode.ts';
import { afterCall, beforePrompt, machine, placeIn } from './place.ts';

const ID = 'ses_de9e899f8ffeDmRmXN8MAycsxl';
const M = [
  'msg_216176640001LBkdleCfYAljoS',
  'msg_2161769280013KTJauVHB1cfI9',
  'msg_21617749f001OlZuGVtennFFZM',
] as const;
const P = [
  'prt_216176646001Xl7uKhpqPStH5q',
  'prt_216176bda001BbWa2o5llkKdvw',
  'prt_2161774a2001bcIsO6s3ZLly6C',
] as const;

const message = (index: 0 | 1 | 2, info: object, part: object) => ({
  info: { ...info, id: M[index], sessionID: ID },
  parts: [{ ...part, id: P[index], sessionID: ID, messageID: M[index] }],
});

const SESSION = {
  info: {
    id: ID,
    title: 'Writes',
    directory: '/elsewhere',
    version: '1.18.33',
    revert: { messageID: M[2] },
    share: {},
  },
  messages: [
    message(0, { role: 'user' }, { type: 'text', text: 'Write it.' }),
    message(
      1,
      { role: 'assistant', parentID: M[0] },
      { type: 'tool', callID: 'c-1', state: { output: `see ${M[0]}` } },
    ),
    message(2, { role: 'user' }, { type: 'text', text: 'Now improve it.' }),
  ],
};

interface Opencode {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** @param script what the program does, in the shell */
function opencode(script: string): Opencode {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-opencode-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'session.json'), JSON.stringify(SESSION));
  writeFileSync(join(folder, 'opencode'), `#!/bin/sh\ncd '${folder}'\n${script}\n`, { mode: 0o755 });
  return { folder, env: { PATH: `${folder}:${process.env['PATH']}`, TMPDIR: folder } };
}

const WORKING = `echo "$*" >> asked
case $1 in
  export) cat session.json ;;
  import) cp "$2" imported.json ;;
esac`;

const place = ({ folder }: Opencode, end: ConversationEnd, session = ID): ConversationPlace => ({
  ...placeIn('opencode', session, null, end),
  dir: folder as DiskPath,
});

async function rewound(program: Opencode, end: ConversationEnd) {
  const { session, command } = await opencodeConversation.rewind(place(program, end), machine(program.env));
  expect(command).toEqual(['opencode', '--session', session]);
  expect(readdirSync(program.folder).filter((name) => name.startsWith('savepoint-'))).toEqual([]);
  return {
    session,
    imported: JSON.parse(readFileSync(join(program.folder, 'imported.json'), 'utf8')) as typeof SESSION,
  };
}

test('imports what stays under ids of its own', async () => {
  const program = opencode(WORKING);
  const { session, imported } = await rewound(program, beforePrompt(M[2]));
  expect(session).not.toBe(ID);
  expect(session).toMatch(/^ses_de9e899f8ffe[0-9a-f]{14}$/);
  expect(imported.info).toEqual({ id: session, title: 'Writes', directory: '/elsewhere', version: '1.18.33' });
  expect(imported.messages).toHaveLength(2);
  const text = JSON.stringify(imported);
  for (const id of [ID, M[1], P[0], P[1]]) expect(text).not.toContain(id);
  const [first, second] = imported.messages.map(
    ({ info }) => info as { readonly id: string; readonly parentID?: string },
  );
  expect(second?.parentID).toBe(first?.id);
  expect(first?.id.slice(0, 16)).toBe(M[0].slice(0, 16));
  // What a tool has printed stays as it was.
  expect(text).toContain(`see ${M[0]}`);
  expect(readFileSync(join(program.folder, 'asked'), 'utf8')).toMatch(
    /^export ses_\w+ --pure\nimport \S+\.json --pure\n$/,
  );
});

test('ends after a call, or before the first prompt', async () => {
  const program = opencode(WORKING);
  const after = afterCall('c-1');
  const plan = await opencodeConversation.plan(place(program, after), machine(program.env));
  expect(plan).toMatchObject({ isPossible: true, messages: 1, removed: [{ role: 'user', text: 'Now improve it.' }] });
  expect((await rewound(program, after)).imported.messages).toHaveLength(2);
  expect((await rewound(program, beforePrompt(M[0]))).imported.messages).toEqual([]);
});

test('a plan only reads', async () => {
  const program = opencode(WORKING);
  const plan = await opencodeConversation.plan(place(program, beforePrompt(M[2])), machine(program.env));
  expect(plan).toMatchObject({ isPossible: true, messages: 1, prompts: 1, words: 'Now improve it.' });
  expect(existsSync(join(program.folder, 'imported.json'))).toBe(false);
});

test.each([
  ['exit 1', 'failed'],
  [`printf '\\033[91mError: \\033[0mSession not found\\n' >&2; exit 1`, 'failed (Error: Session not found)'],
  ['echo "{"', 'not valid JSON'],
  ['echo "{}"', 'another session'],
  [`echo '{"info":{"id":"ses_0"},"messages":[]}'`, 'another session'],
])('if `opencode export` does %s, the reason is %s', async (script, reason) => {
  const program = opencode(script);
  const plan = await opencodeConversation.plan(place(program, beforePrompt(M[2])), machine(program.env));
  expect(plan).toMatchObject({ isPossible: false, reason: expect.stringContaining(reason) });
});

test('refuses before it runs anything', async () => {
  const program = opencode(WORKING);
  for (const id of ['--help', 'ses_', `${ID};x`, '../x']) {
    const plan = await opencodeConversation.plan(place(program, beforePrompt(M[2]), id), machine(program.env));
    expect(plan).toMatchObject({ isPossible: false, reason: expect.stringContaining('not one of opencode') });
  }
  expect(existsSync(join(program.folder, 'asked'))).toBe(false);
  const nowhere = machine({ PATH: '/nonexistent' });
  const plan = await opencodeConversation.plan(place(program, beforePrompt(M[2])), nowhere);
  expect(plan).toMatchObject({ isPossible: false, reason: expect.stringContaining('not on the PATH') });
});

test('a failed import is an error', async () => {
  const program = opencode(`case $1 in export) cat session.json ;; import) echo broken >&2; exit 1 ;; esac`);
  const going = opencodeConversation.rewind(place(program, beforePrompt(M[2])), machine(program.env));
  await expect(going).rejects.toMatchObject({
    code: 'CONVERSATION_REFUSED',
    data: { why: expect.stringContaining('broken') },
  });
  expect(readdirSync(program.folder).filter((name) => name.startsWith('savepoint-'))).toEqual([]);
});
