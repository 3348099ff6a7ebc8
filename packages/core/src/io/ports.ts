import type { FactReader } from '../code/reader.ts';
import type { DiskPath } from '../model/names.ts';
import type { ChangeSource } from './changes.ts';
import type { Compressor } from './compressor.ts';
import type { Fs } from './fs.ts';
import type { ProcessIdentity } from './process-identity.ts';
import type { Programs } from './programs.ts';
import type { TypeCheckerProgram } from './type-checker.ts';
import type { Watcher } from './watcher.ts';

export type { ProcessIdentity } from './process-identity.ts';

/** The clock of the machine. */
export interface Clock {
  /** Wall-clock time, milliseconds since 1970. For display only: order never depends on it. */
  now(): number;
  /** Monotonic time in milliseconds. */
  monotonic(): number;
  /** @param signal ends the sleep early */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Lets other work of this process run for one turn of the event loop. */
  turn(): Promise<void>;
}

export interface Random {
  /** Returns `length` random bytes as lower-case hex (2 × length characters). */
  hex(length: number): string;
}

/** A live process of this user. */
export interface RunningProcess extends ProcessIdentity {
  /** The id of the process that started it, or that has adopted it. */
  readonly parent: number;
  /** When it started, in milliseconds since boot, rounded down to the system's unit: 10 ms. */
  readonly beganUptime: number;
}

/** Checks which processes are alive. */
export interface Processes {
  self(): ProcessIdentity;
  /** `unknown` for another host, or another pid namespace of the same boot. */
  state(of: ProcessIdentity): 'alive' | 'stopped' | 'dead' | 'unknown';
  /** Returns the process with this id and its ancestors, nearest first. Empty if the system does not tell. */
  ancestors(pid: number): readonly ProcessIdentity[];
  /** Milliseconds since boot, which no change of the clock alters. Null if the system does not tell. */
  uptime(): number | null;
  /**
   * Returns the live processes of this user that started since then, in milliseconds since boot: only this clock can be
   * compared with the start of a process. Null if the system does not tell.
   */
  startedSince(uptime: number): readonly RunningProcess[] | null;
  /** Returns the command line and the first environment of a process of this user; empty if they are unknown. */
  startedWith(pid: number): {
    readonly command: readonly string[];
    readonly variables: ReadonlyMap<string, string>;
  };
  /** Returns the folder in which a process of this user is now; null if it is unknown. */
  folderOf(pid: number): DiskPath | null;
  /**
   * Returns the live processes that see a mount whose source starts with this, in whatever namespace they are. A source
   * is its first column in the mount table: here, text without blanks. Empty if the system has no such table.
   */
  seeingMount(source: string): readonly ProcessIdentity[];
  /** Sends a signal to a process if it is still that one; a process that has ended or is not ours gets none. */
  signal(to: ProcessIdentity, signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** Everything through which the engine accesses the machine. */
export interface Ports {
  readonly fs: Fs;
  readonly clock: Clock;
  readonly random: Random;
  readonly processes: Processes;
  readonly programs: Programs;
  /** Reports changes in folders. Without it, every scan reads all folders. */
  readonly changes?: ChangeSource;
  /** Asked before a scan what has not changed. Without it, every scan of a process that does not stay visits all folders. */
  readonly watcher?: Watcher;
  /** Without it, data is compressed in the thread that reads it. */
  readonly compressor?: Compressor;
  /** Without it, no type checker of a project is asked about states that are not on disk. */
  readonly typeChecker?: TypeCheckerProgram;
  /** Reads the facts of source files in other processes. Without it, they are read in this one. */
  readonly facts?: FactReader;
  readonly platform: 'linux' | 'darwin' | 'win32';
  /** The effective user id; null if the platform has none. */
  readonly uid: number | null;
  /** The permission bits that this process withholds from new files and folders. */
  umask(): number;
}

/** The locations of a user's files on this machine. */
export interface Places {
  /** $SAVEPOINT_HOME, or the platform's data folder. Contains the stores. */
  readonly home: DiskPath;
  /** The user's home folder, which is refused as a root; null if there is none. */
  readonly userHome: DiskPath | null;
  /** The user's global git ignore file, or null. */
  readonly globalIgnore: DiskPath | null;
  /**
   * The attributes files that git uses in every repository of the user; they may not exist. If this is absent or
   * returns null, they are unknown, and no content is adopted from repositories.
   */
  readonly gitAttributes?: () => readonly DiskPath[] | null;
  /** The folders to search for git, in the format of PATH. Default: none, and what needs git is refused. */
  readonly searchPath?: string;
  /** The variables of programs of a project, such as its tests. Default: only `PATH`, from `searchPath`. */
  readonly variables?: () => Readonly<Record<string, string>>;
}
