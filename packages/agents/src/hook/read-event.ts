/** Reads an event from standard input. It always ends in time and never throws. */

import { JsonProblem, readJson } from '@savepoint/core/ports';
import { type Fields, fieldsOf } from '../fields.ts';

/** The most bytes of an event; no model makes a larger tool call. */
const MAX_EVENT_BYTES = 128 * 1024 * 1024;
/** The most levels of nesting: more than any agent needs, and far from a stack overflow. */
const MAX_DEPTH = 500;

/** An agent that the user ends may start a hook and not send it the event. */
export const EMPTY_EVENT = 'the event is empty';

export type ReadEventResult = { readonly event: Fields } | { readonly problem: string };

/**
 * Reads to the end of the input, or until the size or time limit.
 * @param deadline aborts when the time limit expires
 */
export async function readEvent(input: NodeJS.ReadableStream, deadline: AbortSignal): Promise<ReadEventResult> {
  const parts: Buffer[] = [];
  let length = 0;
  const ended = await new Promise<'ended' | 'late' | 'failed'>((resolve) => {
    if (deadline.aborted) return resolve('late');
    deadline.addEventListener('abort', () => resolve('late'), { once: true });
    input.on('data', (part: Buffer) => {
      length += part.length;
      // Read the rest anyway, so that the writer does not get a closed pipe.
      if (length <= MAX_EVENT_BYTES) parts.push(part);
      else parts.length = 0;
    });
    input.on('end', () => resolve('ended'));
    input.on('error', () => resolve('failed'));
  });
  if (ended === 'late') return { problem: 'the event was not complete in time' };
  if (ended === 'failed') return { problem: 'the event could not be read' };
  if (length > MAX_EVENT_BYTES) return { problem: `the event is longer than ${MAX_EVENT_BYTES} bytes` };
  return parseEvent(Buffer.concat(parts));
}

/** Bytes that are not UTF-8 become U+FFFD. Paths with U+FFFD are never looked up. */
export function parseEvent(bytes: Buffer): ReadEventResult {
  try {
    const value = readJson(new TextDecoder().decode(bytes), { maxDepth: MAX_DEPTH, keys: 'any' });
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { problem: 'the event is not a JSON object' };
    }
    return { event: fieldsOf(value) };
  } catch (error) {
    if (error instanceof JsonProblem && error.kind === 'meaning') return { problem: `the event ${error.message}` };
    return bytes.length === 0 ? { problem: EMPTY_EVENT } : { problem: 'the event is not valid JSON' };
  }
}
