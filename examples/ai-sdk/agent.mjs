// @ts-check
/**
 * An agent on the Vercel AI SDK (6 or 7) that edits files with the tools of Savepoint: several files in one call, all or
 * none; a refusal that tells all that is wrong; and undo. Here a script plays the model, so it needs no key:
 *
 *     npm run build && node examples/ai-sdk/agent.mjs
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { savepointTools, ToolFailure } from '@savepoint/ai-sdk';
import { open } from '@savepoint/core/node';
import { generateText, stepCountIs } from 'ai';
import { model } from './scripted-model.mjs';

const base = mkdtempSync(join(tmpdir(), 'savepoint-example-'));
const dir = join(base, 'shop');
mkdirSync(dir);
writeFileSync(join(dir, 'price.js'), 'export const price = 1.19;\n');
writeFileSync(join(dir, 'README.md'), 'One bun is 1.19.\n');

// In a project of your own: open({ dir: '.', actor: … }).
const savepoint = open({ dir, home: join(base, 'home'), actor: { kind: 'agent', name: 'example' } });
const tools = await savepointTools(savepoint, { only: ['multi_edit_files', 'undo'] });

/** @param {string} prompt */
async function ask(prompt) {
  console.log(`> ${prompt}`);
  const { steps, text } = await generateText({ model, tools, prompt, stopWhen: stepCountIs(5) });
  for (const part of steps.flatMap(({ content }) => content)) {
    // The model reads the same failure as JSON, with the details of each edit.
    if (part.type === 'tool-error' && part.error instanceof ToolFailure) {
      console.log(`${part.toolName} was refused: ${part.error.failure.message}`);
    }
    if (part.type === 'tool-result') console.log(`${part.toolName} did it`);
  }
  console.log(text);
  for (const file of ['price.js', 'README.md'])
    console.log(`  ${file}: ${readFileSync(join(dir, file), 'utf8').trim()}`);
}

try {
  await ask('Raise the price to 1.29 everywhere.');
  await ask('No, take that back.');
} finally {
  rmSync(base, { recursive: true });
}
