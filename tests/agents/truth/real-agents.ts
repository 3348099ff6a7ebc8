/**
 * Real agent programs and a person at work in one folder, in an order that a seed decides. A scripted model asks for
 * each step, and shell commands and hooks wait for each other, so only one of them works at a time and it is known who
 * wrote which line.
 */

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DiskPath, open, type Savepoint } from '@savepoint/core';
import { nodePorts } from '@savepoint/core/node';
import { type SeededRandom, seededRandom } from '@savepoint/testkit';
import { hookScript, Project } from '@savepoint/testkit/command';
import {
  type Chance,
  chooseTask,
  Files,
  joinLines,
  judgedRun,
  kindOf,
  NewLines,
  type OpenCall,
  PERSON,
  Person,
  type Task,
  TrueHistory,
  type TruthRun,
  type Window,
} from '@savepoint/testkit/truth';
import { ACCEPT, claude } from '../claude.ts';
import { codex } from '../codex.ts';
import { gemini } from '../gemini.ts';
import type { Step } from '../model/plan.ts';
import { opencode } from '../opencode.ts';
import { type AgentProgram, MODEL_PORT } from '../program.ts';
import { installProgram } from '../programs.ts';
import { type ProgramRun, runAlone } from '../run.ts';
import { Barriers } from './barriers.ts';
import { callOf, habitsOf } from './calls.ts';

const PROGRAMS: readonly AgentProgram[] = [claude, codex, gemini, opencode];
const AT_THE_SAME_TIME = 3;
const SESSION_MS = 10 * 60_000;
/** Programs stop waiting for a shell command at some time. */
const LONGEST_SHELL = 5;
const SEEDED: Readonly<Record<string, number>> = { 'a.txt': 14, 'b.txt': 10, 'src/c.txt': 12, 'src/d.txt': 6 };

/** Installs the programs that a session may need. */
export function installPrograms(): void {
  for (const { name } of PROGRAMS) installProgram(name);
}

/** @param calls of each agent */
export async function playRealAgents(seed: number, calls: number): Promise<TruthRun> {
  const scene = new RealScene(seed);
  try {
    return await scene.play(calls);
  } finally {
    scene.remove();
  }
}

interface RealAgent {
  readonly program: AgentProgram;
  readonly ended: Promise<ProgramRun>;
  isOver: boolean;
  /** The barrier at which it waits. */
  at: string;
  /** What it does while it waits at another barrier than for its model. */
  call: RealCall | null;
  /** Calls that are left. */
  left: number;
  /** The step after this one, which only reads. */
  next: { readonly step: Step; readonly call: RealCall } | null;
}

interface RealCall extends OpenCall {
  readonly kind: string;
  readonly isShell: boolean;
  hasWritten: boolean;
  age: number;
}

class RealScene {
  readonly #seed: number;
  readonly #random: SeededRandom;
  readonly #project = new Project();
  readonly #barriers: Barriers;
  readonly #files: Files;
  readonly #chance: Chance;
  readonly #person: Person;
  readonly #truth: TrueHistory;
  readonly #savepoint: Savepoint;
  readonly #windows: Window[] = [];
  readonly #agents: RealAgent[] = [];
  /** Processes that calls left running, by the name of their barrier. */
  readonly #leftBehind = new Map<string, { readonly agent: string; readonly kind: string }>();
  #ticks = 0;
  #seen = 0;

  constructor(seed: number) {
    const p = this.#project;
    this.#seed = seed;
    this.#random = seededRandom(seed);
    this.#barriers = new Barriers(join(p.base, 'barriers'));
    this.#files = new Files(p.dir);
    this.#chance = { random: this.#random, fresh: new NewLines(this.#random) };
    this.#person = new Person(this.#files, this.#chance);
    for (const [path, count] of Object.entries(SEEDED)) {
      this.#files.write(path, joinLines(this.#chance.fresh.several('seed', count)));
    }
    p.commitAll();
    this.#truth = new TrueHistory(p.dir);
    this.#savepoint = open({
      dir: p.dir as DiskPath,
      ports: nodePorts(),
      places: { home: p.store as DiskPath, userHome: p.home as DiskPath, globalIgnore: null },
    });
  }

  async play(calls: number): Promise<TruthRun> {
    const programs = this.#random.sample(PROGRAMS, AT_THE_SAME_TIME);
    // Each takes seconds to start, so all start at the same time.
    for (const program of programs) this.#start(program, calls);
    for (const agent of this.#agents) await this.#arrive(agent);
    while (this.#agents.some(({ left }) => left > 0)) await this.#step();
    await this.#end();
    const agents = programs.map(({ name }) => name);
    const played = { truth: this.#truth, windows: this.#windows, agents };
    const stage = { dir: this.#project.dir, savepoint: this.#savepoint };
    return judgedRun(stage, played, this.#project.store, agents.length);
  }

  remove(): void {
    this.#project.remove();
  }

  #start(program: AgentProgram, calls: number): void {
    const { dir, home } = this.#project;
    const folder = installProgram(program.name);
    program.prepare({ project: dir, home }, folder);
    this.#installHooks(program);
    const env: Record<string, string> = {};
    const own = { ...program.env({ project: dir, home }), SAVEPOINT_DAEMON: 'on' };
    for (const [name, value] of Object.entries(this.#project.environment({ env: own }))) {
      if (value !== undefined) env[name] = value;
    }
    const prefix = `${this.#barriers.folder}/${program.name}.model`;
    const ended = runAlone({
      command: program.command(folder, 'Do what is planned.', program.name === 'claude' ? ACCEPT : []),
      cwd: dir,
      env,
      plan: [{ marker: '', steps: [], asks: { prefix } }],
      port: MODEL_PORT,
      timeoutMs: SESSION_MS,
      signal: null,
      afterwards: null,
    });
    const agent: RealAgent = { program, ended, isOver: false, at: '', call: null, left: calls, next: null };
    this.#agents.push(agent);
    const over = (): void => {
      agent.isOver = true;
    };
    ended.then(over, over);
  }

  #installHooks({ name }: AgentProgram): void {
    const { dir, home } = this.#project;
    // For a plugin in a project, opencode waits for the network.
    const [scope, folder] =
      name === 'opencode' ? ['--user', join(home, '.config/opencode/plugin')] : ['--project', join(dir, `.${name}`)];
    this.#project.ok('install', name, scope);
    const script = this.#barriers.hookScript(hookScript);
    for (const settings of filesIn(folder)) {
      writeFileSync(settings, readFileSync(settings, 'utf8').replaceAll(hookScript, script));
    }
  }

  async #step(): Promise<void> {
    const way = this.#random.integer(100);
    if (way < 30) return this.#personDoes();
    const left = [...this.#leftBehind.keys()];
    if (left.length > 0 && way < 36) return this.#finish(this.#random.pick(left));
    for (const { call } of this.#agents) if (call !== null) call.age += 1;
    const old = this.#agents.find(({ call }) => (call?.age ?? 0) > LONGEST_SHELL);
    const able = this.#agents.filter(({ call, left: more }) => call !== null || more > 0);
    await this.#advance(old ?? this.#random.pick(able));
  }

  /** Lets the background processes and then the agents come to their ends. */
  async #end(): Promise<void> {
    for (const agent of this.#agents) while (agent.call !== null || agent.next !== null) await this.#advance(agent);
    for (const name of [...this.#leftBehind.keys()]) await this.#finish(name);
    for (const { at } of this.#agents) this.#barriers.letGo(at, JSON.stringify({ text: 'All done.' }));
    for (const { program, ended } of this.#agents) {
      const { status, stdout, stderr, trouble, timedOut } = await ended;
      if (status !== 0 || timedOut) throw new Error(`${program.name} failed with ${status}: ${stdout}\n${stderr}`);
      if (trouble.length > 0) console.log(`${program.name}: ${trouble.join('; ')}`);
    }
    await this.#noteCapture();
    await this.#savepoint.checkpoint();
    await this.#noteCapture();
  }

  async #advance(agent: RealAgent): Promise<void> {
    if (agent.call !== null) this.#barriers.letGo(agent.at);
    else {
      const step = this.#nextStep(agent);
      if (step === null) return;
      this.#barriers.letGo(agent.at, JSON.stringify(step));
    }
    await this.#arrive(agent);
  }

  /** Follows an agent until it waits for its model, or in a shell command. */
  async #arrive(agent: RealAgent): Promise<void> {
    const { name } = agent.program;
    for (;;) {
      const at = await this.#barriers.arrival(`${name}.`, () => agent.isOver);
      if (at === null) {
        const { status, stdout, stderr } = await agent.ended;
        throw new Error(`seed ${this.#seed}: ${name} ended too early with ${status}: ${stdout}\n${stderr}`);
      }
      await this.#note(name, agent.call?.kind ?? 'nothing');
      agent.at = at;
      const point = at.split('.')[1];
      if (point === 'model') agent.call = null;
      if (point === 'model' || point === 'shell') return;
      if (agent.call !== null) agent.call.hasWritten = point === 'after';
      // A hook cannot wait for long.
      if (agent.call !== null && this.#random.integer(5) < 2) this.#personDoes();
      this.#barriers.letGo(at);
    }
  }

  /** Null: there is nothing to do now. */
  #nextStep(agent: RealAgent): Step | null {
    const { program, next } = agent;
    if (next !== null) {
      agent.next = null;
      agent.call = next.call;
      return next.step;
    }
    const { can, readsFirst } = habitsOf(program);
    const task = chooseTask({ name: program.name, can }, this.#files, this.#chance);
    if (task === null) return null;
    agent.left -= 1;
    const at = (path: string): string => this.#project.at(path);
    const step: Step = { calls: [callOf(program, task, at, this.#commandOf(agent, task))] };
    const paths = task.kind === 'shell' ? [] : task.kind === 'patch' ? task.files.map(({ path }) => path) : [task.path];
    const call: RealCall = {
      paths,
      before: new Map(paths.map((path) => [path, this.#files.read(path)])),
      kind: `${program.name}: ${kindOf('', task)}`,
      isShell: task.kind === 'shell',
      hasWritten: false,
      age: 0,
    };
    const [path] = paths;
    if (readsFirst && path !== undefined && this.#files.read(path) !== null) {
      agent.next = { step, call };
      return { calls: [program.read(at(path))] };
    }
    agent.call = call;
    return step;
  }

  /** '' if it is no shell command. */
  #commandOf({ program }: RealAgent, task: Task): string {
    if (task.kind !== 'shell') return '';
    const { name } = program;
    const commands = [...task.commands];
    const way = this.#random.integer(10);
    if (task.background || way === 0) {
      const barrier = `${name}-left.${this.#tick()}`;
      const kind = `${name}: ${task.background ? 'shell command in the background' : 'left-behind process'}`;
      this.#leftBehind.set(barrier, { agent: name, kind });
      const all = [this.#barriers.waitAt(barrier), ...commands, this.#barriers.passAt(`${barrier}-done`)].join('\n');
      return task.background ? all : `setsid sh > /dev/null 2>&1 <<'LEFT' &\n${all}\nLEFT`;
    }
    if (way < 6) {
      const place = this.#random.integer(commands.length + 1);
      commands.splice(place, 0, this.#barriers.waitAt(`${name}.shell.${this.#tick()}`));
    }
    return commands.join('\n');
  }

  async #finish(name: string): Promise<void> {
    const { agent, kind } = this.#leftBehind.get(name) ?? { agent: '', kind: '' };
    this.#leftBehind.delete(name);
    await this.#barriers.arrival(name);
    this.#barriers.letGo(name);
    // Some programs end the processes of a command.
    const done = await this.#barriers.arrival(`${name}-done`, () => !this.#barriers.runs(name));
    if (done !== null) this.#barriers.letGo(done);
    await this.#note(agent, kind);
  }

  #personDoes(): void {
    const open = this.#agents.flatMap(({ call }) => (call === null ? [] : [call]));
    this.#person.does(open, (path, work) => this.#truth.did(PERSON, this.#situationOf(path), work));
  }

  #situationOf(path: string): string {
    const open = this.#agents.flatMap(({ call }) => (call === null ? [] : [call]));
    const near = open.filter(({ paths }) => paths.includes(path));
    const about = 'person beside real agents:';
    if (near.some(({ hasWritten }) => hasWritten)) return `${about} file that a file tool has just written`;
    if (near.length > 0) return `${about} file that a file tool is about to write`;
    if (open.some(({ isShell }) => isShell)) return `${about} while a shell command runs`;
    return open.length > 0 ? `${about} other file than that of a file tool` : `${about} between calls`;
  }

  /** Everything that changed since the last time is the work of this agent. */
  async #note(agent: string, kind: string): Promise<void> {
    this.#truth.did(agent, kind, () => {});
    await this.#noteCapture();
  }

  async #noteCapture(): Promise<void> {
    const [last] = (await this.#savepoint.list({ limit: 1 })).checkpoints;
    const checkpoint = last?.number ?? 0;
    if (checkpoint === this.#seen) return;
    this.#seen = checkpoint;
    this.#windows.push({ checkpoint, events: this.#truth.events.length });
  }

  #tick(): number {
    this.#ticks += 1;
    return this.#ticks;
  }
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });
}
