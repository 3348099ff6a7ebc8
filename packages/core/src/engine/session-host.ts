/** The engine as a session sees it. */

import type { Checkpoint } from '../model/checkpoint.ts';
import type { RestoreToRequest, SessionHost, SessionSteps, SessionWriteContext, WriteResult } from '../session/host.ts';
import { capture } from '../timeline/capture/capture.ts';
import { announceCapture } from './announce.ts';
import { restoreIn } from './calls/rewind.ts';
import { locationOf } from './calls/workspaces.ts';
import type { Engine } from './engine.ts';
import { rollbackEvent } from './events.ts';
import { frozenPathsIn, putBackFrozen } from './frozen.ts';
import { makeRoom, tidyAfter, tidyLater } from './maintenance.ts';
import { readIfFound } from './open.ts';
import { runAndAnnounce } from './operate.ts';
import { recoverForCapture } from './recovery.ts';

export function sessionHost(engine: Engine): SessionHost {
  return {
    ports: engine.ports,
    once: (work) => engine.once((once) => once.mapErrors(() => work(sessionSteps(once)))),
    applyRetention: () => tidyLater(engine),
    announceAborted: (calls, session) => engine.events.emit('session:aborted', { session, calls }),
  };
}

function sessionSteps(engine: Engine): SessionSteps {
  const context = engine.context();
  return {
    automatic: () => context.effectiveSettings(context.root()).automatic,
    frozen: () => frozenPathsIn(context),
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
  const made: Checkpoint[] = [];
  const value = await engine.write(options, 'alone', async (writing) => {
    const { context, workspace, lock, pace } = writing;
    await recoverForCapture(writing);
    await makeRoom(writing, 'objects');
    const done = await work({
      workspace,
      capture: async (info, always) => {
        const captured = await capture(workspace, lock, pace, info, { always });
        announceCapture(engine, context, captured);
        if (captured.made) made.push(captured.checkpoint);
        return captured;
      },
    });
    await tidyAfter(engine, writing);
    return done;
  });
  return { value, putBack: made.length === 0 ? null : await putBackFrozen(engine, made) };
}

function restoreTo(
  engine: Engine,
  { target: findTarget, mode, position, session: id, ...options }: RestoreToRequest,
): ReturnType<SessionSteps['restoreTo']> {
  return engine.operate(options, async (operating) => {
    const { workspace, pace } = operating;
    const target = findTarget(workspace);
    await makeRoom(operating, 'all');
    const session = { id, conversation: position };
    const { operation } = restoreIn(engine, workspace, target, { ...options, ...mode, session }, pace);
    const result = await runAndAnnounce(engine, operating, 'restore:completed', operation, options);
    const { checkpoint, plan } = result;
    engine.events.emit(
      'rollback:completed',
      checkpoint === null ? { ...rollbackEvent(target, 0), session: id } : rollbackEvent(checkpoint, plan.paths.length),
    );
    return { ...result, target };
  });
}
