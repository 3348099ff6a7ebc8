/**
 * The port for the conversations of agents. The engine knows to which place a conversation goes back. How an agent keeps
 * its conversation, only a driver knows.
 */

import type { CallId } from '../model/ids.ts';
import type { DiskPath } from '../model/names.ts';

/** A prompt as its checkpoint records it. */
export interface RecordedPrompt {
  /** Possibly shortened; null if they are not recorded. */
  readonly words: string | null;
  /** When its hook ran, in milliseconds since 1970. */
  readonly time: number;
}

/** Where a conversation is to end. */
export type ConversationEnd =
  | {
      /** Before a prompt: the prompt and all that followed it are gone. */
      readonly kind: 'before-prompt';
      /** The agent's own id of the prompt; null if it reports none. */
      readonly messageId: string | null;
      /** The words of the prompt, possibly shortened; null if they are not recorded. */
      readonly words: string | null;
      /** All prompts of the session that are recorded, oldest first. The agent may have got others. */
      readonly prompts: readonly RecordedPrompt[];
      /** Which of them it is. */
      readonly index: number;
    }
  | {
      /** After the result of a call. */
      readonly kind: 'after-call';
      readonly call: CallId;
      /** The agent's own id of the prompt before the call; null if it reports none. */
      readonly messageId: string | null;
    };

/** Which conversation goes back, and to where. All of it comes from outside: a driver checks it. */
export interface ConversationPlace {
  /** The agent's name, as in `Actor.name`. */
  readonly agent: string;
  /** The agent's own id of the session. */
  readonly nativeSession: string;
  /** The transcript that its hooks named last; null: none. */
  readonly transcript: DiskPath | null;
  /** The folder of the workspace. */
  readonly dir: DiskPath;
  /** The folder with a copy of the workspace in which it continues, as a fork does. Absent: the workspace itself. */
  readonly copy?: DiskPath;
  readonly end: ConversationEnd;
}

/** A message that the conversation loses. */
export interface RemovedMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  /** Shortened; the names of the tools for calls and their results; null if it has neither, or it is not known. */
  readonly text: string | null;
}

/** The maximum number of messages in {@link ConversationPlan}, and the maximum length of their texts in characters. */
export const MAX_REMOVED = 50;
export const MAX_REMOVED_TEXT = 500;

/** What a conversation would lose, or why it cannot go back. */
export type ConversationPlan =
  | {
      readonly isPossible: true;
      /** Number of messages that it loses. */
      readonly messages: number;
      /** Number of prompts of the user among them. */
      readonly prompts: number;
      /** Oldest first, at most {@link MAX_REMOVED}. */
      readonly removed: readonly RemovedMessage[];
      /** The whole prompt that it goes back to, to be edited and sent again; null if it is not known. */
      readonly words: string | null;
    }
  | {
      readonly isPossible: false;
      /** A sentence without its full stop, for example `its transcript does not exist any more`. */
      readonly reason: string;
    };

/** A conversation that has gone back. */
export interface RewoundConversation {
  /** The agent's own id of the session in which it continues. */
  readonly session: string;
  /** The program that continues it, with its arguments. */
  readonly command: readonly string[];
  /** The folder in which the command must run. */
  readonly dir: DiskPath;
}

/** What a driver does. */
export interface Conversations {
  /** Reads only. What goes wrong is a reason. */
  plan(place: ConversationPlace): Promise<ConversationPlan>;
  /**
   * Makes a conversation that ends at the place: a copy, or a fork by the agent itself. The original stays as it is, and
   * can be continued.
   * @throws SavepointError CONVERSATION_REFUSED; FsError: nothing is left of the new conversation
   */
  rewind(place: ConversationPlace): Promise<RewoundConversation>;
  /** Returns how the session continues that stays as it is; null if it is not known. */
  resume(place: Omit<ConversationPlace, 'end'>): Promise<RewoundConversation | null>;
}

/** Loads the driver on demand, because most calls do not need it. */
export type LoadConversations = () => Promise<Conversations>;
