/**
 * Attributes the changes since the last checkpoint to authors, based on the calls that are open at the capture.
 *
 * - If a tool declares the paths that it writes, its call gets these and no others.
 * - A call that may write anywhere gets whatever changes while it runs, except paths that another open call declares.
 * - A change that no open call can have made came from outside.
 * - If two calls can have made a change, both are named. If a call and outside can have made it, both are named. That
 *   is so if the call began before its capture (`late`) or runs in the background. A background call is not considered
 *   while another call of its own session can have made the change.
 */

import { type Author, type Authorship, OUTSIDE } from '../../model/checkpoint.ts';
import { isWithin, type TreePath } from '../../model/names.ts';
import type { OpenCall } from '../../store/state/open-calls.ts';

const FROM_OUTSIDE: Author = { actor: OUTSIDE, session: null, call: null, tool: null };

export type Attribution = (path: TreePath) => Authorship;

export function attributionTo(author: Author): Attribution {
  const by: Authorship = { authors: [author], sure: true };
  return () => by;
}

export function attributionOf(open: readonly OpenCall[]): Attribution {
  const declaring = open.filter(({ declared }) => declared !== null);
  const undeclared = open.filter(({ declared }) => declared === null);
  const foreground = new Set(
    undeclared.filter(({ background }) => !background).map((call) => authorKey(authorOf(call))),
  );
  const active = undeclared.filter((call) => !call.background || !foreground.has(authorKey(authorOf(call))));
  return (path) => {
    const named = declaring.filter(({ declared }) => declared?.some((own) => isWithin(path, own)));
    const candidates = named.length > 0 ? named : active;
    const inDoubt = candidates.every(({ background }) => background) || candidates.some(({ late }) => late);
    const authors = candidates.map(authorOf);
    if (inDoubt) authors.push(FROM_OUTSIDE);
    return { authors, sure: new Set(authors.map(authorKey)).size === 1 };
  };
}

export function authorOf({ actor, session, id, tool }: OpenCall): Author {
  return { actor, session, call: id, tool: tool.name };
}

export function sameAuthorship(a: Authorship, b: Authorship): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function authorKey({ actor, session }: Author): string {
  return JSON.stringify([actor, session]);
}
