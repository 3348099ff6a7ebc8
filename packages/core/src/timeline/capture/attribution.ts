/**
 * Attributes the changes since the last checkpoint to authors, based on the calls that are open at the capture. A window
 * of time is weak evidence: a person may save a file at any moment. So it never makes an agent's change sure. What a
 * file tool reports is stronger (`reported-writes.ts`).
 *
 * - If a tool declares the paths that it writes, its call gets these and no others.
 * - A call that may write anywhere gets whatever changes while it runs, except paths that only other open calls declare.
 * - If the command of only one of these calls names a path, that one is likely its author. It is never sure: a command
 *   need not write what it names.
 * - A call that only hosts another program (`savepoint run`) is not named while a call of an agent inside of it can have
 *   made the change. If the program is an agent that reports its own calls, the host is never named.
 * - If no call is open, a change came from outside. This is sure, unless a call left processes behind, which may have
 *   written (`left-behind.ts`), or an old call may still be open (`expired`).
 * - If two agents can have made a change, both are named, and outside: a person may also have made it.
 * - A call that waits for a permission has made no change.
 * - If a file tool reports that it failed, and the file holds what it was to write, outside is named, too.
 * - If a call may still wait for a permission, outside is named, too. So it is if it is not known when a call ran, because
 *   it began before its capture (`late`) or runs in the background. A background call is not considered while another call
 *   of its own session can have made the change.
 */

import { isSameProcess } from '../../io/same-process.ts';
import {
  type Author,
  type Authorship,
  type Evidence,
  GRADES,
  OUTSIDE,
  wereOnlyAgentsActive,
} from '../../model/checkpoint.ts';
import { isWithin, type TreePath } from '../../model/names.ts';
import type { OpenCall } from '../../store/state/open-calls.ts';
import { isNamed } from './named.ts';

export const FROM_OUTSIDE: Author = { actor: OUTSIDE, session: null, call: null, tool: null };

export type Attribution = (path: TreePath) => Authorship;

/** For an operation of Savepoint, which knows what it changes. */
export function attributionTo(author: Author): Attribution {
  const by: Authorship = { authors: [author], grade: 'sure', evidence: 'operation' };
  return () => by;
}

/** For an operation beside open calls: it changes these paths, and anybody may change others meanwhile. */
export function attributionWithin(paths: Iterable<TreePath>, author: Author, open: readonly OpenCall[]): Attribution {
  const own = new Set(paths);
  const [byAuthor, byOthers] = [attributionTo(author), attributionOf(open)];
  return (path) => (own.has(path) ? byAuthor(path) : byOthers(path));
}

/** @param isNotBy whether an open call cannot have made the change of a path, although it was open */
export function attributionOf(
  open: readonly OpenCall[],
  isNotBy: (call: OpenCall, path: TreePath) => boolean = () => false,
): Attribution {
  // The operations of Savepoint's own tools record their changes themselves, and so does an agent with hooks.
  const calls = open.filter(({ own, hasReportingAgent }) => !own && hasReportingAgent !== true);
  const lasting = calls.filter(({ expired }) => expired !== true);
  const declaring = lasting.filter(({ declared }) => declared !== null);
  const undeclared = lasting.filter(({ declared }) => declared === null);
  const foreground = new Set(
    undeclared.filter(({ background }) => !background).map((call) => authorKey(authorOf(call))),
  );
  const active = undeclared.filter((call) => !call.background || !foreground.has(authorKey(authorOf(call))));
  return (path) => {
    const mayBeBy = (call: OpenCall): boolean =>
      call.waiting !== 'surely' && !isNotBy(call, path) && call.written?.includes(path) !== true;
    const naming = declaring.filter((call) => call.declared?.some((own) => isWithin(path, own)) && mayBeBy(call));
    const able = active.filter(mayBeBy);
    const others = [...naming, ...able];
    return weigh(
      path,
      naming,
      able.filter((call) => call.hosts !== true || !others.some((other) => runsInside(other, call))),
      calls.length > 0,
    );
  };
}

export function authorOf({ actor, session, id, tool, unreadable }: OpenCall): Author {
  if (unreadable === true) return { actor, session: null, call: null, tool: null };
  return { actor, session, call: id, tool: tool.name };
}

/** Whether one author is known who may have made both changes. */
export function shareAuthor(a: Authorship, b: Authorship): boolean {
  if (a === b) return true;
  const keys = new Set(knownAuthors(a).map(authorKey));
  return knownAuthors(b).some((author) => keys.has(authorKey(author)));
}

/** The authorship of one change that two paths show: it is only as certain as the weaker of both. */
export function eitherOf(a: Authorship, b: Authorship): Authorship {
  const weaker = GRADES.indexOf(a.grade) > GRADES.indexOf(b.grade) ? a : b;
  const known = new Set(weaker.authors.map((author) => JSON.stringify(author)));
  const more = [...a.authors, ...b.authors].filter((author) => !known.has(JSON.stringify(author)));
  return { ...weaker, authors: [...weaker.authors, ...more] };
}

/** The authorship of a file that has changes of both: of two authors, it is not known which part is whose. */
export function together(a: Authorship, b: Authorship): Authorship {
  const known = new Set(a.authors.map(authorKey));
  const authors = [...a.authors, ...b.authors.filter((one) => !known.has(authorKey(one)))];
  const least = GRADES.indexOf(a.grade) > GRADES.indexOf(b.grade) ? a.grade : b.grade;
  return { authors, grade: authors.length > 1 ? 'open' : least, evidence: 'operation' };
}

/** Without outside, if only agents are known to have been active. */
function knownAuthors(by: Authorship): readonly Author[] {
  return wereOnlyAgentsActive(by) ? by.authors.filter(({ actor }) => actor.kind === 'agent') : by.authors;
}

function runsInside({ above }: OpenCall, { process: host }: OpenCall): boolean {
  return host !== undefined && above?.some((one) => isSameProcess(one, host)) === true;
}

/** One object for all paths: there may be thousands. */
const BEYOND_CALLS: Authorship = { authors: [FROM_OUTSIDE], grade: 'likely', evidence: 'beyond' };
const WITHOUT_CALL: Authorship = { authors: [FROM_OUTSIDE], grade: 'sure', evidence: 'no-call' };

/** @param isAnyOpen whether any call is open, including calls that declare other paths */
function weigh(
  path: TreePath,
  naming: readonly OpenCall[],
  active: readonly OpenCall[],
  isAnyOpen: boolean,
): Authorship {
  const all = [...naming, ...active];
  const inWords = all.some(isStartUnclear) ? [] : active.filter((call) => namesInWords(call, path));
  const areWordsClear = inWords.length > 0 && isOneAuthor([...naming, ...inWords].map(authorOf));
  const candidates = areWordsClear ? [...naming, ...inWords] : all;
  const authors = candidates.map(authorOf);
  if (authors.length === 0) {
    return isAnyOpen ? BEYOND_CALLS : WITHOUT_CALL;
  }
  const isUnclear =
    candidates.every(({ background }) => background) || candidates.some(({ late, failed }) => late || failed === true);
  const evidence: Evidence = candidates.every(({ leftBehind }) => leftBehind !== undefined)
    ? 'left-behind'
    : isUnclear
      ? 'unclear-call'
      : naming.length > 0
        ? 'declared'
        : areWordsClear
          ? 'named'
          : 'call';
  const mayWait = candidates.some(({ waiting }) => waiting !== undefined);
  if (isOneAuthor(authors) && !isUnclear && !mayWait) return { authors, grade: 'likely', evidence };
  return { authors: [...authors, FROM_OUTSIDE], grade: 'open', evidence };
}

/** It began before its capture, or may still wait for a permission. */
function isStartUnclear({ late, waiting }: OpenCall): boolean {
  return late || waiting !== undefined;
}

function namesInWords({ named, background }: OpenCall, path: TreePath): boolean {
  return !background && named !== undefined && isNamed(named, path);
}

function isOneAuthor(authors: readonly Author[]): boolean {
  return new Set(authors.map(authorKey)).size === 1;
}

function authorKey({ actor, session }: Author): string {
  return JSON.stringify([actor, session]);
}
