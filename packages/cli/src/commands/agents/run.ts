/** `savepoint run`: not a verb, because it runs another program, with a checkpoint before and after. */

import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { isatty } from 'node:tty';
import {
  type CallId,
  type DiskPath,
  SavepointError,
  type SessionOptions,
  showText,
  textFromBytes,
} from '@savepoint/core';
import { shellWord } from '@savepoint/core/frontend';
import { assertUtf8 } from '../../argument-path.ts';
import { type ChildCommand, type ChildExit, exitStatusOf, runInForeground } from '../../child.ts';
import {
  type CliOptionSpec,
  type CommandContext,
  type CommandEnvironment,
  lines,
  type ParsedArguments,
  type StandaloneCommand,
  type VerbArguments,
} from '../../command.ts';
import { asFailure, failureAsText } from '../../failure.ts';
import { folderToOpen } from '../../folder.ts';
import { ignoreHangUps, listenForInterrupts } from '../../interrupt.ts';
import { APPLY_OPTIONS, DECISION_OPTIONS } from '../../proposal/decision.ts';
import { isKeyName } from '../../terminal-host/gesture-keys.ts';
import type { NextProgram } from '../../terminal-host/overlay/ui.ts';
import { runHosted } from '../../terminal-host/run-hosted.ts';
import type { Style } from '../../view.ts';
import { writeAll } from '../../write.ts';
import { continuedAgent, type HostedAgent, hostedAgent, SESSION_VARIABLE } from './hosted-agent.ts';
import { newestCheckpoint, resultNotes } from './run-notes.ts';

const OPTIONS: readonly CliOptionSpec[] = [
  { flags: '--restore-checkpoint <checkpoint>', description: 'first restore the entire workspace to this checkpoint' },
  { flags: '-y, --yes', description: 'with --restore-checkpoint: do not ask for confirmation' },
  { flags: '--exact', description: 'with --restore-checkpoint: same as `restore --exact`' },
  {
    flags: '--keep-outside',
    description: 'with --restore-checkpoint: same as `restore --keep-outside`',
    conflicts: 'exact',
  },
  { flags: '--no-checkpoints', description: 'take no checkpoints, and turn hooks off for the command (SAVEPOINT=off)' },
  { flags: '--agent <name>', description: 'record changes under this name (default: the name of the program)' },
  { flags: '--session <name>', description: 'the id of the session (default: a new one)' },
  {
    flags: '--key <key>',
    description:
      'pressed twice, opens the list of earlier states: esc, ctrl-], … (default: the option run.key, else a key that the program does not use)',
  },
  { flags: '--no-key', description: 'open no list' },
  {
    flags: '--isolated',
    description: 'run in a copy of the folder; then apply, plan, save or drop what was changed, as with `try`',
    conflicts: 'key',
  },
  {
    flags: '--preset <preset>',
    description: 'with --isolated, what the program may do: list names, read, or edit (default)',
  },
  {
    flags: '--each-turn',
    description:
      'with --isolated: propose the changes at the end of each turn of the agent; with --apply, apply them then',
    conflicts: ['patch', 'keep', 'drop'],
  },
  ...DECISION_OPTIONS,
  ...APPLY_OPTIONS,
];

export const run: StandaloneCommand = {
  description:
    'Takes a checkpoint, runs the command in the current folder and terminal, and records its changes in a session ' +
    'of its own. `savepoint rollback --session ID --likely` reverts them. The exit status is that of the command; 128 plus the ' +
    'number of the signal if a signal ended it; 127 if the program was not found. Ctrl-C goes to the command, and ' +
    'its changes are recorded even then. If no checkpoint can be taken, or the restore is refused, the command is ' +
    'not run. Claude Code, Codex and opencode get hooks for this run if they have none. On a terminal, Esc twice opens a ' +
    'list of earlier states over the command: what changed since, restore files or files and conversation, diff, undo. In programs that use Esc Esc themselves, it is another key: Ctrl-] (Claude Code, Codex, Gemini CLI, ' +
    'Copilot CLI, opencode, Emacs), Ctrl-_ (vi) or Ctrl-^ (shells, python, node, irb, psql and sqlite3 at their prompts).\n\n' +
    'With --isolated, the program and all that it starts work in a copy of the folder. The folder itself does not change ' +
    'until the changes are applied, and edits that you make there meanwhile stay. Applied changes are surely of the ' +
    'agent. What is not isolated is said at the start: at least your home folder, /tmp and the network. With --preset read, nothing ' +
    'in the folder can be written; with list, the names of captured files are there and nothing can be read. The system enforces ' +
    'that (Linux only); where it cannot, the program is not run. With --each-turn, the changes are proposed each time when the ' +
    'agent ends a turn (agents with hooks). What you changed in the folder comes into the copy then. With --json, the ' +
    'output of the program goes to standard error.',
  usage: '[options] -- <command...>',
  // Accepted only for a better error message: the command must follow `--`.
  operands: [['[none...]', '']],
  takesCommand: true,
  options: OPTIONS,
  examples: [
    'savepoint run -- npm run codemod',
    'savepoint run --restore-checkpoint cp_12 -- make test',
    'savepoint run --no-checkpoints -- npm ci',
    'savepoint run --isolated -- claude',
    'savepoint run --isolated --each-turn --apply -- claude',
    'savepoint run --isolated --preset read -- claude',
  ],

  run: ({ operands, rest, options }, surroundings) => {
    const { globals, env } = surroundings;
    assertCommandAfterDashes(operands, globals.json && options['isolated'] !== true);
    const folder = folderToOpen(globals.folder, env);
    return surroundings.inWorkspace((context) =>
      runBetweenCheckpoints(rest, { operands, rest, options }, context, folder, surroundings),
    );
  },
};

/** @throws SavepointError USAGE */
function assertCommandAfterDashes(stray: readonly string[], json: boolean): void {
  const [first] = stray;
  if (first !== undefined) {
    const hint = 'Example: `savepoint run -- npm test`.';
    const message = `The command must follow --, but ${JSON.stringify(first)} is before it.`;
    throw new SavepointError('USAGE', message, { argument: first }, { hint });
  }
  if (json) {
    throw new SavepointError(
      'USAGE',
      'run takes --json only with --isolated, because its output is that of the command.',
      {
        argument: '--json',
      },
    );
  }
}

async function runBetweenCheckpoints(
  command: readonly string[],
  given: ParsedArguments,
  context: CommandContext,
  folder: DiskPath,
  surroundings: CommandEnvironment,
): Promise<number> {
  const { options } = given;
  const { env, interrupt } = surroundings;
  const [file, ...args] = command;
  if (file === undefined) {
    throw new SavepointError(
      'USAGE',
      'run needs a command after --.',
      { argument: 'command' },
      { hint: 'Example: `savepoint run -- npm test`.' },
    );
  }
  for (const word of command) assertUtf8(word);
  const isOn = options['checkpoints'] !== false;
  const key = keyOption(options);
  await restoreFirst(options, context);
  const cwd = textFromBytes(folder);
  if (cwd === null) throw new SavepointError('USAGE', 'run cannot be used in a folder whose name is not valid UTF-8.');
  if (!existsSync(cwd)) {
    const data = { path: cwd, operation: 'run', code: 'ENOENT' };
    const hint = 'The command was not run. Undo the restore with `savepoint undo`, or use another folder.';
    throw new SavepointError('IO', `The folder ${showText(cwd)} does not exist in the checkpoint.`, data, { hint });
  }
  const session = { agent: agentNameOf(options, file), ...sessionOption(options) };
  if (options['isolated'] === true) {
    if (!isOn) throw new SavepointError('USAGE', '--isolated needs checkpoints.', { argument: '--no-checkpoints' });
    const { runIsolated } = await import('./run-isolated.ts');
    return runIsolated({ command: [file, ...args], given, names: session, folder }, context, surroundings);
  }
  assertIsolated(options);
  const runWith = (start: ProgramStart): Promise<ChildExit> => {
    context.clearProgress();
    interrupt.end();
    const child: ChildCommand = { file, args: start.args, cwd, env: { ...start.env } };
    const following = async ({ command: [, ...more], dir }: NextProgram): Promise<ChildCommand> => {
      const next = await continuedAgent(file, [more, args], folder, env);
      return { file, args: next.args, cwd: dir, env: { ...next.env, [SESSION_VARIABLE]: child.env[SESSION_VARIABLE] } };
    };
    const hosts = { agent: start.known, session: start.env[SESSION_VARIABLE] ?? '' };
    const hosted = () => runHosted(child, { key, following, hosts }, context);
    return context.withoutMessages(() => (isOn ? hosted() : runInForeground(child)));
  };
  if (!isOn)
    return reportExit(
      await runWith({ known: null, args, env: { ...env, SAVEPOINT: 'off' } }),
      file,
      context.view.style,
    );
  const hosted = await hostedAgent(file, args, folder, env);
  if (hosted.note !== null && isatty(2)) writeAll(2, lines(hosted.note));
  return runCaptured([file, ...args], hosted, runWith, { session, context });
}

type ProgramStart = Pick<HostedAgent, 'known' | 'args' | 'env'>;

const CALL_NOT_RECORDED =
  'The changes of the command were not recorded: the record of its start is no longer in the store.';
const CALL_NOT_RECORDED_HINT = 'The command was run. `savepoint checkpoint` captures the current state.';

async function runCaptured(
  command: readonly [string, ...string[]],
  hosted: HostedAgent,
  runWith: (start: ProgramStart) => Promise<ChildExit>,
  {
    session: names,
    context: { savepoint, signal, view, clearProgress },
  }: { readonly session: SessionOptions; readonly context: CommandContext },
): Promise<number> {
  const session = savepoint.session(names);
  let call: CallId;
  let isTracked: boolean;
  let before: string | null;
  try {
    await session.start({ signal });
    const summary = command.map(shellWord).join(' ');
    const shell = { any: SESSION_VARIABLE, session: SESSION_VARIABLE };
    const hosts = { hosts: true, ...(hosted.agent === null ? {} : { hostsAgent: hosted.agent }) };
    call = (await session.begin({ tool: 'run', args: { command }, summary, ...hosts, shell }, { signal })).id;
    before = await newestCheckpoint(savepoint);
    isTracked = (await session.openCalls()).some(({ id, uncaptured }) => id === call && uncaptured !== true);
  } catch (error) {
    const { code, message, data, hint, exit } = asFailure(error);
    if (exit === 2 || code === 'CANCELLED') throw error;
    const way = 'The command was not run. To run it without checkpoints, use --no-checkpoints.';
    throw new SavepointError(code, message, data, { hint: `${hint}\n${way}`, cause: error });
  }
  const env = { ...hosted.env, [SESSION_VARIABLE]: session.id };
  const ended = runWith({ known: hosted.known, args: hosted.args, env });
  // A shell sends a further SIGHUP when its terminal is closed, at any time from now on.
  const stopIgnoring = ignoreHangUps();
  const status = reportExit(await ended, command[0], view.style);
  const interrupt = listenForInterrupts(['SIGINT', 'SIGTERM']);
  try {
    const found = await session.end(call, { signal: interrupt.signal }).catch(throwNotRecorded);
    await session.close({ signal: interrupt.signal });
    await savepoint.idle();
    if (isTracked && !found.found)
      throw new SavepointError('STORE_DAMAGED', CALL_NOT_RECORDED, {}, { hint: CALL_NOT_RECORDED_HINT });
    if (isatty(2)) {
      const notes = await resultNotes(savepoint, { found, before, session: session.id, id: view.style.id });
      clearProgress();
      writeAll(2, lines(...notes));
    }
    return status;
  } catch (error) {
    // A failure of the command takes precedence. If its changes were not recorded, the status is never 0.
    const failure = asFailure(error);
    clearProgress();
    writeAll(2, failureAsText(failure, view.style));
    return status === 0 ? (interrupt.status() ?? failure.exit) : status;
  } finally {
    interrupt.end();
    stopIgnoring();
  }
}

function throwNotRecorded(error: unknown): never {
  const { code, message, data, hint } = asFailure(error);
  const way = 'The command was run. The changes of the command were not recorded.';
  throw new SavepointError(code, message, data, { hint: `${hint}\n${way}`, cause: error });
}

/** Restores like the command `restore`, with its question, preview and errors. */
async function restoreFirst(options: VerbArguments['options'], context: CommandContext): Promise<void> {
  const { restoreCheckpoint, yes, exact, keepOutside } = options;
  if (typeof restoreCheckpoint !== 'string') {
    const stray = Object.entries({ '--yes': yes, '--exact': exact, '--keep-outside': keepOutside }).find(
      ([, value]) => value === true,
    );
    if (stray === undefined) return;
    throw new SavepointError('USAGE', `${stray[0]} needs --restore-checkpoint.`, {
      argument: stray[0],
    });
  }
  const given: VerbArguments = {
    operands: [restoreCheckpoint],
    paths: [],
    options: { yes, exact, keepOutside, all: true },
  };
  const { restore } = await import('../rewind/restore.ts');
  const input = await restore.input(given, context);
  const output = await restore.carryOut?.(input, given, context);
  if (output !== undefined) writeAll(2, restore.render(output, context.view, given));
}

/** @throws SavepointError USAGE if options of --isolated are given without it */
function assertIsolated(options: ParsedArguments['options']): void {
  const [stray] = Object.keys(options).filter((name) => ISOLATED_ONLY.has(name));
  if (stray === undefined) return;
  const argument = `--${stray.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new SavepointError('USAGE', `${argument} needs --isolated.`, { argument });
}

const ISOLATED_ONLY: ReadonlySet<string> = new Set(
  'preset eachTurn apply always patch plan revise message keep drop ours theirs resolution skipConflicts force'.split(
    ' ',
  ),
);

/** @returns false: none; undefined: not given */
function keyOption({ key }: VerbArguments['options']): string | false | undefined {
  if (key === false || (typeof key === 'string' && (key === 'none' || isKeyName(key)))) return key;
  if (key === undefined) return undefined;
  const message = `--key needs esc, ctrl-] or another key with Ctrl, not ${JSON.stringify(key)}.`;
  throw new SavepointError('USAGE', message, { argument: '--key' });
}

function sessionOption({ session }: VerbArguments['options']): { readonly id?: string } {
  if (session === undefined) return {};
  if (typeof session === 'string' && session.trim() !== '') return { id: session };
  throw new SavepointError('USAGE', '--session needs a name.', { argument: '--session' });
}

function agentNameOf({ agent }: VerbArguments['options'], file: string): string {
  if (agent === undefined) return basename(file);
  if (typeof agent === 'string' && agent.trim() !== '') return agent;
  throw new SavepointError('USAGE', '--agent needs a name.', { argument: '--agent' });
}

function reportExit(ended: ChildExit, file: string, style: Style): number {
  if (ended.kind === 'failed') {
    const why = ended.code === 'ENOENT' ? 'program not found' : ended.code;
    writeAll(2, `${style.bad('error:')} cannot run ${showText(file)}: ${why}\n`);
  }
  return exitStatusOf(ended);
}
