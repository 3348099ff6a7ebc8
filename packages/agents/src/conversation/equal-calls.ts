/** Finds a call in a conversation whose hooks report no ids: by its tool, its input and its time. */

import { isSameCall } from '../hook/pairing.ts';
import type { KeptMessage } from './cut.ts';

/** A call with its result. */
export interface TimedCall {
  readonly tool: string;
  readonly input: unknown;
  /** When the model asked for it, and when it ended, in milliseconds since 1970; null if it is not known. */
  readonly asked: number | null;
  readonly ended: number | null;
}

/**
 * Names the call in the message that has its result. Of several equal calls, the time decides.
 * @param call the id that our hook made
 * @param callsOf the calls whose results a message has
 */
export function withCall<Message extends KeptMessage>(
  messages: readonly Message[],
  call: string,
  callsOf: (message: Message, index: number, all: readonly Message[]) => readonly TimedCall[],
): readonly Message[] {
  const began = Number(call.slice(call.lastIndexOf('#') + 1));
  const isAtThatTime = ({ asked, ended }: TimedCall): boolean =>
    Number.isNaN(began) || ((asked === null || asked <= began) && (ended === null || ended >= began));
  const equal = messages
    .flatMap((message, index) => callsOf(message, index, messages).map((one) => ({ index, ...one })))
    .filter((one) => isSameCall(one, call) && isAtThatTime(one));
  const found = ((): typeof equal => {
    if (Number.isNaN(began)) return equal;
    if (equal.every(({ asked }) => asked !== null)) return equal.slice(-1);
    return equal.every(({ ended }) => ended !== null) ? equal.slice(0, 1) : equal;
  })();
  return messages.map((message, at) => ({
    ...message,
    results: found.filter(({ index }) => index === at).map(() => call),
  }));
}
