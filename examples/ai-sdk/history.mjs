// @ts-check
/**
 * An agent on the Vercel AI SDK (6 or 7) with tools of its own: each call of them is recorded, by any author
 * meanwhile. Here a script plays the model, so it needs no key:
 *
 *     npm run build && node examples/ai-sdk/history.mjs
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trackedTools } from '@savepoint/ai-sdk';
import { open } from '@savepoint/core/node';
import { generateText, stepCountIs, tool } from 'ai';
import { z } from 'zod';
import { scriptedModel } from './scripted-model.mjs';

const base = mkdtempSync(join(tmpdir(), 'savepoint-example-'));
const dir = join(base, 'notes');
mkdirSync(dir);
writeFileSync(join(dir, 'draft.md'), 'A draft.\n');

const mine = {
  write_note: tool({
    description: 'Writes a note.',
    inputSchema: z.object({ name: z.string(), content: z.string() }),
    execute: async ({ name, content }) => {
      writeFileSync(join(dir, name), content);
      return 'written';
    },
  }),
  shell: tool({
    description: 'Runs a command.',
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }) => execFileSync('sh', ['-c', command], { cwd: dir }).toString(),
  }),
};

const model = scriptedModel([
  { tool: 'write_note', input: { name: 'today.md', content: 'Buy buns.\n' } },
  { tool: 'shell', input: { command: 'mv draft.md final.md; echo Done. >> final.md' } },
  { text: 'The note is written, and the draft is final.' },
]);

try {
  const savepoint = open({ dir, home: join(base, 'home') });
  const session = savepoint.session({ agent: 'example' });
  const prompt = 'Note that we need buns, and finish the draft.';
  await session.prompt(prompt);
  const tools = trackedTools(session, mine, {
    write_note: { kind: 'write', paths: ({ name }) => [name] },
    shell: { kind: 'shell' },
  });
  console.log((await generateText({ model, prompt, tools, stopWhen: stepCountIs(5) })).text);
  writeFileSync(join(dir, 'mine.md'), 'Of a person.\n');
  await savepoint.checkpoint({ message: 'my own' });

  const { checkpoints } = await savepoint.list();
  for (const { id, description, changes } of [...checkpoints].reverse()) {
    console.log(`${id}  ${description}`);
    for (const { operation, path, by } of changes ?? []) {
      console.log(`      ${operation} ${path}, by ${by.authors.map(({ actor }) => actor.name).join(' or ')}`);
    }
  }
} finally {
  rmSync(base, { recursive: true });
}
