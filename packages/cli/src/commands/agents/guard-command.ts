/** `savepoint guard -- COMMAND`: not a verb, because it runs another program between two runs of the checks. */
import { basename } from 'node:path';
import { SavepointError, type Session, textFromBytes } from '@savepoint/core';
import { type ChildExit, exitStatusOf, runInForeground } from '../../child.ts';
import {
  type CommandContext,
  type CommandEnvironment,
  lines,
  type StandaloneCommand,
  wholeNumber,
} from '../../command.ts';
import { folderToOpen } from '../../folder.ts';
import { turnLines, verdictLines } from '../../show/guard.ts';
import { writeAll } from '../../write.ts';
import { CHECK_OPTION, checkNames, everyOption } from './guard-options.ts';
import { hostedAgent, SESSION_VARIABLE } from './hosted-agent.ts';

type Guarded = Awaited<ReturnType<typeof Session.prototype.guard<ChildExit>>>;

/** Exit statuses that are not the command's own. */
const TAKEN_BACK = 3;
const LEFT = 5;

export const guard: StandaloneCommand = {
  description:
    'Runs the checks, then the command in the folder, then the checks again. The checks run in a copy. If a check has new ' +
    'failures or works no longer, everything that changed while the command ran is rolled back, and the failures are ' +
    'listed. Changes that are known to be by others stay, also in the same files; those of an editor without a report ' +
    'look like changes of the command. `savepoint undo` brings all back. The exit status is that of the command if nothing ' +
    'is worse; 3 if its changes were taken back; 5 if something is worse and they could not be taken back, or if the checks ' +
    'gave no answer. With --attempts 2 or more, the command runs again after it was taken back. If the guard is killed, the command is ended, and what it changed stays. If the command is an agent with hooks, each of its turns is guarded, as with ' +
    '`savepoint guard on`; the last one that was checked decides the exit status. The checks must be trusted: see `savepoint trust`.',
  usage: '[options] -- <command...>',
  operands: [['[none...]', '']],
  takesCommand: true,
  options: [
    CHECK_OPTION,
    {
      flags: '--attempts <number>',
      description:
        'how often the command runs at most (default: 1); for agents with hooks: how often work is taken back in a row ' +
        '(default: 3)',
    },
    { flags: '--every <when>', description: 'for agents with hooks: turn, or a number: also after that many calls' },
  ],
  examples: [
    'savepoint guard --check tests -- npm run codemod',
    'savepoint guard --check tsc --check vitest --attempts 3 -- ./migrate.sh',
    'savepoint guard --check tests --every turn -- claude',
  ],

  run: ({ operands: [stray], rest, options }, surroundings) => {
    const [file, ...args] = rest;
    if (stray !== undefined || file === undefined) {
      const hint = 'Example: `savepoint guard --check tests -- npm run codemod`.';
      const message = stray === undefined ? 'guard needs a command after --.' : 'The command must follow --.';
      throw new SavepointError('USAGE', message, { argument: stray ?? 'command' }, { hint });
    }
    const given = { operands: [], paths: [], options };
    const checks = checkNames(options);
    const every = everyOption(given);
    const attempts = wholeNumber(given, 'attempts', '--attempts');
    return surroundings.inWorkspace(async (context) => {
      const started = await hostedAgent(
        file,
        args,
        folderToOpen(surroundings.globals.folder, surroundings.env),
        surroundings.env,
      );
      const start: GuardedStart = { file, args: started.args, env: started.env, checks };
      if (started.agent === null && every === undefined)
        return guardCommand(start, attempts ?? 1, context, surroundings);
      const guarding = {
        checks,
        ...(every === undefined ? {} : { every }),
        ...(attempts === undefined ? {} : { attempts }),
      };
      return guardAgent(start, guarding, context, surroundings);
    });
  },
};

interface GuardedStart {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: CommandEnvironment['env'];
  readonly checks: readonly string[];
}

/** The hooks of the agent check its turns. A guard that a person has turned on stays on. */
async function guardAgent(
  start: GuardedStart,
  guarding: Parameters<CommandContext['savepoint']['guardOn']>[0],
  context: CommandContext,
  surroundings: CommandEnvironment,
): Promise<number> {
  const { savepoint, signal } = context;
  if ((await savepoint.guardStatus()).settings !== null) {
    const hint = 'Run the agent without `savepoint guard`, or run `savepoint guard off` first.';
    throw new SavepointError('USAGE', 'This workspace is already guarded.', { argument: 'guard' }, { hint });
  }
  const { settings } = await savepoint.guardOn({ ...guarding, endsWithProcess: true, signal });
  try {
    const status = exitStatusOf(await inForeground(start, start.env, context, surroundings));
    const since = settings?.since ?? 0;
    const events = (await savepoint.guardStatus()).events.filter(({ time }) => time >= since);
    context.clearProgress();
    writeAll(2, turnLines(events));
    return statusAfter(events.at(-1)?.outcome ?? 'good', status);
  } finally {
    await savepoint.guardOff();
  }
}

function statusAfter(outcome: Guarded['outcome'] | 'repaired', status: number): number {
  if (outcome === 'taken-back') return TAKEN_BACK;
  if (outcome === 'left') return LEFT;
  return outcome === 'unknown' && status === 0 ? LEFT : status;
}

async function guardCommand(
  start: GuardedStart,
  attempts: number,
  context: CommandContext,
  surroundings: CommandEnvironment,
): Promise<number> {
  const { file, args, checks } = start;
  const { savepoint, view } = context;
  // In an agent's shell, the open call of the agent is the author of what the command changes.
  const caller = await savepoint.caller();
  const isInCall = caller.session !== null;
  const named = isInCall ? { agent: caller.actor, id: caller.session } : { agent: basename(file) };
  const session = savepoint.session(named);
  if (!isInCall) await session.start({ signal: context.signal });
  const summary = [file, ...args].join(' ');
  const shell = { any: SESSION_VARIABLE, session: SESSION_VARIABLE };
  const guarded = await session.guard(
    async ({ attempt }) => {
      if (attempt > 1) writeAll(2, lines(`savepoint: taken back; attempt ${attempt} of ${attempts} …`));
      if (isInCall) return inForeground(start, start.env, context, surroundings);
      const env = { ...start.env, [SESSION_VARIABLE]: session.id };
      const request = { tool: 'guard', args: { command: [file, ...args] }, summary, hosts: true, shell };
      return session.call(request, () => inForeground(start, env, context, surroundings));
    },
    { checks, attempts },
  );
  if (!isInCall) await session.close();
  await savepoint.idle();
  context.clearProgress();
  writeAll(2, report(guarded, view.style.bad('error:')));
  return statusAfter(guarded.outcome, exitStatusOf(guarded.value));
}

function inForeground(
  { file, args }: GuardedStart,
  env: CommandEnvironment['env'],
  context: CommandContext,
  { globals, env: own, interrupt }: CommandEnvironment,
): Promise<ChildExit> {
  const cwd = textFromBytes(folderToOpen(globals.folder, own));
  if (cwd === null)
    throw new SavepointError('USAGE', 'guard cannot be used in a folder whose name is not valid UTF-8.');
  context.clearProgress();
  interrupt.end();
  return context.withoutMessages(() => runInForeground({ file, args, cwd, env: { ...env } }, { endsWithThis: true }));
}

function report({ value, operation, ...verdict }: Guarded, error: string): string {
  const failed = value.kind === 'failed' ? [`${error} the command cannot be run: ${value.code}`] : [];
  return lines(failed) + verdictLines({ ...verdict, operation: operation?.id ?? null });
}
