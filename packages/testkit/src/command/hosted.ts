import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { testEffort } from '../test-effort.ts';
import { type CommandOutcome, main, type RunOptions } from './outcome.ts';

/**
 * Starting node takes ten times as long as most commands. In quick runs, commands therefore share a process. CI starts
 * one process per command, as users do.
 */
const SHARE_PROCESS = testEffort({ quick: true, ci: false, long: false });

/** Commands that depend on their own process, its streams or its signals. */
const UNHOSTED_COMMANDS = new Set(['hook', 'mcp', 'watch', 'run', 'daemon', '--version', '-V']);

/** Variables that node reads only at startup. */
const READ_AT_START = /^(NODE_|LANG|LC_|TZ$)/;

export function canBeHosted(args: readonly string[], options: RunOptions): boolean {
  return (
    SHARE_PROCESS &&
    options.preload === undefined &&
    options.input === undefined &&
    !args.some((arg) => UNHOSTED_COMMANDS.has(arg)) &&
    !Object.keys(options.env ?? {}).some((name) => READ_AT_START.test(name))
  );
}

const TIMEOUT_MS = 120_000;

/** A process that runs commands, and the thread that talks to it. */
class CommandHost {
  readonly #thread: Worker;
  readonly #port: MessagePort;
  readonly #answers = new Int32Array(new SharedArrayBuffer(4));

  constructor(folder: URL) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const workerData = { entry: main, port: port2, answers: this.#answers, timeoutMs: TIMEOUT_MS };
    this.#thread = new Worker(new URL('./host-thread.mjs', folder), { workerData, transferList: [port2] });
    this.#thread.unref();
  }

  run(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): CommandOutcome {
    const before = Atomics.load(this.#answers, 0);
    this.#thread.postMessage({ args, cwd, env });
    // The thread itself enforces the timeout. After twice that time, the thread must be dead.
    Atomics.wait(this.#answers, 0, before, 2 * TIMEOUT_MS);
    const outcome: CommandOutcome | undefined = receiveMessageOnPort(this.#port)?.message;
    if (outcome === undefined) throw new Error('The command host gave no answer.');
    return outcome;
  }
}

let host: CommandHost | null = null;

/** @param folder that contains the modules of the host */
export function runHosted(folder: URL, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): CommandOutcome {
  host ??= new CommandHost(folder);
  return host.run(args, cwd, env);
}
