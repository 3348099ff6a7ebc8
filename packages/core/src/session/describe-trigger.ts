import { truncate } from '../content/truncate.ts';
import type { Actor, Trigger } from '../model/checkpoint.ts';

/** The description of a checkpoint that a session's start, a prompt or a message caused. */
export function describeTrigger(trigger: Trigger, actor: Actor, text: string | null): string {
  if (text === null) return `session of ${actor.name} started`;
  return `${trigger === 'prompt' ? 'Prompt' : 'Message'}: ${truncate(text.replace(/\s+/g, ' '), 80)}`;
}
