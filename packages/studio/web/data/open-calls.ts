/** The calls of agents that are running, as the newest event about them says. */
import { useSyncExternalStore } from 'react';
import type { StudioEvent } from '../api/events.ts';

export interface OpenCall {
  readonly call: string;
  readonly session: string;
  readonly agent: string;
  readonly tool: string;
  readonly summary: string;
  readonly began: string;
}

const NONE: readonly OpenCall[] = [];

const known = new Map<string, readonly OpenCall[]>();
const listeners = new Set<() => void>();

export function noteEvent(workspace: string, { event, calls }: StudioEvent): void {
  if (event !== 'calls:changed' || !Array.isArray(calls)) return;
  known.set(workspace, calls as readonly OpenCall[]);
  for (const listener of listeners) listener();
}

/** Oldest first. */
export function useOpenCalls(workspace: string): readonly OpenCall[] {
  return useSyncExternalStore(subscribe, () => known.get(workspace) ?? NONE);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
