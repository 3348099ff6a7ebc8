import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { removeFolder } from '../world.ts';
import { canBeHosted, runHosted } from './hosted.ts';
import { type CommandOutcome, explain, hookScript, main, type RunOptions } from './outcome.ts';
import { git } from './programs.ts';
import { ProjectDaemon } from './project-daemon.ts';

// The build does not copy the modules that are loaded at run time, so they are read from the sources.
const sources = new URL('../../src/command/', import.meta.url);
const preloads = new URL('./preload/', sources);

/** A real workspace, home and store in one temporary folder, with the real binary. */
export class Project {
  readonly base: string;
  readonly dir: string;
  readonly home: string;
  readonly store: string;
  readonly #daemon: ProjectDaemon | null;

  constructor(name = 'project') {
    this.base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'savepoint-test-')));
    this.dir = path.join(this.base, name);
    this.home = path.join(this.base, 'home');
    this.store = path.join(this.base, 'store');
    fs.mkdirSync(this.dir);
    fs.mkdirSync(this.home);
    this.#daemon = process.env['SAVEPOINT_TEST_WITH'] === 'daemon' ? new ProjectDaemon(this.store) : null;
  }

  remove(): void {
    this.#daemon?.stop();
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

  /** Creates a repository with one commit of all existing files. */
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
      ...this.#daemonEnvironment(),
      SAVEPOINT_WATCH: process.env['SAVEPOINT_WATCH'],
      LC_ALL: 'C.UTF-8',
      ...options.env,
    };
    const preload = Object.entries(options.preload ?? {});
    if (preload.length > 0) {
      const modules = preload.map(([module]) => `--import=${new URL(`${module}.mjs`, preloads).href}`);
      env['NODE_OPTIONS'] = modules.join(' ');
      for (const [module, value] of preload) env[`PRELOAD_${module.toUpperCase()}`] = value;
    }
    for (const name of Object.keys(env)) if (env[name] === undefined) delete env[name];
    return env;
  }

  /** With `SAVEPOINT_TEST_WITH=daemon`, this project's own daemon answers the installed hooks, and commands. */
  #daemonEnvironment(): NodeJS.ProcessEnv {
    if (this.#daemon === null) return { SAVEPOINT_DAEMON: 'off' };
    const runtime = path.join(this.base, 'run');
    fs.mkdirSync(runtime, { recursive: true, mode: 0o700 });
    return { XDG_RUNTIME_DIR: runtime };
  }

  /** Runs `savepoint` and waits for it. Any exit status is accepted. */
  run(args: readonly string[], options: RunOptions = {}): CommandOutcome {
    const [file, ...rest] = commandLine(args, options);
    const [cwd, env] = [options.cwd ?? this.dir, this.environment(options)];
    this.#daemon?.startFor(args, env);
    if (canBeHosted(args, options)) return runHosted(sources, args, cwd, env);
    const done = spawnSync(file, rest, {
      cwd,
      env,
      input: options.input ?? '',
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      timeout: 120_000,
      killSignal: 'SIGKILL',
    });
    return { status: done.status, signal: done.signal, stdout: done.stdout, stderr: done.stderr };
  }

  /** Starts `savepoint` without waiting, so that several can run at the same time. */
  start(
    args: readonly string[],
    options: RunOptions = {},
  ): { readonly pid: number; readonly done: Promise<CommandOutcome> } {
    const env = this.environment(options);
    this.#daemon?.startFor(args, env);
    const child = spawn(process.execPath, [main, ...args], {
      cwd: options.cwd ?? this.dir,
      env,
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
    const done = new Promise<CommandOutcome>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (status, signal) => resolve({ status, signal, stdout, stderr }));
    });
    return { pid: child.pid ?? 0, done };
  }

  /** Runs `savepoint` and fails the test unless it exits with 0. */
  ok(...args: readonly string[]): CommandOutcome {
    const outcome = this.run(args);
    if (outcome.status !== 0) throw new Error(explain(args, outcome));
    return outcome;
  }

  /** Takes a checkpoint and returns its id. */
  checkpoint(): string {
    const id = /cp_\d+/.exec(this.ok('checkpoint').stdout)?.[0];
    if (id === undefined) throw new Error('the checkpoint has no id');
    return id;
  }

  restore(id: string, ...more: readonly string[]): CommandOutcome {
    return this.ok('restore', id, '--yes', ...more);
  }
}

/** Creates a project that is removed when the calling test ends. */
export function project(name?: string): Project {
  const made = new Project(name);
  onTestFinished(() => made.remove());
  return made;
}

/** One project for all tests of a file that do not change it. It saves starting processes. */
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

/** With `SAVEPOINT_TEST_WITH=daemon`, a hook runs with the command line from agents' settings, unless the test forbids it. */
function commandLine(args: readonly string[], { env }: RunOptions): readonly [string, ...string[]] {
  const plain = [process.execPath, main, ...args] as const;
  const isWithDaemon = process.env['SAVEPOINT_TEST_WITH'] === 'daemon' && env?.['SAVEPOINT_DAEMON'] !== 'off';
  return args[0] === 'hook' && isWithDaemon ? [hookScript, ...plain] : plain;
}
