/** Which conversations the program under the overlay can continue: those that its agent has had during this run. */
import { type Savepoint, showText } from '@savepoint/core';
import type { EarlierState } from './states.ts';

export interface HostedConversations {
  /** The agent whose program this is; null if it is not a known one. */
  readonly agent: string | null;
  /** The session of the run. */
  readonly session: string;
}

/** @returns why the program cannot continue the conversation of this state, as a sentence; null if it can */
export async function whyOther(
  savepoint: Savepoint,
  { program, hosts }: { readonly program: string; readonly hosts: HostedConversations },
  { actor, agent, session }: EarlierState,
): Promise<string | null> {
  if (hosts.agent !== actor) return `This is a conversation of ${agent}, and ${program} runs here.`;
  const calls = await savepoint.openCalls();
  const sessions = calls.filter((call) => call.session === hosts.session).flatMap((call) => call.hostedSessions ?? []);
  // An agent that has not reported anything yet has no other conversation to lose.
  if (sessions.length === 0 || sessions.some((one) => one === session)) return null;
  return `This is another conversation of ${agent}: session ${showText(session)}, which does not run here.`;
}
