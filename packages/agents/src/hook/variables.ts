/** The environment variables that a hook reads and sends to the daemon. */

import type { Environment, Protocol } from '../agent.ts';
import { AGENTS } from '../table.ts';

/** Access to a bucket for exports, in addition to the configuration. */
const BUCKET = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_ENDPOINT_URL_S3',
  'AWS_ENDPOINT_URL',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
];

/** Variables that decide which of git's attribute files apply. */
const GIT = [
  'GIT_ATTR_SOURCE',
  'GIT_CONFIG',
  'GIT_CONFIG_COUNT',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_PARAMETERS',
  'GIT_CONFIG_SYSTEM',
];

/** The user's home folder, in which an agent keeps its own files. */
const HOME = ['HOME', 'USERPROFILE'];

/** The id of the process that ran the hook. The hook script sets it, because the daemon is another process. */
export const PARENT_VARIABLE = 'SAVEPOINT_HOOK_PARENT';

/** The agent for which `savepoint run` brought hooks that end with the run. */
export const ONE_RUN_VARIABLE = 'SAVEPOINT_RUN_HOOKS';

/** Variables that apply to a single event: those that agents and `run` set, and the process that ran the hook. */
export const AGENT_VARIABLES: readonly string[] = [
  PARENT_VARIABLE,
  ONE_RUN_VARIABLE,
  ...new Set(Object.values(AGENTS).flatMap(({ variables }) => variables.filter((name) => !HOME.includes(name)))),
];

export const HOOK_VARIABLES: readonly string[] = [
  ...HOME,
  'PATH',
  'SAVEPOINT',
  'SAVEPOINT_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  ...AGENT_VARIABLES,
  ...GIT,
  ...BUCKET,
];

/**
 * Set by the hook script if it got no answer from the daemon: the exit status of curl. The process that then does the
 * work starts a daemon for the next event.
 */
export const CURL_STATUS_VARIABLE = 'SAVEPOINT_HOOK_LINE';

/**
 * Returns the environment without what agents say about one of their events or commands. For a process that outlives them:
 * it must not look like a command of the session that started it.
 */
export function withoutAgentVariables(env: Environment): Environment {
  const ofShells = Object.values(AGENTS).flatMap(({ shell }) =>
    shell === undefined ? [] : [shell.any, shell.session],
  );
  const known = new Set<string | null>([...AGENT_VARIABLES, CURL_STATUS_VARIABLE, ...ofShells]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !known.has(name)));
}

/** Only the declared variables, because any other would be missing when the daemon answers. */
export function variablesFor({ variables }: Protocol, env: Environment): Environment {
  return Object.fromEntries(variables.map((name) => [name, env[name]]));
}
