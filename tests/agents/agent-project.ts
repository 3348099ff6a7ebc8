import { type Manifest, manifest } from '@savepoint/testkit';
import { Project } from '@savepoint/testkit/command';
import { onTestFinished } from 'vitest';
import type { Plan } from './model/plan.ts';
import { type AgentProgram, MODEL_PORT } from './program.ts';
import { installProgram } from './programs.ts';
import { type ProgramRun, runAlone, type Spec } from './run.ts';

export interface AgentRunOptions {
  /** Another program, which was prepared as well. Default: that of the project. */
  readonly program?: AgentProgram;
  /** Additional arguments. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the project. */
  readonly cwd?: string;
  readonly signal?: Spec['signal'];
  readonly afterwards?: string;
}

/** A run takes seconds, but up to a minute on a busy machine. */
const TIMEOUT_MS = 240_000;

/** A project of a user of an agent program: a repository with some files, and its own home. */
export class AgentProject extends Project {
  readonly program: AgentProgram;
  /** With its `node_modules`. */
  readonly folder: string;

  constructor(program: AgentProgram) {
    super();
    this.program = program;
    this.folder = installProgram(program.name);
    program.prepare({ project: this.dir, home: this.home }, this.folder);
    this.write('keep.txt', 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n');
    this.write('src/lib.txt', 'alpha\nbeta\ngamma\n');
    this.write('old.txt', 'old\n');
    this.write('moved.txt', 'this one is moved\n');
    this.write('spoilt.txt', 'good\n');
    this.commitAll();
  }

  /** Runs the program once, isolated with the model, and waits until all processes that it started have ended. */
  async work(plan: Plan, options: AgentRunOptions = {}, prompt = 'Do what is planned.'): Promise<ProgramRun> {
    const where = { project: this.dir, home: this.home };
    const { program = this.program } = options;
    const done = await runAlone({
      command: program.command(installProgram(program.name), prompt, options.args ?? []),
      cwd: options.cwd ?? this.dir,
      env: this.agentEnvironment({ ...program.env(where), ...options.env }),
      plan,
      port: MODEL_PORT,
      timeoutMs: TIMEOUT_MS,
      signal: options.signal ?? null,
      afterwards: options.afterwards ?? null,
    });
    if (done.timedOut) throw new Error(`${program.name} did not end\n${done.stdout}\n${done.stderr}`);
    if (done.trouble.length > 0) console.log(`${program.name}: ${done.trouble.join('; ')}`);
    return done;
  }

  /** Every wanted file of the project, without `.git`. */
  files(isWanted: (path: string) => boolean): Manifest {
    return manifest(this.dir, { skip: (path) => path === '.git' || !isWanted(path) });
  }

  agentEnvironment(more: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const env: Record<string, string> = { ...more };
    for (const [name, value] of Object.entries(this.environment({ env: more })))
      if (value !== undefined) env[name] = value;
    return env;
  }
}

/** A project with the agent's hooks installed. It is removed when the test ends. */
export function hookedProject(program: AgentProgram): AgentProject {
  const made = new AgentProject(program);
  onTestFinished(() => made.remove());
  made.ok('install', program.name, '--project');
  return made;
}
