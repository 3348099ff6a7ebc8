/**
 * Every option there is, once: parsing, merging, `savepoint config`, the JSON schemas and the documentation are made from
 * this table. It is plain data, so that a hook loads it in no time.
 */

/** What a project's file may say about an option: nothing, or only what captures or keeps less than the person's own. */
export type ProjectMay = 'nothing' | 'turn-off' | 'lower' | 'leave-out' | 'add';

export type OptionKind =
  | { readonly type: 'switch' }
  | { readonly type: 'whole'; readonly least: number; readonly most: number; readonly unit: string }
  | { readonly type: 'choice'; readonly of: readonly string[] }
  | { readonly type: 'text'; readonly form: string; readonly pattern: string }
  | { readonly type: 'patterns'; readonly of: 'commands' | 'paths' | 'folders' };

export interface OptionSpec {
  readonly kind: OptionKind;
  readonly fallback: boolean | number | string | readonly string[];
  readonly project: ProjectMay;
  readonly what: string;
  /** Why the default is what it is. */
  readonly why: string;
}

const SWITCH = { type: 'switch' } as const;
const NO_PATTERNS: readonly string[] = [];

export const OPTIONS = {
  enabled: {
    kind: SWITCH,
    fallback: true,
    project: 'turn-off',
    what: 'Whether anything is captured by itself. What a person asks for works either way.',
    why: 'Who has to turn a safety net on does so after the fall.',
  },
  'triggers.before_write': {
    kind: SWITCH,
    fallback: true,
    project: 'turn-off',
    what: 'Bracket calls of tools that write whole files.',
    why: 'A capture that finds nothing new writes nothing.',
  },
  'triggers.before_edit': {
    kind: SWITCH,
    fallback: true,
    project: 'turn-off',
    what: 'Bracket calls of tools that change a part of a file.',
    why: 'As for `before_write`.',
  },
  'triggers.before_bash': {
    kind: SWITCH,
    fallback: true,
    project: 'turn-off',
    what: 'Bracket shell commands, or those of `bash_patterns`.',
    why: 'A shell says least about what it will do: most of what is lost is lost there.',
  },
  'triggers.on_prompt': {
    kind: SWITCH,
    fallback: true,
    project: 'turn-off',
    what: 'A checkpoint at each prompt.',
    why: 'Prompts are the places that people go back to.',
  },
  'triggers.on_request': {
    kind: SWITCH,
    fallback: true,
    project: 'turn-off',
    what: 'Checkpoints that somebody asks for; without it `checkpoint` is refused.',
    why: 'Nobody asks by accident.',
  },
  bash_patterns: {
    kind: { type: 'patterns', of: 'commands' },
    fallback: NO_PATTERNS,
    project: 'leave-out',
    what: 'Only shell commands that match one of these are bracketed: `rm *`, `git *`; none for all. `*` is any text, `?` one character.',
    why: 'A list of dangerous commands is never complete, and a look that finds nothing is cheap.',
  },
  max_checkpoints: {
    kind: { type: 'whole', least: 1, most: 1_000_000, unit: 'checkpoints' },
    fallback: 1_000,
    project: 'lower',
    what: 'How many checkpoints are kept.',
    why: 'A day of steady work makes some hundreds, and what they share is stored once.',
  },
  retention_hours: {
    kind: { type: 'whole', least: 1, most: 1_000_000, unit: 'hours' },
    fallback: 2_160,
    project: 'lower',
    what: 'How long checkpoints are kept, against the newest one’s time.',
    why: '90 days: a fault that an agent made is often found weeks later.',
  },
  max_sessions: {
    kind: { type: 'whole', least: 1, most: 1_000_000, unit: 'sessions' },
    fallback: 30,
    project: 'lower',
    what: 'Of how many sessions checkpoints are kept.',
    why: 'A month of daily sessions. Checkpoints of no session are not counted here.',
  },
  keep_at_least: {
    kind: { type: 'whole', least: 1, most: 1_000_000, unit: 'checkpoints' },
    fallback: 50,
    project: 'nothing',
    what: 'So many of the newest stay, whatever count, age and sessions say. Only the size of the store comes before it.',
    why: 'Nobody who comes back from holidays wants an empty list; and no project’s file can empty it.',
  },
  max_store_mb: {
    kind: { type: 'whole', least: 1, most: 100_000_000, unit: 'MB (1,048,576 bytes)' },
    fallback: 10_240,
    project: 'nothing',
    what: 'How large one workspace’s store may be, with the plain copies that edits keep: above it the oldest checkpoints go, and when that is not enough, work that needs space is refused before it begins. A checkpoint that takes more than this alone is refused as well; what is new is read no further then.',
    why: 'Room for the first checkpoint of a large repository and months of work; a disk that fills up silently is worse than a refusal.',
  },
  max_file_mb: {
    kind: { type: 'whole', least: 1, most: 1_000_000, unit: 'MB (1,048,576 bytes)' },
    fallback: 50,
    project: 'lower',
    what: 'Larger files are left out, and named.',
    why: 'Sources, notebooks and fixtures are smaller; models and films are larger, change rarely and come from elsewhere.',
  },
  max_ignored_kb: {
    kind: { type: 'whole', least: 0, most: 1_000_000_000, unit: 'kB (1,024 bytes)' },
    fallback: 1_024,
    project: 'lower',
    what: 'Larger files that an ignore rule covers are left out; `.env` files are not.',
    why: 'Settings and notes that git does not know are small; build products are not.',
  },
  include: {
    kind: { type: 'patterns', of: 'paths' },
    fallback: NO_PATTERNS,
    project: 'nothing',
    what: 'Captured although ignore rules or the name of a folder say otherwise; in the syntax of `.gitignore`, from the workspace’s folder.',
    why: 'What you ignore you can usually make again.',
  },
  exclude: {
    kind: { type: 'patterns', of: 'paths' },
    fallback: NO_PATTERNS,
    project: 'add',
    what: 'Left out, also where git tracks it; in the syntax of `.gitignore`. Comes before `include`.',
    why: 'What is left out cannot be brought back.',
  },
  roots: {
    kind: { type: 'patterns', of: 'folders' },
    fallback: NO_PATTERNS,
    project: 'nothing',
    what: 'Plain folders, from the workspace’s folder, that are roots as repositories are: captured whatever ignore rules around them or their names say, and listed by `repos`. Not patterns; `exclude` comes first.',
    why: 'Repositories are found by themselves; of other folders nobody can tell that they are a unit of their own.',
  },
  record_index: {
    kind: SWITCH,
    fallback: false,
    project: 'turn-off',
    what: 'Whether a checkpoint also has the index of each repository, with what is staged, so that `restore --git` brings back what was staged, too.',
    why: 'What is staged may be in no file any more, and nobody expects that to be kept.',
  },
  adopt: {
    kind: SWITCH,
    fallback: true,
    project: 'turn-off',
    what: 'Whether a first checkpoint takes over contents from the repositories of the workspace where git’s own records prove what a file holds, instead of reading every file. What it holds is the same either way.',
    why: 'Reading, hashing and compressing is nearly all that a first checkpoint takes.',
  },
  backups: {
    kind: { type: 'choice', of: ['store', 'beside'] },
    fallback: 'store',
    project: 'nothing',
    what: 'Where edits keep plain copies of what they replace: in the store, or as `a.ts.bak` beside each file.',
    why: 'Nobody wants such files in a commit.',
  },
  'hooks.budget_ms': {
    kind: { type: 'whole', least: 50, most: 600_000, unit: 'milliseconds' },
    fallback: 5_000,
    project: 'nothing',
    what: 'How long a hook may hold up its agent.',
    why: 'Long enough for a first look at a large folder, short enough that nobody takes it for a hang.',
  },
  'hooks.strict': {
    kind: SWITCH,
    fallback: false,
    project: 'nothing',
    what: 'A hook that fails blocks the call, instead of letting it go unrecorded.',
    why: 'A fault of ours is no reason to stop your work.',
  },
  daemon: {
    kind: { type: 'choice', of: ['on', 'off'] },
    fallback: 'on',
    project: 'nothing',
    what: 'Whether hooks are answered by one process of yours that stays for a while, so that they need not start one each. `off`: it is never started and never asked.',
    why: 'An agent waits for its hooks at every step; without it they do the same, only later.',
  },
  daemon_idle_minutes: {
    kind: { type: 'whole', least: 1, most: 10_080, unit: 'minutes' },
    fallback: 15,
    project: 'nothing',
    what: 'How long the daemon stays when nobody asks it anything.',
    why: 'Longer than a person thinks between two prompts, shorter than a lunch.',
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
    what: 'Where each new checkpoint goes as a bundle, by itself and in the background: a folder, or a bucket. Empty: nowhere. The key and the secret of a bucket come from the environment, as `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.',
    why: 'Nothing leaves your machine before you say so.',
  },
  'export.endpoint': {
    kind: { type: 'text', form: 'an address', pattern: '^(?:|https?://[^\\s/?#@]+/?)$' },
    fallback: '',
    project: 'nothing',
    what: 'The server of the bucket, as `https://s3.example.org`; empty for that of Amazon.',
    why: 'Many speak the same protocol.',
  },
  'export.region': {
    kind: { type: 'text', form: 'a region', pattern: '^[a-z0-9-]{0,40}$' },
    fallback: '',
    project: 'nothing',
    what: 'The region of the bucket; empty for `us-east-1`.',
    why: 'As the protocol has it.',
  },
  'export.private': {
    kind: SWITCH,
    fallback: false,
    project: 'nothing',
    what: 'Also private files: `.env*`, keys, and what an ignore rule covers.',
    why: 'Secrets stay where they are.',
  },
  'export.messages': {
    kind: SWITCH,
    fallback: false,
    project: 'nothing',
    what: 'Also what people and agents said, and what tools were called with.',
    why: 'A prompt may hold anything.',
  },
  project_file: {
    kind: SWITCH,
    fallback: true,
    project: 'nothing',
    what: 'Whether `.savepoint.json` in a workspace counts. Whoever can write there can make less be recorded.',
    why: 'It can only narrow.',
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

/** What may stand there, for people. */
export function allowed({ kind }: OptionSpec): string {
  switch (kind.type) {
    case 'switch':
      return 'true or false';
    case 'whole':
      return `a whole number from ${kind.least} to ${kind.most} (${kind.unit})`;
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
