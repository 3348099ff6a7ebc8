/** Implements what sessions need from the engine. `SessionHost` describes it. */

import { isCopyForPlan, takeCommentsInCopy, takeNewsInCopy } from '../copy/plan-news.ts';
import { markTurnEnd } from '../copy/turn-mark.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { RestoreToRequest, SessionHost, SessionSteps, SessionWriteContext, WriteResult } from '../session/host.ts';
import { unlessDamaged } from '../store/objects/damage.ts';
import { capture } from '../timeline/capture/capture.ts';
import { stateOfPlans } from '../timeline/record/plan-records.ts';
import { announceCapture } from './announce.ts';
import { restoreIn } from './calls/rewind.ts';
import { locationOf } from './calls/workspaces.ts';
import { takeFor } from './comments/take.ts';
import type { Engine } from './engine.ts';
import { rollbackEvent } from './events.ts';
import { frozenPathsIn, putBackFrozen } from './frozen.ts';
import { makeRoom, RESERVE_BYTES, tidyAfter, tidyLater } from './maintenance.ts';
import { readIfFound } from './open.ts';
import { runAndAnnounce } from './operate.ts';
import { recoverForCapture } from './recovery.ts';

export function sessionHost(engine: Engine): SessionHost {
  return {
    ports: engine.ports,
    once: async (work) => {
      engine.assertOpen();
      return engine.once((shared) => shared.mapErrors(() => work(sessionSteps(shared))));
    },
    guardWork: async (session, work, options) => {
      engine.assertOpen();
      const { guardWork } = await import('./guard/work.ts');
      return engine.base.mapErrors(() => guardWork(engine.base, session, work, options));
    },
    guardStep: async (session, agent, request) => {
      engine.assertOpen();
      const { guardStep } = await import('./guard/step.ts');
      return engine.base.mapErrors(() => guardStep(engine.base, session, agent, request));
    },
    proposeHeld: async (session, request, options) => {
      engine.assertOpen();
      const { proposeHeld } = await import('./plans/hold.ts');
      return engine.once((once) => once.mapErrors(() => proposeHeld(once, session, request, options)));
    },
    planNews: async (session) => {
      engine.assertOpen();
      return engine.once((once) =>
        once.mapErrors(async () => {
          const inCopy = takeNewsInCopy(engine.ports, engine.options.places.home);
          const state = readIfFound(once.context(), ({ store }) => stateOfPlans(store.refs));
          if (state === null) return inCopy;
          const { planNews } = await import('./plans/news.ts');
          return [...inCopy, ...(await planNews(once, session, state))];
        }),
      );
    },
    isCopyForPlan: () => isCopyForPlan(engine.ports, engine.options.places.home),
    takeComments: async (session, agent) => {
      engine.assertOpen();
      return engine.once((once) =>
        once.mapErrors(async () => {
          const inCopy = takeCommentsInCopy(engine.ports, engine.options.places.home);
          return [...inCopy, ...(await takeFor(once, { agent, session }, {}))];
        }),
      );
    },
    turnEnded: () => markTurnEnd(engine.ports, engine.options.places.home),
    applyRetention: () => tidyLater(engine),
    announceAborted: (calls, session) => engine.events.emit('session:aborted', { session, calls }),
  };
}

function sessionSteps(engine: Engine): SessionSteps {
  const context = engine.context();
  return {
    automatic: () => context.effectiveSettings(context.root()).automatic,
    frozen: () => frozenPathsIn(context),
    frozenIfKnown: () => unlessDamaged(undefined, () => frozenPathsIn(context)),
    location: () => locationOf(engine, context),
    read: (work) => readIfFound(context, work),
    write: (options, work) => write(engine, options, work),
    restoreTo: (request) => restoreTo(engine, request),
  };
}

async function write<T>(
  engine: Engine,
  options: Parameters<SessionSteps['write']>[0],
  work: (writing: SessionWriteContext) => Promise<T>,
): Promise<WriteResult<T>> {
  const newCheckpoints: Checkpoint[] = [];
  const value = await engine.write(options, 'alone', async (writing) => {
    const { context, workspace, lock, pace } = writing;
    await recoverForCapture(writing);
    await makeRoom(writing, 'objects');
    const result = await work({
      workspace,
      capture: async (info, always) => {
        const captured = await capture(workspace, lock, pace, info, { always });
        announceCapture(engine, context, captured);
        newCheckpoints.push(...captured.recorded);
        return captured;
      },
    });
    await tidyAfter(engine, writing);
    return result;
  });
  // An operation of its own, after the lock is released: it also locks the workspaces that overlap this one.
  return { value, putBack: newCheckpoints.length === 0 ? null : await putBackFrozen(engine, newCheckpoints) };
}

function restoreTo(
  engine: Engine,
  { target: findTarget, mode, position, session: sessionId, ...options }: RestoreToRequest,
): ReturnType<SessionSteps['restoreTo']> {
  return engine.operate(options, async (operating) => {
    const { workspace, pace } = operating;
    const target = findTarget(workspace);
    await makeRoom(operating, 'all', RESERVE_BYTES);
    const session = { id: sessionId, conversation: position };
    const { operation } = restoreIn(engine, workspace, target, { ...options, ...mode, session }, pace);
    const result = await runAndAnnounce(engine, operating, 'restore:completed', operation, options);
    const { checkpoint, plan } = result;
    // The session also went back if its files did not change. There is no new checkpoint then.
    const event =
      checkpoint === null
        ? { ...rollbackEvent(target, 0), session: sessionId }
        : rollbackEvent(checkpoint, plan.paths.length);
    engine.events.emit('rollback:completed', event);
    return { ...result, target };
  });
}
