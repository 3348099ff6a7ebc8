/**
 * Carries out a command that the user typed at the prompt of an agent (`/savepoint:rewind 2`), with the verbs and the
 * output of the command line. The user typed it, so it is carried out without a question, and everything can be undone.
 */
import { type Savepoint, SavepointError } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import type { OpenTyped, RunnableCommand } from './agents.ts';
import { type CommandContext, lines, type VerbArguments, type VerbCommand } from './command.ts';
import { asFailure, failureAsText } from './failure.ts';
import { relativeTime } from './show/format.ts';
import { turnLines } from './show/turn.ts';
import { type OutputView, PLAIN } from './view.ts';

type Request = RunnableCommand['request'];

/** What a command works with. */
interface Surroundings {
  readonly prefix: string;
  readonly savepoint: Savepoint;
  readonly signal: AbortSignal;
}

/** Agents show plain text. */
const VIEW: OutputView = { style: PLAIN, width: 100, isTerminal: false, isPage: false };
const LISTED = 15;
const MAX_LINES = 100;
const MAX_LENGTH = 12_000;

const IN_TERMINAL: Readonly<Record<Request['kind'], string>> = {
  list: 'list',
  show: 'show',
  diff: 'diff',
  create: 'checkpoint',
  turns: 'turns',
  rewind: 'restore',
  restore: 'restore',
  undo: 'undo',
  redo: 'redo',
};

/** @returns what to show to the user; it does not fail */
export async function runTyped({ prefix, request }: RunnableCommand, open: OpenTyped): Promise<string> {
  try {
    const text = await open((savepoint, signal) => carryOut(request, { prefix, savepoint, signal }));
    return shortened(asTyped(text, prefix));
  } catch (error) {
    const failure = asFailure(error);
    if (failure.code === 'CANCELLED') return 'This takes longer than the agent waits. Run it in a terminal.';
    const text = shortened(asTyped(failureAsText(failure, PLAIN), prefix));
    const command = IN_TERMINAL[request.kind];
    return / --\w/.test(failure.hint) ? `${text}\nThese options are for \`savepoint ${command}\` in a terminal.` : text;
  }
}

async function carryOut(request: Request, on: Surroundings): Promise<string> {
  switch (request.kind) {
    case 'list': {
      const { list } = await import('./commands/checkpoints/list.ts');
      return shown(list, { options: { limit: `${LISTED}` } }, on);
    }
    case 'show': {
      const { show } = await import('./commands/checkpoints/show.ts');
      return shown(show, { operands: [request.checkpoint] }, on);
    }
    case 'diff': {
      const { diff } = await import('./commands/changes/diff.ts');
      return shown(diff, { operands: [request.checkpoint], options: { patch: true } }, on);
    }
    case 'create': {
      const { checkpoint } = await import('./commands/checkpoints/checkpoint.ts');
      return shown(checkpoint, { options: request.message === null ? {} : { message: request.message } }, on);
    }
    case 'undo': {
      const { undo } = await import('./commands/rewind/undo.ts');
      return shown(undo, {}, on);
    }
    case 'redo': {
      const { redo } = await import('./commands/rewind/redo.ts');
      return shown(redo, {}, on);
    }
    case 'turns':
      return listTurns(on);
    case 'rewind': {
      const checkpoint = await beforeTurn(request.turn, on);
      // The agent that runs keeps its conversation in memory, so a conversation can only go back as another session.
      const next = `\`savepoint restore ${checkpoint} --conversation-only\``;
      const note = `The conversation stays. ${next} in a terminal takes it back, too.`;
      return restore({ ...request, checkpoint }, on, [note]);
    }
    case 'restore':
      return restore(request, on);
  }
}

async function shown<V extends VerbCommand>(
  command: V,
  given: Partial<VerbArguments>,
  { savepoint, signal }: Surroundings,
): Promise<string> {
  const all: VerbArguments = { operands: [], paths: [], options: {}, ...given };
  const context: CommandContext = {
    savepoint,
    signal,
    ask: null,
    output: 'plain',
    clearProgress: () => undefined,
    withoutMessages: (work) => work(),
    view: VIEW,
    variables: {},
    absolutePath: (path) => path,
    agents: async () => [],
  };
  const input = await command.input(all, context);
  const output = await (command.carryOut?.(input, all, context) ?? command.verb.handle(savepoint, input, { signal }));
  return command.render(output, VIEW, all).toString();
}

async function listTurns({ prefix, savepoint, signal }: Surroundings): Promise<string> {
  const { turns } = await VERBS.turns.handle(savepoint, { limit: LISTED }, { signal });
  if (turns.length === 0) return 'No prompts to agents recorded yet.';
  const now = Date.now();
  const rows = turnLines(turns, VIEW, ({ ended }) => relativeTime(ended, now));
  const width = `${rows.length}`.length;
  return lines(
    'The last prompts, the newest first:',
    rows.map((row, index) => `${`${index + 1}`.padStart(width)} ${row}`),
    `\`${prefix}rewind 1\` puts the files back to before the first of them, \`${prefix}rewind cp_12\` to that checkpoint.`,
  );
}

/** @throws SavepointError BAD_ID if there is no such turn, or no checkpoint before it */
async function beforeTurn(number: number, { prefix, savepoint, signal }: Surroundings): Promise<string> {
  const { turns } = await VERBS.turns.handle(savepoint, { limit: number }, { signal });
  const turn = turns[number - 1];
  const hint = `Nothing was changed. \`${prefix}rewind\` lists the last prompts.`;
  const given = `${number}`;
  if (turn === undefined) throw new SavepointError('BAD_ID', `There is no prompt ${number}.`, { given }, { hint });
  if (turn.before === null)
    throw new SavepointError('BAD_ID', `There is no checkpoint before prompt ${number}.`, { given }, { hint });
  return turn.before;
}

type RestoreRequest = Omit<Extract<Request, { readonly kind: 'restore' }>, 'kind'>;

/**
 * Restores the entire workspace, even if the agent works in a folder of it.
 * @param notes lines that follow if it was restored
 */
async function restore(
  { checkpoint, mode }: RestoreRequest,
  on: Surroundings,
  notes: readonly string[] = [],
): Promise<string> {
  const command = (await import('./commands/rewind/restore.ts')).restore;
  const modes = { 'keep-outside': { keepOutside: true }, exact: { exact: true } };
  const options = { all: true, ...(mode === null ? {} : modes[mode]) };
  try {
    const done = await shown(command, { operands: [checkpoint], options: { ...options, yes: true } }, on);
    return done + lines(notes);
  } catch (error) {
    if (mode !== null || !(error instanceof SavepointError && error.code === 'CONFLICT')) throw error;
    const input = { checkpoint, all: true, dryRun: true };
    const preview = await VERBS.restore.handle(on.savepoint, input, { signal: on.signal });
    if (preview.parties === null) throw error;
    const given = { operands: [checkpoint], paths: [], options: { ...options, dryRun: true } };
    return lines(
      'Nothing was changed: both agents and others changed files since. Choose what to do:',
      `  ${on.prefix}rewind ${checkpoint} keep-outside   reverts only changes of agents`,
      `  ${on.prefix}rewind ${checkpoint} exact          also reverts those of others`,
      '',
      command.render(preview, VIEW, given).toString().trimEnd().split('\n'),
    );
  }
}

/** The commands that the output names, as they are typed here. */
function asTyped(text: string, prefix: string): string {
  return text.replaceAll(/`savepoint (undo|redo)`/g, `\`${prefix}$1\``);
}

function shortened(text: string): string {
  const all = text.trimEnd().split('\n');
  let end = 0;
  for (let length = 0; end < Math.min(all.length, MAX_LINES); end += 1) {
    length += (all[end]?.length ?? 0) + 1;
    if (length > MAX_LENGTH) break;
  }
  if (end === all.length) return all.join('\n');
  return `${all.slice(0, end).join('\n')}\n… and ${all.length - end} more lines. \`savepoint\` in a terminal shows them all.`;
}
