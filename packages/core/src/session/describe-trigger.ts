import { truncate } from '../content/truncate.ts';
import type { Actor, Trigger } from '../model/checkpoint.ts';

/**
 * The description of a checkpoint that a session's start, a prompt or a message caused.
 * @param isResumed the session has had a prompt before
 */
export function describeTrigger(trigger: Trigger, actor: Actor, text: string | null, isResumed: boolean): string {
  if (text === null) return `session of ${actor.name} ${isResumed ? 'resumed' : 'started'}`;
  return `${trigger === 'prompt' ? 'Prompt' : 'Message'}: ${truncate(text.replace(/\s+/g, ' '), 80)}`;
}
