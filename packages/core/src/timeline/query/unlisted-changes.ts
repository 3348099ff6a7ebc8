/** The changes of a checkpoint that has too many to list. Their number is recorded, and not the author of each. */

import { type Author, type Authorship, type Checkpoint, isOperation, OUTSIDE } from '../../model/checkpoint.ts';

/** Returns how many there are; 0 if the changes are listed, and for a first checkpoint. */
export function unlistedCount({ changes, previous, totals }: Checkpoint): number {
  return changes === null && previous !== null ? totals.files : 0;
}

/** Returns the possible authors of each of them. */
export function unlistedAuthors({ trigger, actor, session, toolCall, tool }: Checkpoint): Authorship {
  const author: Author = { actor, session, call: toolCall, tool: tool?.name ?? null };
  const outside: Author = { actor: OUTSIDE, session: null, call: null, tool: null };
  if (isOperation(trigger)) return { authors: [author], grade: 'sure', evidence: 'operation' };
  if (trigger === 'call') return { authors: [author, outside], grade: 'open', evidence: 'call' };
  // Which calls were open is not recorded.
  return { authors: [outside], grade: 'likely', evidence: 'beyond' };
}
