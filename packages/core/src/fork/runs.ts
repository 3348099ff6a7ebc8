/**
 * Commands that run in a fork in the background, each with a folder `output/<n>/`: `run.json`, `pid`, `output`, and `exit`
 * when it ended. They run in a session of their own, so that they survive the shell that started them.
 */

import { durableWrite, readEntireFile } from '../io/durable-write.ts';
import { findProgram } from '../io/find-program.ts';
import { isFsError } from '../io/fs.ts';
import { listIfExists } from '../io/if-exists.ts';
import type { Ports } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import { readFully } from '../store/objects/file-handle-cache.ts';
import { makeFolders } from '../store/private-folders.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { type Fork, forkVariables } from './fork.ts';
import { isOfFork, processesIn } from './fork-processes.ts';
import { openFork } from './open-fork.ts';

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

/** The end of what a command has printed so far. */
export interface ForkOutput {
  /** Of the command. */
  readonly number: number;
  readonly bytes: Buffer;
  /** In bytes, with what comes before `bytes`. */
  readonly size: number;
}

const MAX_BYTES = 1024 * 1024;
const MAX_SHOWN_BYTES = 64 * 1024;

/**
 * Arguments: the folder to start the command in; the file whose shared lock keeps an overlay mounted, and the program that
 * locks it, or nothing; `mv`; the command. The waiting shell has the lock, and records how the command ends. The variables name the
 * fork, by which its processes are found.
 */
const SCRIPT = `folder=$1; held=$2; flock=$3; mv=$4; shift 4
exec 9</dev/null
if [ -n "$held" ]; then exec 9<"$held"; "$flock" -s 9 9<&9 || exit 1; fi
/bin/sh -c '
trap "" HUP
folder=$1; mv=$2; shift 2
(cd "$folder" && exec "$@" 9<&-)
status=$?
printf "%s\\n" "$status" >exit.tmp && "$mv" exit.tmp exit
' sh "$folder" "$mv" "$@" </dev/null >output 2>&1 9<&9 &
echo $! >pid`;

/** The caller holds the lock of the workspace. @throws SavepointError IO, USAGE */
export async function startRun(
  workspace: Workspace,
  fork: Fork,
  { command, variables }: ForkCommand,
): Promise<ForkRun> {
  const { ports } = workspace;
  if (ports.platform === 'win32') {
    throw new SavepointError('USAGE', 'Commands in forks need a POSIX shell.', { argument: 'command' });
  }
  const number = Math.max(0, ...numbersIn(ports, fork)) + 1;
  const folder = runFolder(fork, number);
  makeFolders(ports.fs, folder, 0o700);
  const started = ports.clock.now();
  const json = Buffer.from(`${JSON.stringify({ format: 1, command, started }, null, 2)}\n`);
  durableWrite(ports.fs, diskChild(folder, 'run.json'), json, 0o600);
  const open = await openFork(workspace, fork);
  try {
    const [file = '', ...given] = command;
    const { cwd, env, ...start } = open.command({ file, args: given, env: { ...variables, ...forkVariables(fork) } });
    // The command's own PATH may lead into the workspace.
    const mv = findProgram(ports, 'mv', workspace.searchPath, workspace.root) ?? '/bin/mv';
    const isOverlay = open.lock !== null;
    const line = [isOverlay ? cwd : '../../tree', isOverlay ? '../../held' : '', open.lock?.flock ?? '', mv];
    const args = ['-c', SCRIPT, 'sh', ...line, start.file, ...start.args];
    await ports.programs.run({ file: '/bin/sh', args, cwd: folder, env });
  } finally {
    await open.release();
  }
  return readRun(ports, fork, number);
}

/** Newest first. */
export function runsOf(ports: Ports, fork: Fork): readonly ForkRun[] {
  return [...numbersIn(ports, fork)].sort((a, b) => b - a).map((number) => readRun(ports, fork, number));
}

/** @throws SavepointError USAGE if there is no such command; IO */
export function outputOf(ports: Ports, fork: Fork, number: number): ForkOutput {
  if (!numbersIn(ports, fork).includes(number)) {
    const message = `Fork ${fork.name} has no command with the number ${number}.`;
    throw new SavepointError('USAGE', message, { argument: 'output' });
  }
  const { fs } = ports;
  const fd = fs.openRead(diskChild(runFolder(fork, number), 'output'));
  try {
    const { size } = fs.fstat(fd);
    const length = Math.min(size, MAX_SHOWN_BYTES);
    const bytes = Buffer.alloc(length);
    return { number, bytes: bytes.subarray(0, readFully(fs, fd, bytes, length, size - length)), size };
  } finally {
    fs.close(fd);
  }
}

/** What runs in a fork, and how to end it. */
export interface RunningInFork {
  readonly command: readonly string[];
  /** A command line that ends it. Null: its processes are not known. */
  readonly end: string | null;
}

/** The newest command that still runs; null: none does. */
export function runningIn(ports: Ports, fork: Fork): RunningInFork | null {
  const run = runsOf(ports, fork).find(({ state }) => state === 'running');
  if (run === undefined) return null;
  const pids = processesIn(ports, fork.copy).map(({ pid }) => pid);
  return { command: run.command, end: pids.length === 0 ? null : `kill ${pids.join(' ')}` };
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
