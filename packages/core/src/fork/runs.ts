/**
 * Commands that run in a fork in the background, each with a folder `output/<n>/`: `run.json`, `pid`, `output`, and `exit`
 * when it ended. They run in a session of their own, so that they survive the shell that started them.
 */

import { durableWrite, readEntireFile } from '../io/durable-write.ts';
import { isFsError } from '../io/fs.ts';
import { listIfExists } from '../io/if-exists.ts';
import type { Ports } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import { makeFolders } from '../store/private-folders.ts';
import { type Fork, forkVariables } from './fork.ts';
import { isOfFork } from './fork-processes.ts';

/** A command to run in a fork. */
export interface ForkCommand {
  readonly command: readonly string[];
  /** The whole environment; the variables of the fork are added. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface ForkRun {
  readonly number: number;
  readonly command: readonly string[];
  /** Milliseconds since 1970. */
  readonly started: number;
  /** `killed`: it ended without an exit status. */
  readonly state: 'running' | 'exited' | 'killed';
  readonly exit: number | null;
  /** The file with what it prints. */
  readonly output: DiskPath;
}

const MAX_BYTES = 1024 * 1024;

/** The waiting shell records how the command ends. The variables name the fork, by which its processes are found. */
const SCRIPT = `sh -c '
trap "" HUP
(cd ../../tree && exec "$@")
status=$?
printf "%s\\n" "$status" >exit.tmp && mv exit.tmp exit
' sh "$@" </dev/null >output 2>&1 &
echo $! >pid`;

/** @throws SavepointError IO, UNSUPPORTED */
export async function startRun(ports: Ports, fork: Fork, { command, variables }: ForkCommand): Promise<ForkRun> {
  if (ports.platform === 'win32') {
    throw new SavepointError('USAGE', 'Commands in forks need a POSIX shell.', { argument: 'command' });
  }
  const number = Math.max(0, ...numbersIn(ports, fork)) + 1;
  const folder = runFolder(fork, number);
  makeFolders(ports.fs, folder, 0o700);
  const started = ports.clock.now();
  const json = Buffer.from(`${JSON.stringify({ format: 1, command, started }, null, 2)}\n`);
  durableWrite(ports.fs, diskChild(folder, 'run.json'), json, 0o600);
  await ports.programs.run({
    file: '/bin/sh',
    args: ['-c', SCRIPT, 'sh', ...command],
    cwd: folder,
    env: { ...variables, ...forkVariables(fork) },
  });
  return readRun(ports, fork, number);
}

/** Newest first. */
export function runsOf(ports: Ports, fork: Fork): readonly ForkRun[] {
  return [...numbersIn(ports, fork)].sort((a, b) => b - a).map((number) => readRun(ports, fork, number));
}

function readRun(ports: Ports, fork: Fork, number: number): ForkRun {
  const folder = runFolder(fork, number);
  const { command = [], started = 0 } = parsed(textOf(ports, folder, 'run.json'));
  const output = diskChild(folder, 'output');
  const exit = textOf(ports, folder, 'exit');
  if (exit !== null) return { number, command, started, state: 'exited', exit: Number.parseInt(exit, 10), output };
  const pid = Number.parseInt(textOf(ports, folder, 'pid') ?? '', 10);
  const isRunning = Number.isSafeInteger(pid) && isOfFork(ports.processes, pid, fork.copy);
  // It may have ended between the two looks.
  const ended = isRunning ? null : textOf(ports, folder, 'exit');
  if (ended !== null) return { number, command, started, state: 'exited', exit: Number.parseInt(ended, 10), output };
  return { number, command, started, state: isRunning ? 'running' : 'killed', exit: null, output };
}

function parsed(text: string | null): { readonly command?: readonly string[]; readonly started?: number } {
  try {
    const json = JSON.parse(text ?? '') as { readonly command?: unknown; readonly started?: unknown };
    const { command, started } = json;
    const isList = Array.isArray(command) && command.every((each) => typeof each === 'string');
    return { command: isList ? command : [], started: typeof started === 'number' ? started : 0 };
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function runFolder({ copy: { place } }: Fork, number: number): DiskPath {
  return diskChild(diskChild(place, 'output'), String(number));
}

function numbersIn({ fs }: Ports, { copy: { place } }: Fork): readonly number[] {
  return listIfExists(fs, diskChild(place, 'output'))
    .filter((one) => /^[1-9]\d{0,8}$/.test(one))
    .map(Number);
}

function textOf({ fs }: Ports, folder: DiskPath, name: string): string | null {
  try {
    return readEntireFile(fs, diskChild(folder, name), MAX_BYTES).toString();
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return null;
    throw error;
  }
}
