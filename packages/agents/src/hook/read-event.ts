/** An event from standard input: whatever comes, this ends in time and never throws. */

import { JsonProblem, readJson } from '@savepoint/core/ports';
import { type Fields, fieldsOf } from '../fields.ts';

/** Bytes; a tool call that writes more than this was made by no model. */
const LARGEST = 128 * 1024 * 1024;
/** Levels; deeper than anything an agent means, and far from what a stack bears. */
const DEEPEST = 500;

export type Read = { readonly event: Fields } | { readonly problem: string };

/**
 * Reads to the end, or until it is too much or too late.
 * @param deadline aborts when the time is over
 */
export async function readEvent(input: NodeJS.ReadableStream, deadline: AbortSignal): Promise<Read> {
  const parts: Buffer[] = [];
  let length = 0;
  const ended = await new Promise<'ended' | 'late' | 'failed'>((resolve) => {
    if (deadline.aborted) return resolve('late');
    deadline.addEventListener('abort', () => resolve('late'), { once: true });
    input.on('data', (part: Buffer) => {
      length += part.length;
      // The rest is read all the same: who writes it must not find the pipe closed.
      if (length <= LARGEST) parts.push(part);
      else parts.length = 0;
    });
    input.on('end', () => resolve('ended'));
    input.on('error', () => resolve('failed'));
  });
  if (ended === 'late') return { problem: 'the event did not come to its end in time' };
  if (ended === 'failed') return { problem: 'the event could not be read' };
  if (length > LARGEST) return { problem: `the event is over ${LARGEST} bytes long` };
  return parseEvent(Buffer.concat(parts));
}

/** Bytes that are no UTF-8 become U+FFFD, which no path of ours is looked up with. */
export function parseEvent(bytes: Buffer): Read {
  try {
    const value = readJson(new TextDecoder().decode(bytes), { deepest: DEEPEST, keys: 'any' });
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { problem: 'the event is no JSON object' };
    }
    return { event: fieldsOf(value) };
  } catch (error) {
    if (error instanceof JsonProblem && error.kind === 'meaning') return { problem: `the event ${error.message}` };
    return { problem: bytes.length === 0 ? 'no event came' : 'the event is no JSON' };
  }
}
