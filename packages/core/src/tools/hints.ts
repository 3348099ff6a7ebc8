/** What an error tells a model to do: in terms of tools, because a model that has tools need not have a shell. */
import { ERROR_CODES, type ErrorCode, type SavepointError } from '../model/errors.ts';
import { TOOLS } from './table.ts';

/** For codes whose usual hint names commands or options. */
const HINTS: { readonly [Code in ErrorCode]?: string } = {
  USAGE: 'Nothing was changed. See the input schema of the tool.',
  BAD_CONFIG: 'Nothing was changed. Ask the user to fix or remove the file.',
  TURNED_OFF: 'The user can turn it on in the configuration.',
  UNKNOWN_CHECKPOINT: 'checkpoint_list lists the checkpoints.',
  NO_MESSAGE: 'Use the message in `nearest`, or a checkpoint from checkpoint_list.',
  UNKNOWN_CHANGE: 'history lists changes, and checkpoint_show those of a checkpoint.',
  UNKNOWN_SESSION: 'Use one of `known`. history with scope "all" names the sessions of changes.',
  UNKNOWN_AGENT: 'Use one of `known`. history with scope "all" names the agents of changes.',
  UNKNOWN_CALL: 'Use one of `known`, or the ids of changes from history.',
  NO_CHECKPOINT: 'Call checkpoint_create to take one.',
  NO_WORKSPACE: 'Call checkpoint_create to take the first checkpoint.',
  ROOT_REFUSED: 'Ask the user to start the server in the project folder.',
  STORE_UNSAFE: 'Ask the user to make the folder private (chmod 700), or to set SAVEPOINT_HOME to another folder.',
  STORE_TOO_NEW: 'Nothing was read or changed. Ask the user to update Savepoint.',
  STORE_DAMAGED:
    'All other checkpoints can still be restored. Ask the user to run `savepoint verify --deep`, which lists the ' +
    'affected ones.',
  LOCK_LOST: 'Call the tool again.',
  FROZEN: 'Nothing was changed. Agents may not change frozen paths. Only the user may unfreeze them.',
  CALL_OPEN: 'Nothing was changed. Wait until the call ends, then call the tool again.',
  NOTHING_TO_UNDO: 'To go back to a checkpoint, use checkpoint_list and checkpoint_restore.',
  NOTHING_TO_REDO: 'To go back to a checkpoint, use checkpoint_list and checkpoint_restore.',
  NO_SPACE:
    'Ask the user to free some space on the disk of this path (`savepoint gc` drops old checkpoints, which helps if the ' +
    'store is on it). Then retry.',
  STORE_FULL:
    'Nothing was changed. Ask the user to raise max_store_mb, to unpin checkpoints or to exclude large files.',
  CHECKS_FAILED: 'Nothing was changed. Fix the failures. Only the user can decide to go on in spite of them.',
  PENDING: 'Ask the user to run `savepoint recover`: `--forward` finishes the operation, `--back` rolls it back.',
  INTERNAL: 'This is a bug in Savepoint. Tell the user, who can report it.',
};

/** The hint of an error, for a model. A hint that was written for one error keeps its words as far as possible. */
export function hintForModel({ code, hint }: SavepointError): string {
  return hint === ERROR_CODES[code].hint ? (HINTS[code] ?? hint) : textForModel(hint);
}

/**
 * Replaces commands and options by tools and arguments. What only a user can run is said to be for the user. Not for
 * messages: they quote what was given, and that must not change.
 */
export function textForModel(text: string): string {
  return text
    .split(/((?:Run |run )?`savepoint [^`]*`)/)
    .map((part, index) => (index % 2 === 0 ? part.replace(OPTION, argumentOf) : commandForModel(part)))
    .join('');
}

const OPTION = /(?<![\w-])--([a-z][a-z-]*)/g;

/** Options whose argument has another name. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  change: 'changes',
  hunk: 'hunks',
  file: 'paths',
  exact: 'mode "exact"',
  'keep-outside': 'mode "keep-outside"',
  resolution: 'resolutions',
};

function argumentOf(_: string, option: string): string {
  return ARGUMENTS[option] ?? option.replaceAll('-', '_');
}

const TOOL_OF_VERB: ReadonlyMap<string, string> = new Map(TOOLS.map(({ name, verb }) => [verb.name, name]));

function commandForModel(part: string): string {
  const [, run = '', verb = '', rest = ''] = /^(Run |run )?`savepoint ([\w-]+)([^`]*)`$/.exec(part) ?? [];
  // The hunks of a change.
  const change = verb === 'rollback' ? /--change (\S+) --dry-run/.exec(rest)?.[1] : undefined;
  const tool = change === undefined ? TOOL_OF_VERB.get(verb) : 'checkpoint_diff';
  const call = run === '' ? '' : run.replace('un', 'all').replace('R', 'C').replace('r', 'c');
  if (change !== undefined) return `${call}${tool} with change ${change}`;
  if (tool !== undefined) return `${call}${tool}${rest.replace(OPTION, argumentOf)}`;
  if (run === '') return `${part} (a command for the user)`;
  return `${run === 'Run ' ? 'Ask' : 'ask'} the user to run ${part.slice(run.length)}`;
}
