/** Calls of agents that give them no id: the begin and the end of one are paired by what it is called with. */

import { createHash } from 'node:crypto';
import type { CallId } from '@savepoint/core';
import type { OpenCall } from '@savepoint/core/faces';
import type { ToolCall } from '../event.ts';
import { fieldsOf } from '../fields.ts';

/**
 * An id for a call that begins. Two hooks that tell of one begin come to the same, two begins to two.
 * @param stamp what the agent tells the one from the other by; null: nothing
 */
export function madeId(call: ToolCall, stamp: string | null, chance: () => string): CallId {
  return `${baseOf(call)}#${stamp ?? chance()}` as CallId;
}

/** The open calls that may be the one that ends: the oldest first, as calls with equal input are all the same to everybody. */
export function endingIds(call: ToolCall, open: readonly OpenCall[]): readonly CallId[] {
  const base = `${baseOf(call)}#`;
  return open.filter(({ id, background }) => id.startsWith(base) && !background).map(({ id }) => id);
}

/** The same for a call's begin and its end; the same, too, for another call with the same input. */
function baseOf({ tool, input }: ToolCall): string {
  const fields = Object.entries(fieldsOf(input)).sort(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash('sha256')
    .update(JSON.stringify([tool, fields]))
    .digest('hex');
  return `${tool.slice(0, 60)}#${hash.slice(0, 12)}`;
}
