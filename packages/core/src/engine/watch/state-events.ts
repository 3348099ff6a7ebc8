/** The events of what is not on the timeline: each follows from one fact, as it was and as it is. */

import { type CheckpointId, checkpointId, checkpointNumber, type PlanId, type SessionId } from '../../model/ids.ts';
import { unlessDamaged } from '../../store/objects/damage.ts';
import { type CheckSummary, readCheckSummaries } from '../../store/state/check-summaries.ts';
import { type GuardOutcome, readGuardState } from '../../store/state/guard.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Fact } from './fact.ts';
import type { Difference, View } from './view.ts';

/** Times are in milliseconds since 1970. */
export type StateEvent =
  | {
      readonly event: 'call:began' | 'call:ended';
      readonly call: string;
      readonly session: string;
      readonly agent: string;
      readonly tool: string;
      readonly began: number;
    }
  /** A process of the agent was seen, or no longer lives. */
  | { readonly event: 'session:opened' | 'session:closed'; readonly session: string }
  | { readonly event: 'plan:proposed' | 'plan:revised' | 'plan:dropped'; readonly plan: PlanId }
  | {
      readonly event: 'plan:decided' | 'plan:approved' | 'plan:withdrawn' | 'plan:cancelled' | 'plan:committed';
      readonly plan: PlanId;
    }
  | { readonly event: 'plan:checked'; readonly plan: PlanId; readonly failed: boolean }
  | { readonly event: 'plan:applied'; readonly plan: PlanId; readonly checkpoint: CheckpointId }
  | { readonly event: 'plan:rolled-back'; readonly plan: PlanId }
  | { readonly event: 'check:started'; readonly checkpoint: CheckpointId; readonly began: number }
  | {
      readonly event: 'check:ended';
      readonly checkpoint: CheckpointId;
      /** Null: they ran for a plan or a fork, which has the results, or they gave none. */
      readonly checks: CheckSummary['checks'] | null;
    }
  | { readonly event: 'fork:created' | 'fork:checked' | 'fork:dropped'; readonly fork: string }
  | { readonly event: 'fork:merged'; readonly fork: string; readonly checkpoint: CheckpointId }
  | {
      readonly event: 'guard:acted';
      readonly outcome: GuardOutcome;
      readonly session: SessionId;
      readonly agent: string;
      readonly checkpoint: CheckpointId | null;
      readonly time: number;
    }
  | { readonly event: 'hooks:failed' | 'hooks:recovered' | 'hooks:uncovered'; readonly agent: string }
  | { readonly event: 'daemon:started' | 'daemon:ended'; readonly pid: number };

type FactDifference = Extract<Difference, { readonly of: 'fact' }>;

export function stateEventsOf(
  workspace: Workspace,
  { state, key, before, after }: FactDifference,
  views: { readonly before: View; readonly after: View },
): readonly StateEvent[] {
  switch (state) {
    case 'calls':
      return callEvents(before, after);
    case 'sessions':
      return [{ event: after === null ? 'session:closed' : 'session:opened', session: key }];
    case 'plans':
      return planEvents(key as PlanId, before, after);
    case 'checks':
      return after === null ? [] : checkEvents(workspace, key as CheckpointId);
    case 'forks':
      return forkEvents(key, before, after, views);
    case 'guard':
      return guardEvents(workspace, numberIn(before, 'last'));
    case 'agents':
      return healthEvents(key, after);
    case 'daemon':
      return daemonEvents(before, after);
    case 'frozen':
    case 'scopes':
      return [];
  }
}

function callEvents(before: Fact | null, after: Fact | null): readonly StateEvent[] {
  const fact = after ?? before;
  if (fact === null || (before !== null && after !== null)) return [];
  return [
    {
      event: after === null ? 'call:ended' : 'call:began',
      call: textIn(fact, 'call'),
      session: textIn(fact, 'session'),
      agent: textIn(fact, 'agent'),
      tool: textIn(fact, 'tool'),
      began: numberIn(fact, 'began'),
    },
  ];
}

/** In the order in which they can have happened. */
function planEvents(plan: PlanId, before: Fact | null, after: Fact | null): readonly StateEvent[] {
  if (after === null) return [{ event: 'plan:dropped', plan }];
  const differs = (key: string): boolean => (before?.[key] ?? null) !== (after[key] ?? null);
  const happened = (key: string): boolean => differs(key) && after[key] !== null;
  const events: StateEvent[] = [];
  if (before === null) events.push({ event: 'plan:proposed', plan });
  else if (differs('revision')) events.push({ event: 'plan:revised', plan });
  if (happened('checked')) events.push({ event: 'plan:checked', plan, failed: after['failed'] === true });
  if (happened('decided')) events.push({ event: 'plan:decided', plan });
  if (happened('approved')) events.push({ event: 'plan:approved', plan });
  else if (differs('approved') && before !== null) events.push({ event: 'plan:withdrawn', plan });
  if (numberIn(after, 'applications') > numberIn(before, 'applications'))
    events.push({ event: 'plan:applied', plan, checkpoint: checkpointId(numberIn(after, 'applied')) });
  if (happened('committed')) events.push({ event: 'plan:committed', plan });
  const lost = (fact: Fact | null): number => numberIn(fact, 'applications') - numberIn(fact, 'inEffect');
  if (lost(after) > lost(before)) events.push({ event: 'plan:rolled-back', plan });
  if (happened('cancelled')) events.push({ event: 'plan:cancelled', plan });
  return events;
}

function checkEvents({ ports, store }: Workspace, checkpoint: CheckpointId): readonly StateEvent[] {
  const summaries = unlessDamaged(undefined, () => readCheckSummaries(ports, store.layout));
  const found = summaries?.get(checkpointNumber(checkpoint));
  return [{ event: 'check:ended', checkpoint, checks: found?.checks ?? null }];
}

function forkEvents(
  key: string,
  before: Fact | null,
  after: Fact | null,
  views: { readonly before: View; readonly after: View },
): readonly StateEvent[] {
  const fact = after ?? before ?? {};
  const fork = textIn(fact, 'name');
  const checkpoint = textIn(fact, 'checkpoint') as CheckpointId;
  const [subject, copy] = key.split(':');
  if (subject === 'run') {
    const began = numberIn(fact, 'began');
    if (before === null) return [{ event: 'check:started', checkpoint, began }];
    // Its results were reported with the checkpoint.
    const known = views.after.states.checks?.facts[checkpoint] ?? views.before.states.checks?.facts[checkpoint];
    return numberIn(known ?? null, 'time') >= began ? [] : [{ event: 'check:ended', checkpoint, checks: null }];
  }
  if (subject === 'merged') {
    return before === null
      ? [{ event: 'fork:merged', fork, checkpoint: checkpointId(numberIn(after, 'checkpoint')) }]
      : [];
  }
  const [was, is] = [views.before.states.forks?.facts ?? {}, views.after.states.forks?.facts ?? {}];
  if (subject === 'dropped') {
    if (before !== null) return [];
    const isNew = was[`fork:${copy}`] === undefined;
    return [...(isNew ? [{ event: 'fork:created', fork } as const] : []), { event: 'fork:dropped', fork }];
  }
  // With a last state, that reports it.
  if (after === null) return is[`dropped:${copy}`] === undefined ? [{ event: 'fork:dropped', fork }] : [];
  if (before === null) return [{ event: 'fork:created', fork }];
  return before['checked'] === after['checked'] ? [] : [{ event: 'fork:checked', fork }];
}

function guardEvents({ ports, store }: Workspace, after: number): readonly StateEvent[] {
  return readGuardState(ports, store.layout)
    .events.filter(({ time }) => time > after)
    .map(({ outcome, session, agent, checkpoint, time }) => {
      return { event: 'guard:acted', outcome, session, agent, checkpoint, time };
    });
}

function healthEvents(key: string, after: Fact | null): readonly StateEvent[] {
  const [kind, agent = ''] = key.split(':');
  if (kind === 'uncovered') return after === null ? [] : [{ event: 'hooks:uncovered', agent }];
  return [{ event: after === null ? 'hooks:recovered' : 'hooks:failed', agent }];
}

function daemonEvents(before: Fact | null, after: Fact | null): readonly StateEvent[] {
  const ended: StateEvent[] = before === null ? [] : [{ event: 'daemon:ended', pid: numberIn(before, 'pid') }];
  return after === null ? ended : [...ended, { event: 'daemon:started', pid: numberIn(after, 'pid') }];
}

function numberIn(fact: Fact | null, key: string): number {
  const value = fact?.[key];
  return typeof value === 'number' ? value : 0;
}

function textIn(fact: Fact, key: string): string {
  const value = fact[key];
  return typeof value === 'string' ? value : '';
}
