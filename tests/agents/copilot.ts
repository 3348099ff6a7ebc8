import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentProgram, MODEL_URL } from './program.ts';

export const copilot: AgentProgram = {
  name: 'copilot',
  command: (folder, prompt, more) => [
    join(folder, 'node_modules/@github/copilot-linux-x64/copilot'),
    '-p',
    prompt,
    '--allow-all-tools',
    '--allow-all-paths',
    '--trust-folder',
    '--output-format',
    'json',
    ...more,
  ],
  env: () => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: `${MODEL_URL}/v1`,
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_MODEL: 'scripted',
    COPILOT_AUTO_UPDATE: 'false',
  }),
  prepare: () => {},
  write: (path, content) => ({ name: 'create', input: { path, file_text: content } }),
  read: (path) => ({ name: 'view', input: { path } }),
  edit: (path, old, now) => ({ name: 'edit', input: { path, old_str: old, new_str: now } }),
  shell: (command) => ({ name: 'bash', input: { command, description: 'as planned' } }),
  tools: { write: 'create', edit: 'edit', shell: 'bash' },
  tellsCallIds: false,
  transcriptModel: 'scripted',
  messagesPerCall: 2,
};

/** Its option `--trust-folder` is only for new sessions. */
export const resumableCopilot: AgentProgram = {
  ...copilot,
  command: (...given) => copilot.command(...given).filter((one) => one !== '--trust-folder'),
  prepare: ({ home, project }, folder) => {
    copilot.prepare({ home, project }, folder);
    mkdirSync(join(home, '.copilot'));
    writeFileSync(join(home, '.copilot/config.json'), JSON.stringify({ trusted_folders: [project] }));
  },
};
