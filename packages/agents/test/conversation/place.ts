import { readFileSync } from 'node:fs';
import type { CallId } from '@savepoint/core';
import type { ConversationEnd, ConversationPlace, DiskPath } from '@savepoint/core/ports';
import { realPorts } from '@savepoint/testkit';
import type { ConversationMachine } from '../../src/conversation/agent-conversation.ts';

/** The real machine, with the given environment. */
export function machine(env: Readonly<Record<string, string>> = {}): ConversationMachine {
  return { ports: realPorts(), env };
}

/** @param later the words of the recorded prompts after it. All have the time 0. */
export function beforePrompt(
  messageId: string | null,
  words: string | null = null,
  later: readonly string[] = [],
): ConversationEnd {
  const prompts = [words, ...later].map((one) => ({ words: one, time: 0 }));
  return { kind: 'before-prompt', messageId, words, prompts, index: 0 };
}

/** @param prompts the recorded prompts, oldest first: their words, and the time in milliseconds */
export function beforeRecorded(index: number, prompts: readonly (readonly [string, number])[]): ConversationEnd {
  return {
    kind: 'before-prompt',
    messageId: null,
    words: prompts[index]?.[0] ?? null,
    prompts: prompts.map(([words, time]) => ({ words, time })),
    index,
  };
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
