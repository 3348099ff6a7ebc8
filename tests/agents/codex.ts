import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentProgram, MODEL_URL } from './program.ts';

export const codex: AgentProgram = {
  name: 'codex',
  command: (folder, prompt, more) => [
    process.execPath,
    join(folder, 'node_modules/@openai/codex/bin/codex.js'),
    'exec',
    // Without this option, a project's hooks only run after a person has reviewed them.
    '--dangerously-bypass-hook-trust',
    '--dangerously-bypass-approvals-and-sandbox',
    '--json',
    ...more,
    prompt,
  ],
  env: ({ home }) => ({ CODEX_HOME: join(home, '.codex'), MOCK_KEY: 'fake' }),
  prepare: ({ home, project }) => {
    mkdirSync(join(home, '.codex'), { recursive: true });
    const lines = [
      'model = "gpt-5.5"',
      'model_provider = "scripted"',
      'check_for_update_on_startup = false',
      '[model_providers.scripted]',
      'name = "Scripted"',
      `base_url = "${MODEL_URL}/v1"`,
      'env_key = "MOCK_KEY"',
      'wire_api = "responses"',
      'request_max_retries = 0',
      'stream_max_retries = 0',
      `[projects.${JSON.stringify(project)}]`,
      'trust_level = "trusted"',
    ];
    writeFileSync(join(home, '.codex/config.toml'), `${lines.join('\n')}\n`);
  },
  write: (path, content) => patch(`*** Add File: ${path}`, ...lines(content).map((line) => `+${line}`)),
  read: (path) => ({ name: 'exec_command', input: { cmd: `cat '${path}'` } }),
  edit: (path, old, now) => patch(`*** Update File: ${path}`, '@@', `-${old}`, `+${now}`),
  shell: (command) => ({ name: 'exec_command', input: { cmd: command } }),
  tools: { write: 'apply_patch', edit: 'apply_patch', shell: 'Bash' },
  tellsCallIds: true,
  transcriptModel: 'gpt-5.5',
  messagesPerCall: 2,
};

function patch(...body: readonly string[]) {
  return { name: 'apply_patch', input: ['*** Begin Patch', ...body, '*** End Patch', ''].join('\n') };
}

/** The lines of a text that ends with a line break. */
function lines(text: string): readonly string[] {
  return text.replace(/\n$/, '').split('\n');
}
