/** Matches the begin and the end of calls without an id by their arguments. */

import { createHash } from 'node:crypto';
import type { CallId } from '@savepoint/core';
import type { OpenCall } from '@savepoint/core/frontend';
import type { AgentEvent, ToolCall } from '../event.ts';
import { fieldsOf } from '../fields.ts';

/**
 * Creates an id for a call that begins. Two hooks for the same begin get the same id; two begins get different ids.
 * @param stamp what distinguishes the event; null if the agent does not report it
 */
export function makeCallId(call: ToolCall, stamp: string | null, chance: () => string): CallId {
  return `${callKey(call)}#${stamp ?? chance()}` as CallId;
}

/** Whether this is a call with that id, which was made from its tool and its input, or another one with equal input. */
export function isSameCall(call: Pick<ToolCall, 'tool' | 'input'>, id: string): boolean {
  return id.startsWith(`${callKey(call)}#`);
}

/** The open calls that may be the one that ends, oldest first. Calls with equal input are interchangeable. */
export function matchingCallIds(call: ToolCall, open: readonly OpenCall[]): readonly CallId[] {
  return open.filter(({ id, background }) => isSameCall(call, id) && !background).map(({ id }) => id);
}

/**
 * Identifies an event: if several settings of one agent have our hook, each of them reports it.
 * @returns null if the event cannot be distinguished from another one, or if handling it twice has no effect
 */
export function eventKey(event: AgentEvent): string | null {
  const { kind, stamp, subAgentId } = event;
  const parts = ((): readonly (string | null)[] | null => {
    switch (kind) {
      case 'session-started':
        return stamp === null ? null : [stamp];
      case 'prompt-given':
        return event.messageId === null && stamp === null ? null : [event.messageId ?? stamp, event.text];
      case 'call-began':
        // While a call with this id is open, its record tells. Afterwards, the id may be that of a new call.
        return event.call.id !== null || stamp === null ? null : [callKey(event.call), stamp];
      case 'call-ended':
        if (event.call.id !== null) return [event.call.id];
        return stamp === null ? null : [callKey(event.call), stamp];
      default:
        return null;
    }
  })();
  return parts === null ? null : hashOf([kind, subAgentId, ...parts]);
}

/**
 * The key of the end of a call with the id of the one that begins: agents that number their calls per turn use an id
 * again. Null: it is not the begin of a call with an id.
 */
export function endKeyBefore(event: AgentEvent): string | null {
  if (event.kind !== 'call-began' || event.call.id === null) return null;
  return hashOf(['call-ended', event.subAgentId, event.call.id]);
}

function hashOf(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/** Equal for the begin and the end of a call, and for other calls with the same input. */
function callKey({ tool, input }: Pick<ToolCall, 'tool' | 'input'>): string {
  const fields = Object.entries(fieldsOf(input)).sort(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash('sha256')
    .update(JSON.stringify([tool, fields]))
    .digest('hex');
  return `${tool.slice(0, 60)}#${hash.slice(0, 12)}`;
}
