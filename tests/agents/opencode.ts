import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentProgram, MODEL_URL } from './program.ts';

export const opencode: AgentProgram = {
  name: 'opencode',
  // The binary that the package's script would start. The other build needs newer processors.
  command: (folder, prompt, more) => [
    join(folder, 'node_modules/opencode-linux-x64-baseline/bin/opencode'),
    'run',
    '--format',
    'json',
    '-m',
    'scripted/m1',
    ...more,
    prompt,
  ],
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  }),
  prepare: ({ home }, folder) => {
    // Without a network, opencode tries for more than a minute to install a package of its own.
    writeFileSync(join(home, '.npmrc'), 'fetch-retries=0\n');
    const config = join(home, '.config/opencode');
    mkdirSync(config, { recursive: true });
    const provider = {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Scripted',
        options: { baseURL: `${MODEL_URL}/v1`, apiKey: 'fake' },
        models: { m1: { name: 'm1', tool_call: true } },
      },
    };
    const permission = { edit: 'allow', bash: 'allow', external_directory: 'allow' };
    writeFileSync(join(config, 'opencode.json'), JSON.stringify({ provider, permission, small_model: 'scripted/m1' }));
    // Otherwise opencode installs this itself and waits for it: more than a minute without a network.
    const { version } = PLUGIN;
    writeFileSync(join(config, 'package.json'), JSON.stringify({ dependencies: { '@opencode-ai/plugin': version } }));
    symlinkSync(join(folder, 'node_modules'), join(config, 'node_modules'));
  },
  write: (path, content) => ({ name: 'write', input: { filePath: path, content } }),
  read: (path) => ({ name: 'read', input: { filePath: path } }),
  edit: (path, old, now) => ({ name: 'edit', input: { filePath: path, oldString: old, newString: now } }),
  shell: (command) => ({ name: 'bash', input: { command, description: 'as planned' } }),
  tools: { write: 'write', edit: 'edit', shell: 'bash' },
  tellsCallIds: true,
  transcriptModel: 'scripted/m1',
  messagesPerCall: 1,
};

/** The version that `programs/opencode` pins. */
const PLUGIN = { version: '1.18.33' };
