/** Reads the facts of the states that a watch follows. Only ids, names, numbers and times: they are kept in the store. */

import { listCopies } from '../../copy/records.ts';
import { readForkChecks } from '../../fork/check-results.ts';
import { listForks } from '../../fork/fork-records.ts';
import type { DiskPath } from '../../model/names.ts';
import { failedChecks } from '../../plan/checked.ts';
import { unlessDamaged } from '../../store/objects/damage.ts';
import { readCheckSummaries } from '../../store/state/check-summaries.ts';
import { readGuardState } from '../../store/state/guard.ts';
import { readHookNotes } from '../../store/state/hook-notes.ts';
import { type OpenCall, readUnendedCalls } from '../../store/state/open-calls.ts';
import { planCommittedAt } from '../../store/state/plan-commits.ts';
import { readRunningSessions } from '../../store/state/session-state.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { forkStates } from '../../timeline/record/fork-states.ts';
import { applicationsOf } from '../plans/applications.ts';
import { allPlans } from '../plans/stored-plans.ts';
import type { Fact, Facts } from './fact.ts';
import { daemonIn, type WatchedState } from './states.ts';

export function factsOf(state: WatchedState, workspace: Workspace, home: DiskPath): Facts {
  const { ports, store } = workspace;
  switch (state) {
    case 'calls':
      return factsBy(readUnendedCalls(ports, store.layout), callKey, callFact);
    case 'sessions':
      return factsBy(
        readRunningSessions(ports, store.layout),
        ({ session }) => session,
        ({ process }) => ({ process: JSON.stringify(process) }),
      );
    case 'plans':
      return planFacts(workspace);
    case 'checks':
      return checkFacts(workspace);
    case 'forks':
      return { ...forkFacts(workspace, home), ...runFacts(workspace, home) };
    case 'guard':
      return guardFacts(workspace);
    case 'agents':
      return factsBy(
        readHookNotes(ports.fs, home),
        ({ agent, kind }) => `${kind}:${agent}`,
        ({ time }) => ({ time }),
      );
    case 'daemon': {
      const pid = daemonIn(ports, home);
      return pid === null ? {} : { daemon: { pid } };
    }
    case 'frozen':
    case 'scopes':
      return {};
  }
}

/** Tells it from others that are open at the same time. */
export function callKey({ session, id, actor, began }: OpenCall): string {
  return [session, id, actor.id ?? '', began].join('\0');
}

function callFact({ session, id, actor, tool, began }: OpenCall): Fact {
  return { call: id, session, agent: actor.name, tool: tool.name, began };
}

function planFacts(workspace: Workspace): Facts {
  const { ports, store, timeline } = workspace;
  return factsBy(
    allPlans(workspace).plans,
    ({ id }) => id,
    (plan) => {
      const { checks, approval, decisions } = plan;
      // Without an application, the timeline need not be read.
      const done =
        plan.applications.length === 0
          ? []
          : (unlessDamaged(undefined, () => applicationsOf(timeline, store.objects, plan)) ?? []);
      return {
        proposed: plan.created,
        revision: plan.revision,
        decided: decisions.length === 0 ? null : Math.max(...decisions.map(({ time }) => time)),
        approved: approval?.time ?? null,
        checked: checks?.time ?? null,
        failed: checks !== null && failedChecks({ checks, analysis: null }, checks.fingerprint).length > 0,
        applications: done.length,
        applied: done.at(-1)?.checkpoint ?? null,
        inEffect: done.filter(({ isInEffect }) => isInEffect).length,
        committed: planCommittedAt(ports.fs, store.layout, plan.id),
        cancelled: plan.cancelled?.time ?? null,
      };
    },
  );
}

function checkFacts({ ports, store }: Workspace): Facts {
  const summaries = unlessDamaged(undefined, () => readCheckSummaries(ports, store.layout)) ?? new Map();
  return factsBy(
    [...summaries],
    ([number]) => `cp_${number}`,
    ([, { time }]) => ({ time }),
  );
}

function forkFacts({ ports, store, id, timeline }: Workspace, home: DiskPath): Facts {
  const { objects, refs } = store;
  const numbers = new Set(timeline.list().map(({ number }) => number));
  const merged = forkStates(objects, refs, 'merged').filter(({ number }) => numbers.has(number));
  const dropped = forkStates(objects, refs, 'own').filter(({ kind }) => kind === 'dropped');
  return {
    ...factsBy(
      listForks(ports, home, id).forks,
      (fork) => `fork:${fork.copy.id}`,
      (fork) => ({
        name: fork.name,
        checkpoint: fork.checkpoint,
        checked: unlessDamaged(undefined, () => readForkChecks(ports, fork))?.time ?? null,
      }),
    ),
    // Their last states are kept, so a fork that was created and dropped meanwhile is not missed.
    ...factsBy(
      merged,
      ({ number }) => `merged:${number}`,
      ({ name, number }) => ({ name, checkpoint: number }),
    ),
    ...factsBy(
      dropped,
      ({ copy }) => `dropped:${copy}`,
      ({ name, time }) => ({ name, time }),
    ),
  };
}

/** Copies in which checks run. */
function runFacts({ ports, id }: Workspace, home: DiskPath): Facts {
  const { copies } = listCopies(ports, home);
  return factsBy(
    copies.filter(({ record, state }) => record.workspace === id && record.purpose === 'check' && state === 'in-use'),
    ({ record }) => `run:${record.id}`,
    ({ record }) => ({ checkpoint: record.base, began: record.created }),
  );
}

function guardFacts({ ports, store }: Workspace): Facts {
  const last = readGuardState(ports, store.layout).events.at(-1)?.time;
  return last === undefined ? {} : { guard: { last } };
}

function factsBy<T>(all: readonly T[], keyOf: (one: T) => string, factOf: (one: T) => Fact): Facts {
  return Object.fromEntries(all.map((one) => [keyOf(one), factOf(one)]));
}
