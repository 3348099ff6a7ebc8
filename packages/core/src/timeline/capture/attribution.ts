/**
 * Who did what changed since the last checkpoint, told from the calls that are open at the capture.
 *
 * - A call of a tool that says which paths it writes has those, and no others.
 * - A call that may write anywhere has what changes while it runs, except what another open call says it writes.
 * - What no open call can have done came from outside.
 * - Where two can have done it, both are named. Where one call can, and outside can as well, because it began before it
 *   was looked at or goes on in the background, both are named. What goes on in the background is not asked while another
 *   call of its own session can have done it.
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
