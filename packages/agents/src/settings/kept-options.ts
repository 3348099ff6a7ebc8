/**
 * Options of an agent's start that also hold when its conversation continues: the model, permissions, further settings. All
 * others are left out, because they choose a conversation or are a prompt.
 */
import type { AgentName } from '../event.ts';

interface KeptOptions {
  readonly flags: readonly string[];
  /** With a value, as the next argument or after `=`. */
  readonly values: readonly string[];
}

const KEPT: Partial<Readonly<Record<AgentName, KeptOptions>>> = {
  claude: {
    flags: [
      '--dangerously-skip-permissions',
      '--allow-dangerously-skip-permissions',
      '--strict-mcp-config',
      '--verbose',
    ],
    values: [
      '--model',
      '--fallback-model',
      '--effort',
      '--agent',
      '--agents',
      '--permission-mode',
      '--allowedTools',
      '--allowed-tools',
      '--disallowedTools',
      '--disallowed-tools',
      '--tools',
      '--settings',
      '--setting-sources',
      '--mcp-config',
      '--plugin-dir',
      '--add-dir',
      '--append-system-prompt',
      '--system-prompt',
    ],
  },
  codex: {
    flags: ['--dangerously-bypass-approvals-and-sandbox', '--approve-for-me', '--search', '--no-alt-screen', '--oss'],
    values: [
      '-c',
      '--config',
      '--enable',
      '--disable',
      '-m',
      '--model',
      '-p',
      '--profile',
      '-s',
      '--sandbox',
      '-a',
      '--ask-for-approval',
      '--add-dir',
      '--local-provider',
    ],
  },
  gemini: {
    flags: ['-y', '--yolo', '-s', '--sandbox', '--skip-trust', '--screen-reader'],
    values: ['-m', '--model', '--approval-mode', '--policy', '-e', '--extensions', '--include-directories'],
  },
  opencode: { flags: ['--pure'], values: ['-m', '--model', '--agent'] },
};

/** Whether the option, written like this, takes the next argument as its value. */
export function hasValue(agent: AgentName, option: string): boolean {
  return KEPT[agent]?.values.includes(option) ?? false;
}

export function keptOptions(agent: AgentName, args: readonly string[]): readonly string[] {
  const { flags, values } = KEPT[agent] ?? { flags: [], values: [] };
  const kept: string[] = [];
  for (let at = 0; at < args.length && args[at] !== '--'; at += 1) {
    const arg = args[at] ?? '';
    const next = args[at + 1];
    if (flags.includes(arg) || values.some((name) => name.startsWith('--') && arg.startsWith(`${name}=`)))
      kept.push(arg);
    else if (values.includes(arg) && next !== undefined) {
      kept.push(arg, next);
      at += 1;
    }
  }
  return kept;
}
