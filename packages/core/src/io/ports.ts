import type { DiskPath } from '../model/names.ts';
import type { ChangeSource } from './changes.ts';
import type { Compressor } from './compressor.ts';
import type { Fs } from './fs.ts';
import type { Programs } from './programs.ts';

/** Time, as the machine tells it. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. For people to read; order never depends on it. */
  now(): number;
  /** Milliseconds that only go forward. */
  monotonic(): number;
  sleep(ms: number): Promise<void>;
  /** Lets other work of this process run (one turn of the event loop). */
  turn(): Promise<void>;
}

/** Chance. */
export interface Random {
  /** `length` random bytes as lower-case hex (2 × length characters). */
  hex(length: number): string;
}

/** Who a process is, so that another one can tell later whether it still lives. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the system's own unit; tells a reused pid from the same process. Null where unknown. */
  readonly startedAt: string | null;
  /** Changes at every boot. Null where unknown. */
  readonly bootId: string | null;
  /** Processes of another pid namespace (a container) look dead from outside; this tells them apart. */
  readonly pidNamespace: string | null;
  readonly host: string;
}

/** Which processes live. */
export interface Processes {
  self(): ProcessIdentity;
  /** `unknown` for another host, or another pid namespace of the same boot. */
  state(of: ProcessIdentity): 'alive' | 'stopped' | 'dead' | 'unknown';
}

/** Everything the engine touches of the machine. */
export interface Ports {
  readonly fs: Fs;
  readonly clock: Clock;
  readonly random: Random;
  readonly processes: Processes;
  readonly programs: Programs;
  /** Of changes in folders. Without it every scan goes everywhere. */
  readonly changes?: ChangeSource;
  /** Without it everything is compressed where it is read. */
  readonly compressor?: Compressor;
  readonly platform: 'linux' | 'darwin' | 'win32';
  /** The effective user's id; null where the platform has none. */
  readonly uid: number | null;
}

/** Where things are on the person's machine. */
export interface Places {
  /** $SAVEPOINT_HOME, or the platform's data folder: where stores live. */
  readonly home: DiskPath;
  /** The person's home folder, refused as a root; null where there is none. */
  readonly userHome: DiskPath | null;
  /** The person's own git ignore file, or null. */
  readonly globalIgnore: DiskPath | null;
  /**
   * Files of attributes that git heeds in every repository of the person, which may not be there. Null where nobody knows,
   * and without it: then no content is taken over from repositories.
   */
  readonly gitAttributes?: () => readonly DiskPath[] | null;
  /** Folders in which git is looked for, as PATH has them. Default: none, and what needs git is refused. */
  readonly searchPath?: string;
}
