import { readFileSync } from 'node:fs';
import type { CallId } from '@savepoint/core';
import type { ConversationEnd, ConversationPlace, DiskPath } from '@savepoint/core/ports';
import { realPorts } from '@savepoint/testkit';
import type { ConversationMachine } from '../../src/conversation/agent-conversation.ts';

/** The real machine, with the given environment. */
export function machine(env: Readonly<Record<string, string>> = {}): ConversationMachine {
  return { ports: realPorts(), env };
}

export function beforePrompt(messageId: string | null, words: string | null = null, promptsAfter = 0): ConversationEnd {
  return { kind: 'before-prompt', messageId, words, promptsAfter };
}

export function afterCall(call: string, messageId: string | null = null): ConversationEnd {
  return { kind: 'after-call', call: call as CallId, messageId };
}

export function placeIn(
  agent: string,
  session: string,
  transcript: string | null,
  end: ConversationEnd,
): ConversationPlace {
  return { agent, nativeSession: session, transcript: transcript as DiskPath | null, dir: '/' as DiskPath, end };
}

export function rowsOf(path: string): readonly Record<string, unknown>[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
