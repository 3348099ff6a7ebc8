/**
 * While an agent works, only the newest page of a long timeline changes. So only that one is asked for again, and not all
 * pages that have been scrolled through.
 */
import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query';
import { callVerb, type Input, type Output } from '../api/call.ts';
import type { StudioEvent } from '../api/events.ts';

type Page = Output<'list'>;
type Pages = InfiniteData<Page, string | null>;

/** These add to a timeline. All others may also change what is in effect of older work. */
const NEW_WORK = new Set(['manual', 'before', 'session', 'prompt', 'message', 'call']);

export function isNewWork({ event, checkpoint }: StudioEvent): boolean {
  if (event === 'calls:changed' || event === 'change:recorded') return true;
  const trigger = (checkpoint as { readonly trigger?: unknown } | undefined)?.trigger;
  return event === 'checkpoint:created' && typeof trigger === 'string' && NEW_WORK.has(trigger);
}

/** @returns whether a query has older pages of a list that need not be loaded again */
export function hasOlderPages({ queryKey, state }: Query): boolean {
  return queryKey[2] === 'list' && ((state.data as Pages | undefined)?.pages?.length ?? 0) > 1;
}

export async function refreshNewest(client: QueryClient, workspace: string, { queryKey, state }: Query): Promise<void> {
  const known = state.data as Pages;
  const load = async (limit: number, before: string | null): Promise<Page> => {
    const input = { ...(queryKey[3] as Input<'list'>), limit, ...(before !== null && { before }) };
    return (await callVerb(workspace, 'list', input)).output;
  };
  const newest = state.fetchStatus === 'idle' ? await newestPage(known, load) : null;
  // Without one, or if another answer came meanwhile, all pages are loaded again.
  if (newest === null || client.getQueryData(queryKey) !== known) await client.invalidateQueries({ queryKey });
  else client.setQueryData<Pages>(queryKey, { ...known, pages: [newest, ...known.pages.slice(1)] });
}

/** A few rows more than there were, so that one request is enough. */
const MORE_ROWS = 40;

/**
 * @param load a page of at most that many rows, which are older than a checkpoint
 * @returns all rows down to where the second page begins; null if a turn of an older page has gone on
 */
export async function newestPage(
  { pages: [first, ...others], pageParams: [, boundary] }: Pages,
  load: (limit: number, before: string | null) => Promise<Page>,
): Promise<Page | null> {
  if (first === undefined || boundary == null) return null;
  const last = numberOf(boundary);
  const limit = first.turns.length + first.checkpoints.length + first.damaged.length + MORE_ROWS;
  const newest = await load(limit, null);
  const found = [newest];
  for (let { next } = newest; next !== null && numberOf(next) > last; ) {
    const page = await load(limit, next);
    found.push(page);
    next = page.next;
  }
  const isHere = (id: string): boolean => numberOf(id) >= last;
  const turns = found.flatMap((page) => page.turns.filter(({ place }) => isHere(place)));
  const older = new Set(others.flatMap((page) => page.turns.map(turnName)));
  if (turns.some((turn) => older.has(turnName(turn)))) return null;
  return {
    ...newest,
    turns,
    checkpoints: found.flatMap((page) => page.checkpoints.filter(({ id }) => isHere(id))),
    damaged: found.flatMap((page) => page.damaged.filter(({ id }) => isHere(id))),
    pinned: found.flatMap((page) => page.pinned.filter(isHere)),
    checks: found.flatMap((page) => page.checks.filter(({ id }) => isHere(id))),
    more: true,
    next: boundary,
  };
}

/** Its place changes while it goes on. */
function turnName({ session, began }: Page['turns'][number]): string {
  return `${session} ${began}`;
}

function numberOf(id: string): number {
  return Number(id.slice('cp_'.length));
}
