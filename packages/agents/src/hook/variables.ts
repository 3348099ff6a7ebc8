/** What a hook reads of its environment: all that a process that answers in its place must be told. */

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

export const HOOK_VARIABLES: readonly string[] = [
  'HOME',
  'USERPROFILE',
  'PATH',
  'SAVEPOINT',
  'SAVEPOINT_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'CLAUDE_PROJECT_DIR',
  'GEMINI_PROJECT_DIR',
  'CURSOR_PROJECT_DIR',
  'COPILOT_CLI',
  'COPILOT_HOME',
  'COPILOT_PROJECT_DIR',
  ...GIT,
  ...BUCKET,
];

/**
 * Set by the script that asked the daemon first: with what status curl ended. The process that does the work then starts
 * a daemon for the next time.
 */
export const LINE_VARIABLE = 'SAVEPOINT_HOOK_LINE';
