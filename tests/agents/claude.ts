import { join } from 'node:path';
import { type AgentProgram, MODEL_URL } from './program.ts';

export const claude: AgentProgram = {
  name: 'claude',
  command: (folder, prompt, more) => [
    join(folder, 'node_modules/@anthropic-ai/claude-code-linux-x64/claude'),
    '-p',
    prompt,
    '--output-format',
    'json',
    ...more,
  ],
  env: () => ({
    ANTHROPIC_BASE_URL: MODEL_URL,
    ANTHROPIC_API_KEY: 'sk-ant-fake',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  prepare: () => {},
  write: (path, content) => ({ name: 'Write', input: { file_path: path, content } }),
  read: (path) => ({ name: 'Read', input: { file_path: path } }),
  edit: (path, old, now) => ({ name: 'Edit', input: { file_path: path, old_string: old, new_string: now } }),
  shell: (command) => ({ name: 'Bash', input: { command, description: 'as planned' } }),
  tools: { write: 'Write', edit: 'Edit', shell: 'Bash' },
  tellsCallIds: true,
  transcriptModel: 'claude-opus-5-5',
  messagesPerCall: 2,
};

/** Allows edits and shell commands without asking. */
export const ACCEPT = ['--permission-mode', 'acceptEdits', '--allowedTools', 'Read Write Edit Bash Task'];
