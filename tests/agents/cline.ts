import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentProgram, MODEL_URL } from './program.ts';

export const cline: AgentProgram = {
  name: 'cline',
  command: (folder, prompt, more) => [
    join(folder, 'node_modules/@cline/cli-linux-x64/bin/cline'),
    '--json',
    '--auto-approve',
    'true',
    '-P',
    PROVIDER,
    '-m',
    'scripted',
    ...more,
    prompt,
  ],
  env: () => ({}),
  prepare: ({ home }) => {
    const folder = join(home, '.cline/data/settings');
    mkdirSync(folder, { recursive: true });
    const settings = { provider: PROVIDER, apiKey: 'fake', model: 'scripted', baseUrl: `${MODEL_URL}/v1` };
    const providers = { [PROVIDER]: { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' } };
    const all = { version: 1, lastUsedProvider: PROVIDER, modes: {}, providers };
    writeFileSync(join(folder, 'providers.json'), JSON.stringify(all));
  },
  write: (path, content) => ({ name: 'editor', input: { command: 'create', path, new_text: content } }),
  read: (path) => ({ name: 'read_files', input: { files: [{ path }] } }),
  edit: (path, old, now) => ({
    name: 'editor',
    input: { command: 'str_replace', path, old_text: old, new_text: now },
  }),
  shell: (command) => ({ name: 'run_commands', input: { commands: [command] } }),
  tools: { write: 'editor', edit: 'editor', shell: 'run_commands' },
  tellsCallIds: true,
  transcriptModel: 'scripted',
  messagesPerCall: 2,
};

const PROVIDER = 'openai-compatible';
