/** Recognises the shell of an agent by a variable that the agent sets for the commands that it runs. */
import type { OpenOptions } from '@savepoint/core';
import { nodePorts } from '@savepoint/core/node';

type Environment = Readonly<Record<string, string | undefined>>;

/** Not read from the definitions of the agents, which a command would have to load first. */
const SHELL_VARIABLES: Readonly<Record<string, string>> = {
  CLAUDECODE: 'claude',
  GEMINI_CLI: 'gemini',
  CODEX_CI: 'codex',
  CODEX_SANDBOX: 'codex',
  CODEX_SANDBOX_NETWORK_DISABLED: 'codex',
  COPILOT_CLI: 'copilot',
  OPENCODE: 'opencode',
  CLINE_ACTIVE: 'cline',
  CLINE_CONNECTOR_CLI_LAUNCH: 'cline',
  CURSOR_AGENT: 'cursor',
};

/** What runs this command. */
export function shellCaller(env: Environment): NonNullable<OpenOptions['caller']> {
  return { ancestors: () => nodePorts().processes.ancestors(process.ppid), agent: agentOfShell(env) };
}

/** Returns the name of the agent, `unknown` if the environment names several, or null if it names none. */
export function agentOfShell(env: Environment): string | null {
  const set = Object.entries(SHELL_VARIABLES).filter(([name]) => !['', '0', 'false', undefined].includes(env[name]));
  const [agent, ...others] = new Set(set.map(([, name]) => name));
  // One agent has started another, and the nearer one is not known.
  return others.length > 0 ? 'unknown' : (agent ?? null);
}
