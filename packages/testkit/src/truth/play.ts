/**
 * Agents and a person at work in one folder, interleaved at random, but equal for the same seed. The agents send the
 * events of their protocols, their tools really change the files, and it is known who did what.
 */

import type { Savepoint } from '@savepoint/core';
import { type SeededRandom, seededRandom } from '../seeded-random.ts';
import { Files } from './files.ts';
import { joinLines, NewLines } from './lines.ts';
import { Person } from './person.ts';
import { type CallEvents, type Protocol, protocolsIn, type Sent, type Task } from './protocols.ts';
import { type Chance, chooseTask } from './tasks.ts';
import { runOf, type ToolRun } from './tools.ts';
import { TrueHistory } from './true-history.ts';

export const PERSON = 'outside';

export interface Stage {
  readonly dir: string;
  readonly savepoint: Savepoint;
  /** Sends an event to the hook of an agent. */
  readonly tell: (agent: string, sent: Sent) => Promise<void>;
}

/** Which events of the true history a checkpoint may show. */
export interface Window {
  /** The last checkpoint that was made by the capture. */
  readonly checkpoint: number;
  /** The number of events before the capture. */
  readonly events: number;
}

export interface Played {
  readonly truth: TrueHistory;
  readonly windows: readonly Window[];
  /** The agents that took part. */
  readonly agents: readonly string[];
}

interface AgentState {
  readonly protocol: Protocol;
  session: string;
  readonly calls: Call[];
  /** Whether its hooks are in two settings, so that each event is sent twice. */
  readonly twice: boolean;
}

interface Call {
  readonly events: CallEvents;
  readonly task: Task;
  readonly run: ToolRun;
  readonly kind: string;
  readonly paths: readonly string[];
  /** Its paths before it wrote. */
  readonly before: ReadonlyMap<string, string | null>;
  hasWritten: boolean;
  isEnded: boolean;
}

/** @param steps how often somebody does something */
export async function play(stage: Stage, seed: number, steps: number): Promise<Played> {
  const scene = new Scene(stage, seed);
  await scene.begin();
  for (let step = 0; step < steps; step++) await scene.step();
  await scene.end();
  return { truth: scene.truth, windows: scene.windows, agents: scene.agents.map(({ protocol }) => protocol.name) };
}

const NAMES = ['claude', 'gemini', 'copilot', 'codex'] as const;
const SEEDED: Readonly<Record<string, number>> = {
  'a.txt': 14,
  'b.txt': 10,
  'windows.txt': 10,
  'src/c.txt': 12,
  'src/d.txt': 6,
};

class Scene {
  readonly truth: TrueHistory;
  readonly windows: Window[] = [];
  readonly agents: readonly AgentState[];
  readonly #stage: Stage;
  readonly #random: SeededRandom;
  readonly #files: Files;
  readonly #chance: Chance;
  readonly #person: Person;
  #ticks = 0;
  #seen = 0;

  constructor(stage: Stage, seed: number) {
    this.#stage = stage;
    this.#random = seededRandom(seed);
    this.#files = new Files(stage.dir);
    this.#chance = { random: this.#random, fresh: new NewLines(this.#random) };
    this.#person = new Person(this.#files, this.#chance);
    for (const [path, count] of Object.entries(SEEDED)) {
      const text = joinLines(this.#chance.fresh.several('seed', count));
      this.#files.write(path, path.startsWith('windows') ? text.replaceAll('\n', '\r\n') : text);
    }
    this.#files.write('empty.txt', '');
    this.truth = new TrueHistory(stage.dir);
    const protocols = protocolsIn(stage.dir, () => this.#tick());
    this.agents = this.#random.sample(NAMES, 3).map((name) => ({
      protocol: protocols[name] as Protocol,
      session: `${name}-session-${this.#tick()}`,
      calls: [],
      twice: this.#random.integer(5) === 0,
    }));
  }

  async begin(): Promise<void> {
    await this.#stage.savepoint.checkpoint();
    await this.#noteCapture();
    for (const agent of this.agents) await this.#tell(agent, agent.protocol.start(agent.session));
  }

  async step(): Promise<void> {
    const way = this.#random.integer(100);
    if (way < 34) this.#personDoes();
    else if (way < 36) {
      await this.#stage.savepoint.checkpoint();
      await this.#noteCapture();
    } else {
      const busy = this.agents.filter(({ calls }) => calls.length > 0);
      await this.#agentDoes(this.#random.pick(busy.length > 0 && way < 85 ? busy : this.agents));
    }
  }

  /** Lets everything end, and records what is left. */
  async end(): Promise<void> {
    for (const agent of this.agents) {
      for (const call of [...agent.calls]) {
        while (agent.calls.includes(call)) await this.#advance(agent, call);
      }
      await this.#tell(agent, agent.protocol.stop(agent.session));
      await this.#close(agent);
    }
    await this.#stage.savepoint.checkpoint();
    await this.#noteCapture();
  }

  async #agentDoes(agent: AgentState): Promise<void> {
    const { protocol, calls } = agent;
    if (this.#random.integer(250) === 0) return this.#dies(agent);
    if (calls.length > 0 && (calls.length > 1 || this.#random.integer(4) > 0)) {
      return this.#advance(agent, this.#random.pick(calls));
    }
    if (calls.length === 0) {
      const way = this.#random.integer(30);
      if (way === 0) return this.#tell(agent, protocol.stop(agent.session));
      if (way === 1) return this.#tell(agent, protocol.prompt(agent.session, `Go on, ${this.#tick()}.`));
      if (way === 2) return this.#startAgain(agent);
    }
    const task = chooseTask(protocol, this.#files, this.#chance);
    if (task !== null) await this.#beginCall(agent, task);
  }

  async #beginCall(agent: AgentState, task: Task): Promise<void> {
    const subAgent = this.#random.integer(6) === 0 ? `sub-agent-${1 + this.#random.integer(2)}` : null;
    const events = agent.protocol.call(agent.session, task, subAgent);
    const paths = task.kind === 'shell' ? [] : task.kind === 'patch' ? task.files.map(({ path }) => path) : [task.path];
    agent.calls.push({
      events,
      task,
      run: runOf(task, this.#files, { isSlow: this.#random.integer(8) === 0, overwrites: events.tool !== 'create' }),
      kind: kindOf(events.tool, task),
      paths,
      before: new Map(paths.map((path) => [path, this.#files.read(path)])),
      hasWritten: false,
      isEnded: false,
    });
    await this.#tell(agent, events.begun);
  }

  async #advance(agent: AgentState, call: Call): Promise<void> {
    const { run, task, events } = call;
    // A person may refuse a call; its agent then reports no end.
    const isRefused = !call.hasWritten && this.#random.integer(60) === 0;
    const isBackground = task.kind === 'shell' && task.background;
    if (isBackground && !call.isEnded) {
      call.isEnded = true;
      return this.#tell(agent, events.ended(null));
    }
    const work = isRefused || run.failure !== null ? undefined : run.steps.shift();
    if (work !== undefined) {
      this.truth.did(agent.protocol.name, call.kind, work);
      call.hasWritten = run.steps.length === 0;
      if (call.hasWritten && run.done !== null && run.done.found !== null && call.paths[0] !== undefined) {
        const { found, written } = run.done;
        this.truth.replaced(agent.protocol.name, call.kind, { path: call.paths[0], found, written });
      }
      return;
    }
    agent.calls.splice(agent.calls.indexOf(call), 1);
    if (isRefused || call.isEnded) return;
    const ended = run.failure === null ? events.ended(run.done) : events.failed(run.failure);
    if (ended !== null) await this.#tell(agent, ended);
  }

  /** It is killed and started again. Nothing reports the end of its calls or of its session. */
  async #dies(agent: AgentState): Promise<void> {
    agent.calls.length = 0;
    agent.session = `${agent.protocol.name}-session-${this.#tick()}`;
    await this.#tell(agent, agent.protocol.start(agent.session));
  }

  async #startAgain(agent: AgentState): Promise<void> {
    await this.#close(agent);
    agent.session = `${agent.protocol.name}-session-${this.#tick()}`;
    await this.#tell(agent, agent.protocol.start(agent.session));
  }

  /** As the hook at the end of a session, but without its work in the background. */
  async #close({ protocol, session }: AgentState): Promise<void> {
    await this.#stage.savepoint.session({ agent: protocol.name, id: session }).close({ retire: false });
    await this.#noteCapture();
  }

  #personDoes(): void {
    const open = this.agents.flatMap(({ calls }) => calls);
    this.#person.does(open, (path, work) => this.truth.did(PERSON, this.#situationOf(path), work));
  }

  /** What the agents are doing while the person writes a path. */
  #situationOf(path: string): string {
    const open = this.agents.flatMap(({ calls }) => calls);
    const near = open.filter(({ paths }) => paths.includes(path));
    if (near.some(({ hasWritten }) => hasWritten)) return 'person: file that a file tool has just written';
    if (near.length > 0) return 'person: file that a file tool is about to write';
    if (open.some(({ task }) => task.kind === 'shell')) return 'person: while a shell command runs';
    return open.length > 0 ? 'person: other file than that of a file tool' : 'person: no call is open';
  }

  async #tell(agent: AgentState, sent: Sent): Promise<void> {
    await this.#stage.tell(agent.protocol.name, sent);
    await this.#noteCapture();
    if (!agent.twice) return;
    // The person does not wait for the second hook.
    if (this.#random.integer(4) === 0) this.#personDoes();
    await this.#stage.tell(agent.protocol.name, sent);
    await this.#noteCapture();
  }

  async #noteCapture(): Promise<void> {
    const [last] = (await this.#stage.savepoint.list({ limit: 1 })).checkpoints;
    const checkpoint = last?.number ?? 0;
    if (checkpoint === this.#seen) return;
    this.#seen = checkpoint;
    this.windows.push({ checkpoint, events: this.truth.events.length });
  }

  #tick(): number {
    this.#ticks += 1;
    return this.#ticks;
  }
}

/** @param tool as its protocol names it */
export function kindOf(tool: string, task: Task): string {
  switch (task.kind) {
    case 'shell':
      return task.background ? 'shell command in the background' : 'shell command';
    case 'patch':
      return 'apply_patch';
    case 'write':
      return 'whole file';
    case 'edit':
      if (tool === 'MultiEdit') return 'several edits of a file';
      return task.edits.some(({ all }) => all) ? 'edit, replace all' : 'edit';
  }
}
