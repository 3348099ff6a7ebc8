/** MCP over a pair of streams, one JSON-RPC message per line. No input can end or block it. */
import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { safeJson } from '@savepoint/core/tools';
import { type BadFrame, idIn, readFrame } from './frame.ts';
import { LineReader } from './line-reader.ts';

/** The most bytes of one message from the client; enough to write complete files. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;

export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
}

export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves when the connection is closed: with the error that closed it, or null if the client disconnected. */
  readonly closed: Promise<Error | null>;
  readonly #streams: Streams;
  readonly #lines = new LineReader(MAX_FRAME_BYTES);
  #resolveClosed: (error: Error | null) => void = () => undefined;
  #isOpen = true;

  constructor(streams: Streams) {
    this.#streams = streams;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  async start(): Promise<void> {
    const { input, output } = this.#streams;
    input.on('data', this.#read);
    input.on('end', this.#end);
    input.on('close', this.#end);
    input.on('error', this.#fail);
    // Never removed: a late write error must not crash the process.
    output.on('error', this.#fail);
    if (input.readableEnded || input.destroyed) setImmediate(this.#end);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(message);
  }

  async close(): Promise<void> {
    this.#close(null);
  }

  readonly #read = (chunk: Buffer): void => {
    for (const line of this.#lines.read(chunk)) {
      if (!this.#isOpen) return;
      if (line.kind === 'line') this.#readLine(line.bytes);
      else {
        const message = `The message has ${line.length} bytes; the limit is ${MAX_FRAME_BYTES}.`;
        this.#refuse({ code: -32600, message, id: idIn(line.start, line.end) });
      }
    }
  };

  #readLine(bytes: Uint8Array): void {
    const frame = readFrame(bytes);
    if (frame.kind === 'empty') return;
    if (frame.kind === 'bad') {
      this.#refuse(frame);
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(frame.value);
    } catch {
      this.#refuse({ code: -32600, message: 'The message is not a JSON-RPC 2.0 message.', id: idIn(bytes) });
      return;
    }
    this.onmessage?.(message);
  }

  #refuse({ code, message, id }: BadFrame): void {
    this.onerror?.(new Error(`A message was refused: ${message}`));
    void this.#write({ jsonrpc: '2.0', id, error: { code, message } });
  }

  /** Resolves when the stream accepts data again. Until then, no input is read. */
  #write(message: unknown): Promise<void> {
    if (!this.#isOpen) return Promise.resolve();
    const { input, output } = this.#streams;
    if (output.write(`${safeJson(message)}\n`)) return Promise.resolve();
    input.pause();
    return new Promise((resolve) => {
      const go = (): void => {
        output.off('drain', go);
        output.off('close', go);
        output.off('error', go);
        if (this.#isOpen) input.resume();
        resolve();
      };
      output.on('drain', go);
      output.on('close', go);
      output.on('error', go);
    });
  }

  readonly #end = (): void => this.#close(null);

  readonly #fail = (error: Error): void => this.#close(error);

  #close(error: Error | null): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { input } = this.#streams;
    input.off('data', this.#read);
    input.pause();
    this.onclose?.();
    this.#resolveClosed(error);
  }
}
