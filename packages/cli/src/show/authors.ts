/** The possible authors of a change, in short form. */
import { showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';

type RecordedJson = OutputOf<(typeof VERBS)['history']>['changes'][number];
export type AuthorshipJson = Pick<RecordedJson, 'authors' | 'grade'>;
type AuthorJson = RecordedJson['authors'][number];

const SESSION_LETTERS = 8;

/** `claude 3f2a91bc`, `outside`, `claude 3f2a91bc (likely)`, `one s-1 or outside ?` if more than one is possible. */
export function authorsText({ authors, grade }: AuthorshipJson): string {
  const names = [...new Set(authors.map(authorText))].join(' or ');
  return grade === 'sure' ? names : grade === 'likely' ? `${names} (likely)` : `${names} ?`;
}

/** Explains the `?` of `authorsText`, if one was printed. */
export function uncertainLegend(shown: readonly Pick<AuthorshipJson, 'grade'>[]): readonly string[] {
  if (!shown.some(({ grade }) => grade === 'open')) return [];
  return ['?: it is not certain who made this change; the authors that are possible are named.'];
}

/**
 * Lists each tool once; empty if no tool is known.
 * @param trigger the trigger of the checkpoint, for Savepoint's own operations
 */
export function toolText({ authors }: AuthorshipJson, trigger: string): string {
  const tools = new Set(authors.flatMap(({ tool }) => tool ?? []));
  if (tools.size === 0 && OPERATIONS.has(trigger)) return trigger;
  return [...tools].map((tool) => showText(tool)).join(', ');
}

const OPERATIONS: ReadonlySet<string> = new Set(['restore', 'edit', 'undo', 'redo', 'rollback']);

export function shortSession(session: string): string {
  return showText(session.length > SESSION_LETTERS ? `${session.slice(0, SESSION_LETTERS)}…` : session);
}

/** `claude and others changed files`. @param agents empty if it is not recorded who changed the files */
export function mixedAuthorsText(agents: readonly string[]): string {
  if (agents.length === 0)
    return 'agents and others may have changed files, and it is no longer recorded who changed which';
  const names = agents.map((name) => showText(name)).join(', ');
  return `${agents.length === 1 ? names : `agents (${names})`} and others changed files`;
}

function authorText({ actor, session }: AuthorJson): string {
  const name = showText(actor.id === null ? actor.name : `${actor.name}/${actor.id}`);
  return session === null ? name : `${name} ${shortSession(session)}`;
}
