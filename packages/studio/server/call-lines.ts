/** One call of a verb by the page whose checks print: each part of that as a line of JSON, and then the answer. */
import { StringDecoder } from 'node:string_decoder';
import { safeJson } from '@savepoint/core/ports';
import { callVerb } from './call-verb.ts';
import type { OpenWorkspace } from './open-workspace.ts';
import type { OutputLine, VerbName } from './wire.ts';

/** The content type that a page asks for. */
export const LINES_TYPE = 'application/x-ndjson';

/** Characters that wait for a page that reads slowly. The oldest are dropped first. */
const MAX_WAITING = 1 << 18;

/** Yields lines. The last one is a `VerbAnswer`. */
export async function* callLines(
  workspace: OpenWorkspace,
  name: VerbName,
  given: unknown,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const printed = new PrintedParts();
  let isDone = false;
  const answering = callVerb(workspace, name, given, signal, (check, part) => printed.add(check, part)).finally(() => {
    isDone = true;
    printed.wake();
  });
  while (!isDone) {
    await printed.wait();
    for (const line of printed.take()) yield `${safeJson(line, 0)}\n`;
  }
  for (const line of printed.take()) yield `${safeJson(line, 0)}\n`;
  yield `${safeJson(await answering, 0)}\n`;
}

class PrintedParts {
  readonly #decoders = new Map<string, StringDecoder>();
  #lines: OutputLine[] = [];
  #waiting = 0;
  #wake: (() => void) | null = null;
  #isAwake = false;

  add(check: string, part: Buffer): void {
    // A part may end within a character.
    const decoder = this.#decoders.get(check) ?? new StringDecoder('utf8');
    this.#decoders.set(check, decoder);
    const text = decoder.write(part).slice(-MAX_WAITING);
    if (text === '') return;
    this.#lines.push({ check, text });
    this.#waiting += text.length;
    while (this.#waiting > MAX_WAITING) this.#waiting -= this.#lines.shift()?.text.length ?? 0;
    this.wake();
  }

  take(): readonly OutputLine[] {
    const lines = this.#lines;
    this.#lines = [];
    this.#waiting = 0;
    return lines;
  }

  wake(): void {
    this.#isAwake = true;
    this.#wake?.();
  }

  async wait(): Promise<void> {
    if (!this.#isAwake) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#wake = null;
    this.#isAwake = false;
  }
}
