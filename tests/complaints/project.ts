import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { howMuch, type Manifest, manifest, removeFolder } from '@savepoint/testkit';
import { afterAll, onTestFinished } from 'vitest';

export const main = fileURLToPath(new URL('../../packages/cli/bundle/savepoint.js', import.meta.url));
/** What stands before the command in agents' settings: it asks the daemon. */
export const line = fileURLToPath(new URL('../../packages/cli/bundle/savepoint-hook', import.meta.url));
const preloads = new URL('./preload/', import.meta.url);

/** What a run of the real `savepoint` binary gave back. */
export interface Outcome {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Where it runs; by default the project's folder. */
  readonly cwd?: string;
  /** Added to the environment; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** Modules of `preload/` that are loaded into the process before the binary, with what they are told. */
  readonly preload?: Readonly<Record<string, string>>;
}

/** What `preload/calls.mjs` is told; its head says what each field means. */
export interface Watch {
  readonly below: string;
  readonly calls: readonly string[];
  readonly nth?: number;
  readonly sticky?: boolean;
  readonly act?:
    | { readonly error: string }
    | { readonly kill: true }
    | { readonly save: { file: string; text: string } };
  readonly record?: string;
}

/** Options for a run whose calls to the file system are watched, or made to fail: the native add-on makes none of node's. */
export function watching(watch: Watch): RunOptions {
  return { preload: { calls: JSON.stringify(watch) }, env: { SAVEPOINT_NATIVE: 'off' } };
}

/** A real folder, a real home and a real store, all in one temporary folder, and the real binary to work on them. */
export class Project {
  readonly base: string;
  readonly dir: string;
  readonly home: string;
  readonly store: string;

  constructor(name = 'project') {
    this.base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'savepoint-test-')));
    this.dir = path.join(this.base, name);
    this.home = path.join(this.base, 'home');
    this.store = path.join(this.base, 'store');
    fs.mkdirSync(this.dir);
    fs.mkdirSync(this.home);
  }

  remove(): void {
    removeFolder(this.base);
  }

  at(file: string): string {
    return path.join(this.dir, file);
  }

  write(file: string, content: string | Buffer, mode?: number): void {
    fs.mkdirSync(path.dirname(this.at(file)), { recursive: true });
    fs.writeFileSync(this.at(file), content);
    if (mode !== undefined) fs.chmodSync(this.at(file), mode);
  }

  read(file: string): string {
    return fs.readFileSync(this.at(file), 'latin1');
  }

  has(file: string): boolean {
    try {
      return fs.lstatSync(this.at(file), { throwIfNoEntry: false }) !== undefined;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
      throw error;
    }
  }

  delete(file: string): void {
    fs.rmSync(this.at(file), { recursive: true });
  }

  git(...args: readonly string[]): string {
    return git(this.dir, ...args);
  }

  /** A repository with one commit of everything that is there. */
  commitAll(): void {
    this.git('init', '-q', '-b', 'main');
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', 'first');
  }

  environment(options: RunOptions = {}): NodeJS.ProcessEnv {
    const env: NodeJS.ProcessEnv = {
      PATH: process.env['PATH'] ?? '',
      HOME: this.home,
      SAVEPOINT_HOME: this.store,
      ...this.#daemon(),
      SAVEPOINT_WATCH: process.env['SAVEPOINT_WATCH'],
      LC_ALL: 'C.UTF-8',
      ...options.env,
    };
    const preload = Object.entries(options.preload ?? {});
    if (preload.length > 0) {
      const modules = preload.map(([module]) => `--import=${new URL(`${module}.mjs`, preloads).href}`);
      env['NODE_OPTIONS'] = modules.join(' ');
      for (const [module, told] of preload) env[`PRELOAD_${module.toUpperCase()}`] = told;
    }
    for (const name of Object.keys(env)) if (env[name] === undefined) delete env[name];
    return env;
  }

  /** With `SAVEPOINT_TEST_WITH=daemon` hooks that were installed are answered by a daemon of this project's own. */
  #daemon(): NodeJS.ProcessEnv {
    if (process.env['SAVEPOINT_TEST_WITH'] !== 'daemon') return { SAVEPOINT_DAEMON: 'off' };
    const runtime = path.join(this.base, 'run');
    fs.mkdirSync(runtime, { recursive: true, mode: 0o700 });
    return { XDG_RUNTIME_DIR: runtime };
  }

  /** Runs `savepoint` and waits for it, whatever comes out. */
  run(args: readonly string[], options: RunOptions = {}): Outcome {
    const [file, ...rest] = commandLine(args);
    const done = spawnSync(file, rest, {
      cwd: options.cwd ?? this.dir,
      env: this.environment(options),
      input: options.input ?? '',
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      timeout: 120_000,
      killSignal: 'SIGKILL',
    });
    return { status: done.status, signal: done.signal, stdout: done.stdout, stderr: done.stderr };
  }

  /** Starts `savepoint`; for several at once. */
  start(args: readonly string[], options: RunOptions = {}): { readonly pid: number; readonly done: Promise<Outcome> } {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: options.cwd ?? this.dir,
      env: this.environment(options),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const done = new Promise<Outcome>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (status, signal) => resolve({ status, signal, stdout, stderr }));
    });
    return { pid: child.pid ?? 0, done };
  }

  /** Runs `savepoint` and fails the test unless it exits with 0. */
  ok(...args: readonly string[]): Outcome {
    const outcome = this.run(args);
    if (outcome.status !== 0) throw new Error(explain(args, outcome));
    return outcome;
  }

  /** Takes a checkpoint, which only has to be there, and gives its id. */
  checkpoint(): string {
    if (IN_A_THREAD) return checkpointInThread(this);
    const id = /cp_\d+/.exec(this.ok('checkpoint').stdout)?.[0];
    if (id === undefined) throw new Error('the checkpoint has no id');
    return id;
  }

  restore(id: string, ...more: readonly string[]): Outcome {
    return this.ok('restore', id, '--yes', ...more);
  }
}

/** A process for each takes time that a person waits for. In CI the command takes them, as it does all else. */
const IN_A_THREAD = howMuch({ quick: true, ci: false, long: false });

let library: Worker | null = null;

function checkpointInThread(p: Project): string {
  library ??= new Worker(new URL('./library.mjs', import.meta.url));
  library.unref();
  const { port1, port2 } = new MessageChannel();
  const isThere = new Int32Array(new SharedArrayBuffer(4));
  library.postMessage({ dir: p.dir, env: p.environment(), answer: port2, isThere }, [port2]);
  Atomics.wait(isThere, 0, 0, 120_000);
  const { id, failure } = receiveMessageOnPort(port1)?.message ?? { failure: 'no answer' };
  port1.close();
  if (failure !== undefined) throw new Error(`a checkpoint of ${p.dir}: ${failure}`);
  return id;
}

/** With `SAVEPOINT_TEST_WITH=daemon` a hook runs as agents' settings have it. */
function commandLine(args: readonly string[]): readonly [string, ...string[]] {
  const plain = [process.execPath, main, ...args] as const;
  return args[0] === 'hook' && process.env['SAVEPOINT_TEST_WITH'] === 'daemon' ? [line, ...plain] : plain;
}

/** A project that is removed when the test that asked for it ends. */
export function project(name?: string): Project {
  const made = new Project(name);
  onTestFinished(() => made.remove());
  return made;
}

/** One project for all tests of a file that change nothing in it: what it takes is processes. */
export function sharedProject(prepare: (p: Project) => void): () => Project {
  let made: Project | null = null;
  afterAll(() => made?.remove());
  return () => {
    if (made !== null) return made;
    made = new Project();
    prepare(made);
    return made;
  };
}

export function explain(args: readonly string[], outcome: Outcome): string {
  return `savepoint ${args.join(' ')}: status ${outcome.status ?? outcome.signal}\n${outcome.stdout}\n${outcome.stderr}`;
}

const quiet = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};

/** The user's own git, as a user would run it. */
export function git(dir: string, ...args: readonly string[]): string {
  const env = { PATH: process.env['PATH'] ?? '', ...quiet };
  return execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
    cwd: dir,
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

/** A shell, as an agent would use one. */
export function shell(dir: string, script: string): void {
  const env = { PATH: process.env['PATH'] ?? '', ...quiet };
  execFileSync('sh', ['-ec', script], { cwd: dir, env, stdio: 'pipe' });
}

/** Inode and modification time of a file: what a rewrite with the same bytes would change. */
export function identity(file: string): string {
  const { ino, mtimeNs, ctimeNs } = fs.lstatSync(file, { bigint: true });
  return `${ino} ${mtimeNs} ${ctimeNs}`;
}

export const MiB = 1024 * 1024;

/** Bytes of all files below a folder; those that go while it is looked at count or do not. */
export function bytesBelow(folder: string): number {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => {
      const stat = fs.statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false });
      return sum + (stat?.size ?? 0);
    }, 0);
}

/** Everything below a folder but what is in a `.git`: what a restore is about. */
export function workingFiles(dir: string): Manifest {
  return manifest(dir, { skip: (name) => name === '.git' || name.endsWith('/.git') });
}
