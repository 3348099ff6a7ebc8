/** Runs one check in a folder or a copy, within limits, and reads what it found. */

import type { OpenCopy } from '../copy/copy.ts';
import { readEntireFile } from '../io/durable-write.ts';
import { FsError, kindOf } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import type { ProgramResult } from '../io/programs.ts';
import { SavepointError } from '../model/errors.ts';
import {
  bytesFromText,
  type DiskPath,
  diskChild,
  onDisk,
  parentPath,
  type TreePath,
  textFromBytes,
} from '../model/names.ts';
import { type Check, type CheckResult, KEPT_OUTPUT, OUTPUT_FILE } from './check.ts';
import type { RunPaths } from './read/clean.ts';
import { verdictOf } from './read/read-output.ts';

/** Where checks run: a copy of a workspace, or a folder. */
export interface CheckPlace extends Pick<OpenCopy, 'files' | 'seenAs' | 'command'> {
  /** A private folder outside of the tree, for output files. */
  readonly output: DiskPath;
}

export interface RunLimits {
  /** In milliseconds, unless the check has its own. */
  readonly timeoutMs: number;
  /** In bytes, of all its processes together. */
  readonly maxMemory: number;
}

export interface CheckRun {
  readonly ports: Ports;
  readonly place: CheckPlace;
  /** The environment of the command. `PATH` says where programs are. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: RunLimits;
  readonly signal?: AbortSignal;
  /** Receives the output as it arrives. */
  readonly onOutput?: (part: Buffer) => void;
}

export const DEFAULT_LIMITS: RunLimits = { timeoutMs: 10 * 60_000, maxMemory: 8 * 1024 ** 3 };

const MAX_OUTPUT = 64 * 1024 * 1024;

/** A check that cannot be started, or does not end by itself, is a result and not an error. */
export async function runCheck(check: Check, run: CheckRun): Promise<CheckResult> {
  const { ports, place, limits } = run;
  const started = ports.clock.monotonic();
  const result = (
    found: Pick<CheckResult, 'outcome' | 'why'> & Partial<CheckResult>,
    output: readonly Buffer[] = [],
  ): CheckResult => ({
    name: check.name,
    findings: [],
    omitted: 0,
    took: Math.round(ports.clock.monotonic() - started),
    output: Buffer.concat(output).subarray(-KEPT_OUTPUT).toString('utf8'),
    ...found,
  });
  const program = programIn(check, run);
  if (program === null) return result({ outcome: 'not-installed', why: `${check.program.name} was not found` });
  const file = outputFile(run);
  const timeoutMs = check.timeoutMs ?? limits.timeoutMs;
  let ended: ProgramResult;
  try {
    ended = await ports.programs.run({
      ...place.command({
        file: program,
        args: check.args.map((arg) => arg.replaceAll(OUTPUT_FILE, textFromBytes(file) ?? '')),
        cwd: check.folder,
        env: { ...run.env, ...ENVIRONMENT, ...check.env },
      }),
      timeoutMs,
      maxBytes: MAX_OUTPUT,
      maxMemory: limits.maxMemory,
      ...(run.signal === undefined ? {} : { signal: run.signal }),
      ...(run.onOutput === undefined ? {} : { onOutput: run.onOutput }),
    });
  } catch (error) {
    if (!(error instanceof SavepointError) || error.code !== 'IO') throw error;
    const isMissing = (error.data as { readonly code?: unknown }).code === 'ENOENT';
    return result({ outcome: isMissing ? 'not-installed' : 'crashed', why: error.message });
  }
  const output = [ended.stdout, ended.stderr];
  if (ended.ended !== 'exit')
    return result({ outcome: 'did-not-finish', why: reason(ended, timeoutMs, limits) }, output);
  if (ended.exit === null) return result({ outcome: 'crashed', why: `${ended.signal ?? 'a signal'} ended it` }, output);
  const read = outputOf(ports, file);
  if (read === 'unusable') return result({ outcome: 'crashed', why: 'its output file cannot be read' }, output);
  const { stdout, stderr, exit } = ended;
  const paths = pathsOf(check, place);
  return result(verdictOf(check, { tool: check.tool, exit, stdout, stderr, file: read, paths }), output);
}

/** Tools then neither ask, nor watch, nor colour. */
const ENVIRONMENT: Readonly<Record<string, string>> = { CI: '1', NO_COLOR: '1', FORCE_COLOR: '0', TERM: 'dumb' };

/** Returns the program's path as the command sees it; null if it does not exist. */
function programIn(check: Check, { ports: { fs }, place, env }: CheckRun): string | null {
  const { name, beside, inPath } = check.program;
  const seen = (path: TreePath): string | null => textFromBytes(onDisk(place.seenAs, path));
  const isThere = (path: DiskPath): boolean => {
    try {
      const stat = fs.lstat(path);
      return stat !== null && kindOf(stat) !== 'folder';
    } catch (error) {
      if (error instanceof FsError) return false;
      throw error;
    }
  };
  if (name.startsWith('/')) return name;
  const bytes = bytesFromText(name);
  if (name.includes('/')) return seen(`${check.folder === '' ? '' : `${check.folder}/`}${bytes}` as TreePath);
  for (let folder = check.folder; ; folder = parentPath(folder)) {
    for (const each of beside) {
      const path = `${folder === '' ? '' : `${folder}/`}${each}/${bytes}` as TreePath;
      if (isThere(onDisk(place.files, path))) return seen(path);
    }
    if (folder === '') break;
  }
  const folders = inPath ? (env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/')) : [];
  return folders.some((folder) => isThere(diskChild(bytesFromText(folder) as DiskPath, bytes))) ? name : null;
}

function outputFile({ ports, place }: CheckRun): DiskPath {
  return diskChild(place.output, `${ports.random.hex(8)}.out`);
}

/** Null if the tool wrote none. */
function outputOf({ fs }: Ports, file: DiskPath): Buffer | null | 'unusable' {
  try {
    return fs.lstat(file) === null ? null : readEntireFile(fs, file, MAX_OUTPUT);
  } catch (error) {
    if (error instanceof FsError) return 'unusable';
    throw error;
  }
}

function reason({ ended, exceededMemory }: ProgramResult, timeoutMs: number, { maxMemory }: RunLimits): string {
  if (exceededMemory === true) {
    return `it was killed because it needed more than ${Math.round(maxMemory / 1024 ** 2)} MB of memory`;
  }
  switch (ended) {
    case 'timeout':
      return `it was killed after ${Math.round(timeoutMs / 100) / 10} s`;
    case 'aborted':
      return 'it was cancelled';
    default:
      return `it was killed because it printed more than ${MAX_OUTPUT / 1024 ** 2} MB`;
  }
}

/** Tools print the path as they see it, or, after links are resolved, where the files really are. */
function pathsOf(check: Check, { seenAs, files }: CheckPlace): RunPaths {
  const roots = [...new Set([seenAs, files])].flatMap((path) => {
    const text = textFromBytes(path);
    return text === null || text === '/' ? [] : [text.replaceAll('\\', '/')];
  });
  return { roots, folder: textFromBytes(check.folder) ?? '' };
}
