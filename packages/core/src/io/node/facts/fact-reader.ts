import type { ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { decodeFacts } from '../../../code/codec.ts';
import type { FileFacts } from '../../../code/facts.ts';
import type { FactJob, FactReader } from '../../../code/reader.ts';
import { ownProgram } from '../own-program.ts';
import type { FactAnswer, FactRequest } from './fact-worker.ts';
import { readGrammar } from './grammars.ts';

/** More processes would take memory: each has its own parsers. */
const MOST_PROCESSES = 2;
/** Milliseconds without work after which a process ends. Its parsers' memory is then free. */
const IDLE_MS = 5_000;
/** A message has at most this many files, and starts no further file after this many bytes. */
const FILES_PER_MESSAGE = 64;
const BYTES_PER_MESSAGE = 1024 * 1024;
/** Messages per process that wait, so that it always has work. */
const MESSAGES_PER_PROCESS = 2;

const PROGRAM = { built: 'facts/fact-worker.js', bundled: 'fact-worker.js' };

/**
 * Reads facts in other processes, which are started when there is work and end when there is none. A file that ends its
 * process has no facts. If the program is not installed, as in a sandbox, facts are read in this process.
 */
export function nodeFactReader(cores: number = availableParallelism()): FactReader {
  let reader: Promise<FactReader> | null = null;
  return {
    async read(jobs, signal) {
      reader ??= openReader(Math.max(1, Math.min(MOST_PROCESSES, cores)));
      return (await reader).read(jobs, signal);
    },
  };
}

type Files = FactRequest['files'];

interface Batch {
  /** The places of the files among the jobs. */
  readonly nth: readonly number[];
  readonly files: Files;
}

/** Thrown if a process ended before it answered. */
class ProcessEnded extends Error {}

async function openReader(processes: number): Promise<FactReader> {
  const program = ownProgram(PROGRAM);
  if (program !== null) return new FactReaderInProcesses(program, processes);
  const { LANGUAGES, LanguageTable, LocalFactReader } = await import('../../../code/index.ts');
  return new LocalFactReader(new LanguageTable(LANGUAGES), readGrammar);
}

class FactReaderInProcesses implements FactReader {
  readonly #program: string;
  readonly #most: number;
  readonly #processes = new Set<FactProcess>();

  constructor(program: string, most: number) {
    this.#program = program;
    this.#most = most;
  }

  async read(jobs: readonly FactJob[], signal: AbortSignal | null): Promise<readonly (FileFacts | null)[]> {
    const facts: (FileFacts | null)[] = jobs.map(() => null);
    const open = new Set<Promise<void>>();
    for (const batch of batchesOf(jobs)) {
      if (open.size >= this.#most * MESSAGES_PER_PROCESS) await Promise.race(open);
      signal?.throwIfAborted();
      const done = this.#readBatch(batch, facts, signal).finally(() => open.delete(done));
      // It is awaited below. Until then, a failure must not count as unhandled.
      done.catch(() => {});
      open.add(done);
    }
    await Promise.all(open);
    signal?.throwIfAborted();
    return facts;
  }

  async #readBatch({ nth, files }: Batch, facts: (FileFacts | null)[], signal: AbortSignal | null): Promise<void> {
    for (const [at, text] of (await this.#ask(files, signal)).entries()) {
      const place = nth[at];
      if (place !== undefined && text !== null) facts[place] = decodeFacts(text);
    }
  }

  /** If the process ends, each half of the files is read by another one, until the file that ends it is alone. */
  async #ask(files: Files, signal: AbortSignal | null): Promise<FactAnswer['facts']> {
    try {
      return await (await this.#process()).read(files, signal);
    } catch (error) {
      if (!(error instanceof ProcessEnded)) throw error;
      if (files.length <= 1) return [null];
      const half = Math.ceil(files.length / 2);
      const first = await this.#ask(files.slice(0, half), signal);
      return [...first, ...(await this.#ask(files.slice(half), signal))];
    }
  }

  async #process(): Promise<FactProcess> {
    // Loaded lazily: most processes never read facts.
    const { fork } = await import('node:child_process');
    let least: FactProcess | null = null;
    for (const one of this.#processes) if (least === null || one.jobs < least.jobs) least = one;
    if (least !== null && (least.jobs === 0 || this.#processes.size >= this.#most)) return least;
    const child = fork(this.#program, [], { env: {}, execArgv: [], serialization: 'advanced', stdio: 'ignore' });
    const made: FactProcess = new FactProcess(child, () => this.#processes.delete(made));
    this.#processes.add(made);
    return made;
  }
}

interface OpenRequest {
  readonly resolve: (facts: FactAnswer['facts']) => void;
  readonly reject: (error: unknown) => void;
}

/** Keeps this process alive only while it has work. */
class FactProcess {
  readonly #child: ChildProcess;
  readonly #onEnd: () => void;
  readonly #open = new Map<number, OpenRequest>();
  #last = 0;
  #idle: NodeJS.Timeout | null = null;

  constructor(child: ChildProcess, onEnd: () => void) {
    this.#child = child;
    this.#onEnd = onEnd;
    child.on('message', ({ job, facts }: FactAnswer) => this.#close(job)?.resolve(facts));
    child.on('error', () => this.#end(new ProcessEnded()));
    child.on('exit', () => this.#end(new ProcessEnded()));
  }

  get jobs(): number {
    return this.#open.size;
  }

  /** If the signal is aborted, the process ends: nothing else stops a parser. */
  async read(files: Files, signal: AbortSignal | null): Promise<FactAnswer['facts']> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    this.#child.ref();
    this.#child.channel?.ref();
    const job = ++this.#last;
    const onAbort = (): void => this.#end(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        this.#open.set(job, { resolve, reject });
        const request: FactRequest = { job, files };
        this.#child.send(request, (error) => {
          if (error !== null) this.#end(new ProcessEnded());
        });
      });
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #close(job: number): OpenRequest | undefined {
    const request = this.#open.get(job);
    this.#open.delete(job);
    if (this.#open.size === 0) {
      this.#child.unref();
      this.#child.channel?.unref();
      this.#idle = setTimeout(() => this.#end(new ProcessEnded()), IDLE_MS).unref();
    }
    return request;
  }

  #end(error: unknown): void {
    this.#onEnd();
    this.#child.kill('SIGKILL');
    for (const request of this.#open.values()) request.reject(error);
    this.#open.clear();
  }
}

function* batchesOf(jobs: readonly FactJob[]): Generator<Batch> {
  let nth: number[] = [];
  let files: Files[number][] = [];
  let length = 0;
  for (const [at, job] of jobs.entries()) {
    const bytes = job.read();
    if (bytes === null) continue;
    nth.push(at);
    files.push({ path: job.path, bytes });
    length += bytes.length;
    if (files.length < FILES_PER_MESSAGE && length < BYTES_PER_MESSAGE) continue;
    yield { nth, files };
    nth = [];
    files = [];
    length = 0;
  }
  if (files.length > 0) yield { nth, files };
}
