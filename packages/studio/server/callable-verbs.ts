/** The verbs that the page may call. A new verb does not compile until this table decides about it. */
import { VERBS, type Verb } from '@savepoint/core/frontend';
import type { VerbName } from './wire.ts';

/** `yes`, the reason why not, the fields that the page must not set, or only as a preview. */
type Decision =
  | 'yes'
  | { readonly not: string }
  | { readonly without: readonly string[]; readonly because: string }
  | { readonly onlyWith: 'dryRun'; readonly because: string };

/**
 * A page can edit any file. So it runs only what a person has trusted on a terminal, where each command was shown: a page must not
 * trust, and not run the hooks of a repository.
 */
const RUNS_ANYTHING = 'it runs a command of the caller, and a page must not be a way to run programs';
const LETS_RUN = 'it lets programs run that are not trusted; the command line shows them and asks first';
const ANY_FILE = 'it reads or writes a file anywhere on the machine';
const FOR_GOOD = 'it cannot be undone; the command line asks for confirmation first';

const DECISIONS: Readonly<Record<VerbName, Decision>> = {
  status: 'yes',
  checkpoint: 'yes',
  list: 'yes',
  show: 'yes',
  diff: 'yes',
  findings: 'yes',
  map: 'yes',
  cat: 'yes',
  history: 'yes',
  blame: 'yes',
  sessions: 'yes',
  turns: 'yes',
  deleteSession: { not: FOR_GOOD },
  stats: 'yes',
  // The page follows the stream of events, which is the same.
  watch: 'yes',
  bisect: { not: RUNS_ANYTHING },
  replay: { not: RUNS_ANYTHING },
  exportSession: { not: ANY_FILE },
  bundleCreate: { not: ANY_FILE },
  bundleRestore: { not: ANY_FILE },
  bundleExport: { not: 'it sends checkpoints to a place outside of this machine' },
  restore: 'yes',
  rollback: 'yes',
  edit: 'yes',
  undo: 'yes',
  redo: 'yes',
  forkCreate: { without: ['command', 'variables'], because: RUNS_ANYTHING },
  forkList: 'yes',
  forkShow: 'yes',
  forkDiff: 'yes',
  forkCompare: 'yes',
  forkOpen: 'yes',
  forkRun: { not: RUNS_ANYTHING },
  forkCheck: 'yes',
  forkMerge: 'yes',
  forkDrop: { without: ['force'], because: FOR_GOOD },
  // Only what is merged, and its last state is kept.
  forkClean: 'yes',
  planNew: 'yes',
  planList: 'yes',
  planShow: 'yes',
  planRevise: 'yes',
  planPhases: 'yes',
  planSplit: 'yes',
  planCheck: 'yes',
  planReview: 'yes',
  planApply: { without: ['commit.hooks'], because: LETS_RUN },
  planCommit: { without: ['hooks'], because: LETS_RUN },
  planRollback: 'yes',
  planCancel: 'yes',
  planPolicy: 'yes',
  planMode: 'yes',
  commentAdd: 'yes',
  commentList: 'yes',
  commentResolve: 'yes',
  commentDelete: 'yes',
  verify: 'yes',
  recover: 'yes',
  repair: { without: ['from'], because: ANY_FILE },
  gc: { onlyWith: 'dryRun', because: FOR_GOOD },
  drop: { not: FOR_GOOD },
  purge: { not: FOR_GOOD },
  pin: 'yes',
  unpin: 'yes',
  setTestResult: 'yes',
  check: 'yes',
  trust: { without: ['digest'], because: LETS_RUN },
  freeze: 'yes',
  unfreeze: 'yes',
  scopeAdd: 'yes',
  scopeDrop: 'yes',
  scopeList: 'yes',
  copies: { without: ['clean', 'all', 'everywhere'], because: FOR_GOOD },
  guardOn: 'yes',
  guardOff: 'yes',
  guardStatus: 'yes',
  guardSteps: { not: 'only an agent takes guarded steps' },
  workspaces: 'yes',
  deleteWorkspace: { not: FOR_GOOD },
  repos: 'yes',
  context: 'yes',
  linkWorkspace: { not: 'it changes which folder a timeline belongs to, and needs a terminal in that folder' },
  config: 'yes',
};

/** These carry contents of files. */
const WITH_CONTENTS: readonly VerbName[] = [
  'edit',
  'planNew',
  'planRevise',
  'planApply',
  'restore',
  'rollback',
  'undo',
  'redo',
  'forkMerge',
];

const MAX_BODY = 1 << 20;
const MAX_BODY_WITH_CONTENTS = 8 << 20;

export function callableVerbs(isReadOnly: boolean): readonly VerbName[] {
  return (Object.keys(VERBS) as VerbName[]).filter((name) => refusedVerb(name, isReadOnly) === null);
}

/** @returns why the page may not call a verb, as the end of a sentence; null if it may */
export function refusedVerb(name: VerbName, isReadOnly: boolean): string | null {
  const decision = DECISIONS[name];
  if (decision !== 'yes' && 'not' in decision) return decision.not;
  if (isReadOnly && verbOf(name).changes !== 'nothing') return 'Studio was started with --read-only';
  return null;
}

/** @returns the field of an input that the page must not set, or must set; null if there is none */
export function refusedField(
  name: VerbName,
  input: object,
): { readonly field: string; readonly message: string } | null {
  const decision = DECISIONS[name];
  if (decision === 'yes' || 'not' in decision) return null;
  const { because } = decision;
  if ('onlyWith' in decision) {
    const field = decision.onlyWith;
    const isSet = (input as Readonly<Record<string, unknown>>)[field] === true;
    return isSet ? null : { field, message: `The page may only call ${name} with ${field}: ${because}.` };
  }
  const field = decision.without.find((one) => isIn(input, one.split('.')));
  return field === undefined ? null : { field, message: `The page may not set ${field} of ${name}: ${because}.` };
}

export function isVerbName(name: string): name is VerbName {
  return Object.hasOwn(VERBS, name);
}

export function verbOf(name: VerbName): Verb {
  return VERBS[name] as unknown as Verb;
}

/** In bytes. */
export function maxBodyOf(name: VerbName): number {
  return WITH_CONTENTS.includes(name) ? MAX_BODY_WITH_CONTENTS : MAX_BODY;
}

function isIn(given: unknown, [name = '', ...rest]: readonly string[]): boolean {
  if (typeof given !== 'object' || given === null || !Object.hasOwn(given, name)) return false;
  return rest.length === 0 || isIn((given as Readonly<Record<string, unknown>>)[name], rest);
}
