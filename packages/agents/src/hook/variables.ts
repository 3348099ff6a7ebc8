/** What a hook reads of its environment: all that a process that answers in its place must be told. */

import type { Environment, Protocol } from '../agent.ts';
import { AGENTS } from '../table.ts';

/** What a bucket for exports is reached with, besides the configuration. */
const BUCKET = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_ENDPOINT_URL_S3',
  'AWS_ENDPOINT_URL',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
];

/** Which of git's files of attributes count. */
const GIT = [
  'GIT_ATTR_SOURCE',
  'GIT_CONFIG',
  'GIT_CONFIG_COUNT',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_PARAMETERS',
  'GIT_CONFIG_SYSTEM',
];

/** What agents say in the environment: it is about one event. */
export const AGENT_VARIABLES: readonly string[] = [
  ...new Set(Object.values(AGENTS).flatMap(({ variables }) => variables)),
];

export const HOOK_VARIABLES: readonly string[] = [
  'HOME',
  'USERPROFILE',
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
 * Set by the script that asked the daemon first: with what status curl ended. The process that does the work then starts
 * a daemon for the next time.
 */
export const LINE_VARIABLE = 'SAVEPOINT_HOOK_LINE';

/** Nothing else: what an agent's protocol read besides would be missing where the daemon answers. */
export function variablesFor({ variables }: Protocol, env: Environment): Environment {
  return Object.fromEntries(variables.map((name) => [name, env[name]]));
}
