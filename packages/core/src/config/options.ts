/**
 * The table of all options. Parsing, merging, `savepoint config`, the JSON schemas and the documentation are generated
 * from it. It is plain data, so that a hook loads it quickly.
 */

/**
 * What a project's file may do with an option: nothing, or only reduce what the user's own settings capture or keep.
 */
export type ProjectOverride = 'nothing' | 'turn-off' | 'lower' | 'leave-out' | 'add' | 'isolate';

export type OptionKind =
  | { readonly type: 'switch' }
  | { readonly type: 'whole'; readonly least: number; readonly most: number; readonly unit: string }
  | { readonly type: 'choice'; readonly of: readonly string[] }
  | { readonly type: 'text'; readonly form: string; readonly pattern: string }
  | { readonly type: 'patterns'; readonly of: 'commands' | 'paths' | 'folders' };

export interface OptionSpec {
  readonly kind: OptionKind;
  readonly fallback: boolean | number | string | readonly string[];
  readonly project: ProjectOverride;
  readonly what: string;
  /** The reason for the default. */
  readonly why: string;
}

const SWITCH = { type: 'switch' } as const;
const NO_PATTERNS: readonly string[] = [];

export const OPTIONS = {
  enabled: {
    kind: SWITCH,
    fallback: true,
    project: 'turn-off',
    what: 'Whether checkpoints are taken automatically. Commands work either way.',
    why: 'A safety net helps only if it is on before it is needed.',
  },
  'triggers.before_write': {
    kind: SWITCH,
    fallback: true,
    project: 'turn-off',
    what: 'Take checkpoints around calls of tools that write complete files.',
    why: 'A capture without changes writes nothing.',
  },
  'triggers.before_edit': {
    kind: SWITCH,
    fallback: true,
    project: 'turn-off',
    what: 'Take checkpoints around calls of tools that edit parts of a file.',
    why: 'The same as for `before_write`.',
  },
  'triggers.before_bash': {
    kind: SWITCH,
    fallback: true,
    project: 'turn-off',
    what: 'Take checkpoints around shell commands, or around those that match `bash_patterns`.',
    why: 'What a shell command will change is not known in advance, so it is the most likely cause of lost work.',
  },
  'triggers.on_prompt': {
    kind: SWITCH,
    fallback: true,
    project: 'turn-off',
    what: 'Take a checkpoint at each prompt.',
    why: 'Users usually go back to a prompt.',
  },
  'triggers.on_request': {
    kind: SWITCH,
    fallback: true,
    project: 'turn-off',
    what: 'Allow checkpoints on request. If off, the command `checkpoint` is refused.',
    why: 'A request is never made by accident.',
  },
  bash_patterns: {
    kind: { type: 'patterns', of: 'commands' },
    fallback: NO_PATTERNS,
    project: 'leave-out',
    what:
      'Take checkpoints only around shell commands that match one of these patterns, for example `rm *` or `git *`. ' +
      'Empty: all commands. `*` matches any text, `?` one character.',
    why: 'A list of dangerous commands is never complete, and a scan without changes is cheap.',
  },
  max_checkpoints: {
    kind: { type: 'whole', least: 1, most: 1_000_000, unit: 'checkpoints' },
    fallback: 1_000,
    project: 'lower',
    what: 'The maximum number of checkpoints.',
    why: 'A busy day takes a few hundred, and shared content is stored once.',
  },
  retention_hours: {
    kind: { type: 'whole', least: 1, most: 1_000_000, unit: 'hours' },
    fallback: 2_160,
    project: 'lower',
    what: 'The maximum age of checkpoints, measured from the newest one.',
    why: '90 days: mistakes of an agent are often found weeks later.',
  },
  max_sessions: {
    kind: { type: 'whole', least: 1, most: 1_000_000, unit: 'sessions' },
    fallback: 30,
    project: 'lower',
    what: 'The maximum number of sessions whose checkpoints are kept.',
    why: 'A month of daily sessions. Checkpoints without a session are not counted.',
  },
  keep_at_least: {
    kind: { type: 'whole', least: 1, most: 1_000_000, unit: 'checkpoints' },
    fallback: 50,
    project: 'nothing',
    what:
      'Always keep this many of the newest checkpoints, regardless of count, age and sessions. The default does not ' +
      'restrict limits that you set in your own file. The size limit of the store takes precedence.',
    why: 'The list is never empty after a long break, and the file of a project cannot empty it.',
  },
  max_store_mb: {
    kind: { type: 'whole', least: 1, most: 100_000_000, unit: 'MB (1,048,576 bytes)' },
    fallback: 10_240,
    project: 'nothing',
    what:
      'The maximum size of a workspace’s store, including the backups of edits. If it is exceeded, the oldest ' +
      'checkpoints are dropped. If that is not enough, operations that need space are refused before they start. A ' +
      'single checkpoint that needs more than this is refused as well.',
    why:
      'Enough for the first checkpoint of a large repository and months of work. Filling the disk silently would be ' +
      'worse than a refusal.',
  },
  plan_days: {
    kind: { type: 'whole', least: 1, most: 36_500, unit: 'days' },
    fallback: 30,
    project: 'nothing',
    what: 'How long a plan is kept after its last change. Then it is dropped with what only it has.',
    why: 'A plan that was left alone for a month no longer fits the files.',
  },
  max_file_mb: {
    kind: { type: 'whole', least: 1, most: 1_000_000, unit: 'MB (1,048,576 bytes)' },
    fallback: 50,
    project: 'lower',
    what: 'Larger files are not captured. They are listed.',
    why:
      'Sources, notebooks and fixtures are smaller. Models and videos are larger, rarely change and have another ' +
      'source.',
  },
  max_ignored_kb: {
    kind: { type: 'whole', least: 0, most: 1_000_000_000, unit: 'kB (1,024 bytes)' },
    fallback: 1_024,
    project: 'lower',
    what: 'Larger ignored files are not captured, except `.env` files.',
    why: 'Ignored settings and notes are small; build results are not.',
  },
  include: {
    kind: { type: 'patterns', of: 'paths' },
    fallback: NO_PATTERNS,
    project: 'nothing',
    what:
      'Patterns of paths to capture even if they are ignored, in the syntax of `.gitignore`, relative to the ' +
      'workspace.',
    why: 'Ignored files can usually be created again.',
  },
  exclude: {
    kind: { type: 'patterns', of: 'paths' },
    fallback: NO_PATTERNS,
    project: 'add',
    what:
      'Patterns of paths not to capture, even if git tracks them, in the syntax of `.gitignore`. Takes precedence ' +
      'over `include`.',
    why: 'Paths that are not captured cannot be restored.',
  },
  roots: {
    kind: { type: 'patterns', of: 'folders' },
    fallback: NO_PATTERNS,
    project: 'nothing',
    what:
      'Plain folders, relative to the workspace, to treat as roots like repositories. They are captured regardless ' +
      'of ignore rules around them and of their names, and listed by `repos`. Not patterns; `exclude` takes ' +
      'precedence.',
    why: 'Repositories are found automatically, but other folders cannot be recognised as separate units.',
  },
  record_index: {
    kind: SWITCH,
    fallback: false,
    project: 'turn-off',
    what:
      'Whether checkpoints also record the index of each repository, so that `restore --git` restores staged ' +
      'changes.',
    why: 'Staged content may no longer be in any file, and users do not expect it to be kept.',
  },
  adopt: {
    kind: SWITCH,
    fallback: true,
    project: 'turn-off',
    what:
      'Whether the first checkpoint adopts objects from the repositories of the workspace, if git’s index proves ' +
      'the content of a file, instead of reading every file. The result is the same.',
    why: 'Reading, hashing and compressing files takes most of the time of a first checkpoint.',
  },
  backups: {
    kind: { type: 'choice', of: ['store', 'beside'] },
    fallback: 'store',
    project: 'nothing',
    what: 'Where edits keep backups of replaced files: in the store, or as `a.ts.bak` next to each file.',
    why: 'Backup files should not end up in a commit.',
  },
  copy_dependencies: {
    kind: { type: 'choice', of: ['auto', 'copy', 'link', 'none'] },
    fallback: 'auto',
    project: 'isolate',
    what:
      'What a copy that is a folder (a fork, or any copy where no overlay is possible) gets of dependency folders. `auto` and ' +
      '`copy`: all of them; their blocks are shared if the file system can do that. `link`: packages in `node_modules` ' +
      'are links to those of the real folder, except packages that need a package of the workspace; everything else is ' +
      'copied. `none`: nothing.',
    why: 'With links, a command in a copy can write into the packages of the real folder.',
  },
  'hooks.budget_ms': {
    kind: { type: 'whole', least: 50, most: 600_000, unit: 'milliseconds' },
    fallback: 5_000,
    project: 'nothing',
    what: 'How long a hook may delay its agent.',
    why: 'Long enough for the first scan of a large folder, short enough not to look like a hang.',
  },
  'hooks.strict': {
    kind: SWITCH,
    fallback: false,
    project: 'nothing',
    what: 'If a hook fails, block the call instead of running it without a record.',
    why: 'A failure of Savepoint should not stop your work.',
  },
  'hooks.findings_after_turn': {
    kind: SWITCH,
    fallback: false,
    project: 'nothing',
    what:
      'With each prompt, tell the model what broke elsewhere in the code since its last turn began, as `findings` says it. ' +
      'Not for agents that take no text with a prompt (Cursor, OpenCode).',
    why: 'It costs tokens, and time at each prompt, up to `hooks.budget_ms`.',
  },
  daemon: {
    kind: { type: 'choice', of: ['on', 'off'] },
    fallback: 'on',
    project: 'nothing',
    what:
      'Whether a background process answers hooks, so that a hook does not have to start its own process. `off`: it ' +
      'is never started and never used.',
    why: 'Agents wait for hooks at every step. Without the daemon, hooks work the same but take longer.',
  },
  daemon_idle_minutes: {
    kind: { type: 'whole', least: 1, most: 10_080, unit: 'minutes' },
    fallback: 15,
    project: 'nothing',
    what: 'How long the daemon keeps running without a request.',
    why: 'Longer than the usual pause between two prompts.',
  },
  'run.key': {
    kind: {
      type: 'text',
      form: '`esc`, `ctrl-` with a letter or one of `]`, `\\`, `^` and `_`, or `none`',
      pattern: '^(?:|none|esc|ctrl-[a-hkln-z\\]\\\\^_])$',
    },
    fallback: '',
    project: 'nothing',
    what:
      'The key that opens the list of earlier states when it is pressed twice in a program that `savepoint run` hosts. ' +
      'Empty: `esc`, or another key in programs that use Esc Esc themselves, such as `ctrl-]` in Claude Code.',
    why: 'Esc stops an agent, so the second Esc is where people look for a way back.',
  },
  'run.key_ms': {
    kind: { type: 'whole', least: 50, most: 5_000, unit: 'milliseconds' },
    fallback: 400,
    project: 'nothing',
    what: 'The longest time between the two key presses.',
    why: 'Shorter than the pause between two decisions, longer than a double press.',
  },
  'export.to': {
    kind: {
      type: 'text',
      form: 'an absolute folder, or `s3://bucket/prefix`',
      pattern:
        '^(?:|/.{1,4000}|[A-Za-z]:[\\\\/].{0,4000}|s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:/[A-Za-z0-9._-]+)*/?)$',
    },
    fallback: '',
    project: 'nothing',
    what:
      'A folder or bucket to export new checkpoints to, automatically and in the background. Empty: no export. The ' +
      'credentials of a bucket come from the environment: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.',
    why: 'Nothing leaves your machine without your consent.',
  },
  'export.endpoint': {
    kind: { type: 'text', form: 'an address', pattern: '^(?:|https?://[^\\s/?#@]+/?)$' },
    fallback: '',
    project: 'nothing',
    what: 'The server of the bucket, for example `https://s3.example.org`. Empty: Amazon S3.',
    why: 'Many services support the same protocol.',
  },
  'export.region': {
    kind: { type: 'text', form: 'a region', pattern: '^[a-z0-9-]{0,40}$' },
    fallback: '',
    project: 'nothing',
    what: 'The region of the bucket. Empty: `us-east-1`.',
    why: 'The default of the protocol.',
  },
  'export.name': {
    kind: {
      type: 'text',
      form: 'letters, digits, `.`, `_` and `-`',
      pattern: '^(?:|[A-Za-z0-9_][A-Za-z0-9_-]{0,63})$',
    },
    fallback: '',
    project: 'nothing',
    what:
      'A name for the copies of timelines on this machine. Needed if a store was copied, or put back from an older ' +
      'copy, and another copy was exported to the same place. Bundles then go to `<workspace>-<name>`.',
    why: 'Usually there is one copy of a timeline.',
  },
  'export.private': {
    kind: SWITCH,
    fallback: false,
    project: 'nothing',
    what: 'Include private files: `.env*`, keys and ignored files.',
    why: 'Secrets should not leave the machine.',
  },
  'export.messages': {
    kind: SWITCH,
    fallback: false,
    project: 'nothing',
    what: 'Include conversations, descriptions and the arguments of tool calls.',
    why: 'Prompts may contain secrets.',
  },
  project_file: {
    kind: SWITCH,
    fallback: true,
    project: 'nothing',
    what:
      'Whether to read `.savepoint.json` in a workspace. Anyone who can write to that file can reduce what is ' +
      'recorded.',
    why: 'The file can only restrict settings.',
  },
} as const satisfies Record<string, OptionSpec>;

export type OptionKey = keyof typeof OPTIONS;

type ValueOf<Kind extends OptionKind> = Kind extends { readonly type: 'switch' }
  ? boolean
  : Kind extends { readonly type: 'whole' }
    ? number
    : Kind extends { readonly type: 'text' }
      ? string
      : Kind extends { readonly type: 'choice'; readonly of: readonly (infer Choice)[] }
        ? Choice
        : readonly string[];

export type SettingValues = { readonly [Key in OptionKey]: ValueOf<(typeof OPTIONS)[Key]['kind']> };
export type SettingValue = SettingValues[OptionKey];

/** In the order of the documentation. */
export const OPTION_KEYS = Object.keys(OPTIONS) as readonly OptionKey[];

export function specOf(key: OptionKey): OptionSpec {
  return OPTIONS[key];
}

export const DEFAULT_VALUES = Object.fromEntries(
  OPTION_KEYS.map((key) => [key, OPTIONS[key].fallback]),
) as unknown as SettingValues;

/** Describes the allowed values for people. */
export function describeAllowed({ kind }: OptionSpec): string {
  switch (kind.type) {
    case 'switch':
      return 'true or false';
    case 'whole':
      return `a whole number of ${kind.unit}, from ${kind.least} to ${kind.most}`;
    case 'text':
      return kind.form;
    case 'choice':
      return kind.of.map((choice) => JSON.stringify(choice)).join(' or ');
    case 'patterns':
      if (kind.of === 'folders') return 'a list of folders in the workspace, such as "vendor/ours"';
      return kind.of === 'commands'
        ? 'a list of patterns of commands, such as "rm *"'
        : 'a list of patterns as in .gitignore, without "!"';
  }
}
