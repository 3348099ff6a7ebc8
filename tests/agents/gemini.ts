import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentProgram, MODEL_URL } from './program.ts';

export const gemini: AgentProgram = {
  name: 'gemini',
  command: (folder, prompt, more) => [
    process.execPath,
    join(folder, 'node_modules/@google/gemini-cli/bundle/gemini.js'),
    '-p',
    prompt,
    '--yolo',
    '-m',
    'gemini-2.5-flash',
    '--output-format',
    'json',
    ...more,
  ],
  env: () => ({ GOOGLE_GEMINI_BASE_URL: MODEL_URL, GEMINI_API_KEY: 'fake', GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
  prepare: ({ home }) => {
    mkdirSync(join(home, '.gemini'), { recursive: true });
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
    };
    writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(settings));
  },
  write: (path, content) => ({ name: 'write_file', input: { file_path: path, content } }),
  read: (path) => ({ name: 'read_file', input: { file_path: path } }),
  edit: (path, old, now) => ({
    name: 'replace',
    input: { file_path: path, old_string: old, new_string: now, instruction: 'as planned' },
  }),
  shell: (command) => ({ name: 'run_shell_command', input: { command, description: 'as planned' } }),
  tools: { write: 'write_file', edit: 'replace', shell: 'run_shell_command' },
  tellsCallIds: false,
  transcriptModel: 'gemini-2.5-flash',
  messagesPerCall: 2,
};
