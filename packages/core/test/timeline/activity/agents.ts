import type { ChangeId, Savepoint } from '@savepoint/core';
import { type TimelineWorld, tree } from '../query/timeline-world.ts';

export type AgentSession = ReturnType<Savepoint['session']>;

/** Runs an agent's call that writes a file. */
export async function writes(w: TimelineWorld, session: AgentSession, name: string, content: string): Promise<void> {
  await session.call({ tool: 'Write', kind: 'write', paths: tree(name) }, () => w.write(name, content));
}

/** Each change that is not in effect, with what reverted it. */
export async function takenBack(savepoint: Savepoint): Promise<Readonly<Record<string, string>>> {
  const { entries } = await savepoint.history({ limit: 1_000 });
  return Object.fromEntries(
    entries.flatMap(({ change, takenBack: by }) => (by === null ? [] : [[change.id, by]])).reverse(),
  );
}

export const changes = (...ids: readonly string[]): { readonly changes: readonly ChangeId[] } => ({
  changes: ids as readonly string[] as readonly ChangeId[],
});
export const EXACT = { mode: 'exact' } as const;
export const KEEP = { mode: 'keep-outside' } as const;
