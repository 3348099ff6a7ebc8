/** A real agent program in its interactive form, inside `savepoint run`, on a terminal, with the scripted model. */
import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main } from '@savepoint/testkit/command';
import { onTestFinished } from 'vitest';
import { type Emulated, HostedTerminal, until } from '../frontends/hosted-terminal.ts';
import { AgentProject } from './agent-project.ts';
import type { Interactive } from './interactive.ts';
import type { Plan, Seen } from './model/plan.ts';
import { endOthersIn } from './network-processes.mjs';
import { MODEL_PORT } from './program.ts';
import { LOOPBACK_ONLY } from './run.ts';

/** What `terminal-inside.mjs` reads. */
export interface TerminalSpec {
  readonly command: readonly string[];
  readonly plan: Plan;
  /** Port of the model on the loopback. */
  readonly port: number;
  /** The file for what the model saw. */
  readonly seen: string;
  /** The network that it must not run in, as /proc names it. */
  readonly outerNetwork: string;
}

export interface AgentTerminalStart {
  /** Options of `run`. */
  readonly options?: readonly string[];
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const inside = fileURLToPath(new URL('./terminal-inside.mjs', import.meta.url));
/** A program that changes nothing on its screen for so long does nothing, not even run a hook. */
const IDLE_MS = 1_500;
const MAX_PRESSES = 20;
/** How long the overlay may take to begin. */
const PRESS_MS = 1_000;
const DOWN = '\x1b[B';
/** Agents take seconds to start, and many more on a busy machine. */
const PATIENCE_MS = 150_000;

export class AgentTerminal {
  readonly project: InteractiveProject;
  readonly terminal: HostedTerminal;
  readonly #seen: string;

  constructor(project: InteractiveProject, plan: Plan, start: AgentTerminalStart = {}) {
    this.project = project;
    const { interactive } = project;
    this.#seen = join(project.base, 'seen.json');
    const spec: TerminalSpec = {
      command: [
        process.execPath,
        main,
        'run',
        ...(start.options ?? []),
        '--',
        interactive.program.name,
        ...interactive.options,
      ],
      plan,
      port: MODEL_PORT,
      seen: this.#seen,
      outerNetwork: readlinkSync('/proc/self/ns/net'),
    };
    const file = join(project.base, 'terminal.json');
    writeFileSync(file, JSON.stringify(spec));
    const isolate = ['unshare', ...LOOPBACK_ONLY, process.execPath, inside, file];
    const where = { project: project.dir, home: project.home };
    this.terminal = new HostedTerminal(project, `exec ${isolate.map(quoted).join(' ')}`, {
      columns: start.columns ?? 100,
      rows: start.rows ?? 40,
      env: project.agentEnvironment({
        TERM: 'xterm-256color',
        COLORTERM: 'truecolor',
        ...project.program.env(where),
        PATH: `${project.bin}:${process.env['PATH'] ?? ''}`,
        ...start.env,
      }),
      patienceMs: PATIENCE_MS,
    });
    const network = readNetwork(this.terminal.pid);
    onTestFinished(async () => {
      if (network.of() !== spec.outerNetwork) await endOthersIn(network.of(), 0);
    });
  }

  /** The requests about the work, so far. */
  seen(): readonly Seen[] {
    return (JSON.parse(readFileSync(this.#seen, 'utf8')) as { readonly seen: readonly Seen[] }).seen;
  }

  /** Waits until the program waits for a prompt. */
  async ready(): Promise<Emulated> {
    const { ready } = this.project.interactive;
    return this.terminal.displays(ready);
  }

  /** Types a prompt and waits until the screen has the answer and the program waits again. */
  async prompt(words: string, answer: RegExp): Promise<void> {
    await this.ready();
    await this.terminal.still(IDLE_MS);
    await this.type(words);
    // Some take an Enter that comes at once for a part of a paste.
    await this.terminal.still();
    this.terminal.type('\r');
    await this.terminal.displays(answer);
    await this.ready();
  }

  /** Waits until this state is chosen in the overlay. @param words those of its prompt */
  async choose(words: string): Promise<Emulated> {
    const { terminal } = this;
    let now = await terminal.still();
    while (!new RegExp(`▸ [^\\n]*${words}`).test(now.screen)) {
      const before = chosenRow(now);
      terminal.type(DOWN);
      // A key that is still on its way when the next one is typed would choose the state after the wanted one.
      now = await until(
        async () => {
          const { screen } = await terminal.emulated();
          return chosenRow({ screen }) !== before && terminal.still();
        },
        () => `another state to be chosen than ${before}, because ${words} is not in the list so far`,
      );
    }
    return now;
  }

  /** Types words, and waits until they are on the screen. */
  async type(words: string): Promise<void> {
    this.terminal.type(words);
    await this.terminal.displays(new RegExp(words.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  }

  /** Opens the list of earlier states, once the screen is still. @returns what it covers */
  async openOverlay(): Promise<Emulated> {
    await this.ready();
    await this.terminal.still(IDLE_MS);
    // Two presses that are too far apart, because the machine is busy, are two first ones.
    for (let presses = 0; presses < MAX_PRESSES; presses += 1) {
      const before = await this.terminal.still();
      this.terminal.type(this.project.interactive.key);
      const isOpen = await this.terminal.displays(/Reading …|the files as they are/, PRESS_MS).catch(() => null);
      if (isOpen === null) continue;
      await this.terminal.displays(/the files as they are/);
      return before;
    }
    throw new Error(`the overlay does not open:\n${(await this.terminal.emulated()).screen}`);
  }

  /** Ends the program in its own way. */
  async quit(): Promise<void> {
    const { terminal } = this;
    for (const keys of this.project.interactive.quit) {
      terminal.type(keys);
      await terminal.still();
    }
    const { status } = await terminal.exited;
    if (status !== 0) throw new Error(`it ended with ${status}:\n${(await terminal.emulated()).screen}`);
  }
}

/** The number and the text of the row that is chosen in the overlay. */
function chosenRow({ screen }: Pick<Emulated, 'screen'>): string | null {
  const rows = screen.split('\n');
  const index = rows.findIndex((row) => row.includes('▸'));
  return index < 0 ? null : `${index} ${rows[index]}`;
}

/** The network of the process; it changes right after the start. */
function readNetwork(pid: number): { readonly of: () => string } {
  let last = '';
  const of = (): string => {
    try {
      last = readlinkSync(`/proc/${pid}/ns/net`);
    } catch {
      // It has ended.
    }
    return last;
  };
  return { of };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** A project in which the program asks nothing at its start. */
class InteractiveProject extends AgentProject {
  readonly interactive: Interactive;
  /** A folder for PATH, with the program under its usual name. */
  readonly bin: string;

  constructor(interactive: Interactive) {
    super(interactive.program);
    this.interactive = interactive;
    this.bin = join(this.base, 'bin');
    mkdirSync(this.bin);
    symlinkSync(join(this.folder, interactive.file), join(this.bin, interactive.program.name));
    interactive.prepare({ project: this.dir, home: this.home });
    // A machine that is busy may take long between two key presses.
    mkdirSync(this.store, { mode: 0o700 });
    writeFileSync(join(this.store, 'config.json'), JSON.stringify({ run: { key_ms: 5000 } }));
  }
}

/** It is removed when the test ends. */
export function interactiveProject(interactive: Interactive): InteractiveProject {
  const project = new InteractiveProject(interactive);
  onTestFinished(() => project.remove());
  return project;
}
