/** `savepoint run`: no verb, for what it does is what the command does; checkpoints stand on both sides of it. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { isatty } from 'node:tty';
import { type CallId, type DiskPath, type EndedCall, SavepointError, showText, textFromBytes } from '@savepoint/core';
import { type Ended, runInForeground, statusOf } from '../../child.ts';
import {
  type Given,
  lines,
  type OptionSpec,
  type OwnCommand,
  type Session,
  type Surroundings,
  type Words,
} from '../../command.ts';
import { asFailure, failureAsText } from '../../failure.ts';
import { folderToOpen } from '../../folder.ts';
import { listenForInterrupts } from '../../interrupt.ts';
import { counted } from '../../show/words.ts';
import type { Style } from '../../view.ts';
import { writeAll } from '../../write.ts';

const OPTIONS: readonly OptionSpec[] = [
  { flags: '--restore-checkpoint <checkpoint>', description: 'first restore the whole workspace to that one' },
  { flags: '-y, --yes', description: 'with --restore-checkpoint: do not ask' },
  { flags: '--exact', description: 'with --restore-checkpoint: as `restore --exact`' },
  {
    flags: '--keep-outside',
    description: 'with --restore-checkpoint: as `restore --keep-outside`',
    conflicts: 'exact',
  },
  { flags: '--no-checkpoints', description: 'capture nothing, and switch hooks off inside (SAVEPOINT=off)' },
  { flags: '--agent <name>', description: 'who does it; without it the name of the program' },
];

export const run: OwnCommand = {
  description:
    'Takes a checkpoint, runs the command where you are, with your terminal, and captures what it changed as its doing: ' +
    '`savepoint rollback --session` takes that back. The exit status is that of the command, 128 and the number of a ' +
    'signal that ended it, 127 where there is no such program. Ctrl-C goes to the command; what it left is captured all ' +
    'the same. Where no checkpoint can be taken, or the restore is refused, the command is not run.',
  usage: '[options] -- <command...>',
  // Taken only to say what is wrong with them: what stands before `--` is no command.
  operands: [['[none...]', '']],
  takesCommand: true,
  options: OPTIONS,
  examples: [
    'savepoint run -- npm run codemod',
    'savepoint run --restore-checkpoint cp_12 -- make test',
    'savepoint run --no-checkpoints -- npm ci',
  ],

  run: ({ operands, rest, options }, surroundings) => {
    const { globals, env } = surroundings;
    assertBehind(operands, globals.json);
    const folder = folderToOpen(globals.folder, env);
    return surroundings.inWorkspace((session) => runBetween(rest, options, session, folder, surroundings));
  },
};

/** @throws SavepointError USAGE */
function assertBehind(stray: readonly string[], json: boolean): void {
  const [first] = stray;
  if (first !== undefined) {
    const hint = 'As in `savepoint run -- npm test`.';
    const message = `The command of run stands behind --; ${JSON.stringify(first)} stands before it.`;
    throw new SavepointError('USAGE', message, { argument: first }, { hint });
  }
  if (json) {
    throw new SavepointError('USAGE', 'run does not take --json: the output is that of the command.', {
      argument: '--json',
    });
  }
}

async function runBetween(
  command: readonly string[],
  options: Words['options'],
  session: Session,
  folder: DiskPath,
  { env, interrupt }: Surroundings,
): Promise<number> {
  const [file, ...args] = command;
  if (file === undefined) {
    throw new SavepointError(
      'USAGE',
      'run wants a command behind --.',
      { argument: 'command' },
      { hint: 'As in `savepoint run -- npm test`.' },
    );
  }
  for (const word of command) assertWhole(word);
  await restoreFirst(options, session);
  const cwd = textFromBytes(folder);
  if (cwd === null) throw new SavepointError('USAGE', 'A command cannot be run in a folder whose name is no UTF-8.');
  if (!existsSync(cwd)) {
    const data = { path: cwd, operation: 'run', code: 'ENOENT' };
    const hint = 'The command was not run. `savepoint undo` takes the restore back; or run it from another folder.';
    throw new SavepointError('IO', `The checkpoint has no folder ${showText(cwd)}.`, data, { hint });
  }
  const isOn = options['checkpoints'] !== false;
  const child = { file, args, cwd, env: isOn ? { ...env } : { ...env, SAVEPOINT: 'off' } };
  const agent = nameOf(options, file);
  const run = (): Promise<Ended> => {
    session.quiet();
    interrupt.end();
    return runInForeground(child);
  };
  return isOn ? captured([file, ...args], run, agent, session) : told(await run(), file, session.view.style);
}

const LOST = 'What the command changed is not on record: what told of its beginning is no longer in the store.';
const LOST_HINT = 'The command itself was run. `savepoint checkpoint` takes the folder as it is.';

async function captured(
  command: readonly [string, ...string[]],
  run: () => Promise<Ended>,
  agent: string,
  { savepoint, signal, view }: Session,
): Promise<number> {
  const session = savepoint.session({ agent });
  let call: CallId;
  let isTracked: boolean;
  try {
    await session.start({ signal });
    const summary = command.map(asTyped).join(' ');
    call = (await session.begin({ tool: 'run', args: { command }, summary }, { signal })).id;
    isTracked = (await session.openCalls()).some(({ id }) => id === call);
  } catch (error) {
    const { code, message, data, hint, exit } = asFailure(error);
    if (exit === 2 || code === 'CANCELLED') throw error;
    const way = 'The command was not run; with --no-checkpoints it is, and nothing is captured.';
    throw new SavepointError(code, message, data, { hint: `${hint}\n${way}`, cause: error });
  }
  const status = told(await run(), command[0], view.style);
  const interrupt = listenForInterrupts();
  try {
    const found = await session.end(call, { signal: interrupt.signal });
    await session.close({ signal: interrupt.signal });
    await savepoint.idle();
    if (isTracked && !found.found) throw new SavepointError('STORE_DAMAGED', LOST, {}, { hint: LOST_HINT });
    if (isatty(2)) writeAll(2, lines(...notesOn(found, session.id, view.style.id)));
    return status;
  } catch (error) {
    // The command's own bad news goes first; that what it did is not on record is never good news.
    const failure = asFailure(error);
    writeAll(2, failureAsText(failure, view.style));
    return status === 0 ? (interrupt.status() ?? failure.exit) : status;
  } finally {
    interrupt.end();
  }
}

/** With the question, the preview and the refusals of `restore`. */
async function restoreFirst(options: Given['options'], session: Session): Promise<void> {
  const { restoreCheckpoint, yes, exact, keepOutside } = options;
  if (typeof restoreCheckpoint !== 'string') {
    const stray = Object.entries({ '--yes': yes, '--exact': exact, '--keep-outside': keepOutside }).find(
      ([, value]) => value === true,
    );
    if (stray === undefined) return;
    throw new SavepointError('USAGE', `${stray[0]} is about --restore-checkpoint, which is not given.`, {
      argument: stray[0],
    });
  }
  const given: Given = { operands: [restoreCheckpoint], paths: [], options: { yes, exact, keepOutside, all: true } };
  const { restore } = await import('../rewind/restore.ts');
  const input = restore.input(given, session);
  const output = await restore.carryOut?.(input, given, session);
  if (output !== undefined) writeAll(2, restore.render(output, session.view, given));
}

function nameOf({ agent }: Given['options'], file: string): string {
  if (agent === undefined) return basename(file);
  if (typeof agent === 'string' && agent.trim() !== '') return agent;
  throw new SavepointError('USAGE', '--agent wants a name.', { argument: '--agent' });
}

/** Node lost bytes of it that are no UTF-8: another argument would reach the command. */
function assertWhole(word: string): void {
  if (!word.includes('\ufffd')) return;
  throw new SavepointError(
    'USAGE',
    `The argument ${JSON.stringify(word)} is no valid UTF-8, and cannot be passed on.`,
    {
      argument: word,
    },
  );
}

function asTyped(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function told(ended: Ended, file: string, style: Style): number {
  if (ended.kind === 'failed') {
    const why = ended.code === 'ENOENT' ? 'there is no such program' : ended.code;
    writeAll(2, `${style.bad('error:')} ${showText(file)} cannot be run: ${why}.\n`);
  }
  return statusOf(ended);
}

function notesOn({ checkpoint, changes, found, uncovered }: EndedCall, session: string, id: (text: string) => string) {
  if (!found) return [];
  const left = uncovered.length === 0 ? [] : [`${counted(uncovered.length, 'path')} could not be captured.`];
  if (checkpoint === null) return ['savepoint: it changed nothing.', ...left];
  const files = checkpoint.changes === null ? 'more paths than are listed' : counted(changes.length, 'path');
  return [
    `savepoint: it changed ${files} (${id(checkpoint.id)}); \`savepoint rollback --session ${session}\` takes that back.`,
    ...left,
  ];
}
