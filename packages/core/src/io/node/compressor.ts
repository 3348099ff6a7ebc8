import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import type { Compressor } from '../compressor.ts';

/** More threads would take cores from the agent whose work is captured. */
const MAX_THREADS = 2;
/** Bytes in flight per thread, because the engine works for some milliseconds at a time before it can send more. */
const BYTES_PER_THREAD = 1536 * 1024;
/** Milliseconds without work after which a thread ends. */
const IDLE_MS = 5_000;

type CompressedPieces = Awaited<ReturnType<Compressor['compress']>>;

/**
 * The program of a thread, as text. A separate file would have to be found in every build: in the package, in the
 * command's bundle, and in the single file for sandboxes.
 */
const PROGRAM = `
const { parentPort } = require('node:worker_threads');
const { deflateSync } = require('node:zlib');
parentPort.on('message', ({ job, bytes, lengths, settings }) => {
  const all = new Uint8Array(bytes);
  let at = 0;
  const streams = lengths.map((length, nth) => deflateSync(all.subarray(at, (at += length)), settings[nth]));
  const joined = new Uint8Array(streams.reduce((sum, { length }) => sum + length, 0));
  at = 0;
  for (const stream of streams) {
    joined.set(stream, at);
    at += stream.length;
  }
  parentPort.postMessage({ job, bytes: joined, lengths: streams.map(({ length }) => length) }, [joined.buffer]);
});
`;

interface CompressionJob {
  readonly resolve: (compressed: CompressedPieces) => void;
  readonly reject: (error: unknown) => void;
}

/** Keeps the process alive only while it has jobs. */
class CompressionThread {
  readonly #worker: Worker;
  readonly #jobs = new Map<number, CompressionJob>();
  #lastJob = 0;
  #idle: NodeJS.Timeout | null = null;

  constructor(worker: Worker, onEnd: () => void) {
    this.#worker = worker;
    this.#worker.unref();
    this.#worker.on('message', ({ job, ...compressed }: CompressedPieces & { readonly job: number }) => {
      this.#jobs.get(job)?.resolve(compressed);
      this.#jobs.delete(job);
      if (this.#jobs.size > 0) return;
      this.#worker.unref();
      this.#idle = setTimeout(() => {
        onEnd();
        void this.#worker.terminate();
      }, IDLE_MS).unref();
    });
    const end = (error: unknown): void => {
      onEnd();
      for (const { reject: failed } of this.#jobs.values()) failed(error);
      this.#jobs.clear();
    };
    this.#worker.on('error', end);
    this.#worker.on('exit', () => end(new Error('the thread has ended')));
  }

  get jobs(): number {
    return this.#jobs.size;
  }

  compress(message: Readonly<Record<string, unknown>>): Promise<CompressedPieces> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    this.#worker.ref();
    return new Promise((done, failed) => {
      const job = ++this.#lastJob;
      this.#jobs.set(job, { resolve: done, reject: failed });
      this.#worker.postMessage({ ...message, job });
    });
  }
}

const threads = new Set<CompressionThread>();

/** Returns null on a machine with a single core, where threads gain nothing. */
export function nodeCompressor(cores: number = availableParallelism()): Compressor | null {
  const most = Math.min(MAX_THREADS, cores - 1);
  if (most < 1) return null;
  return {
    maxBytesInFlight: most * BYTES_PER_THREAD,
    async compress(bytes, lengths, settings) {
      // Loaded lazily, because it takes two milliseconds and most processes do not need it.
      const { Worker } = await import('node:worker_threads');
      let least: CompressionThread | null = null;
      for (const thread of threads) if (least === null || thread.jobs < least.jobs) least = thread;
      if (least === null || (least.jobs > 0 && threads.size < most)) {
        const worker = new Worker(PROGRAM, { eval: true, env: {}, execArgv: [], name: 'savepoint compressor' });
        const made: CompressionThread = new CompressionThread(worker, () => threads.delete(made));
        threads.add(made);
        least = made;
      }
      return least.compress({ bytes, lengths, settings });
    },
  };
}
