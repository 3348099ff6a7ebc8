/** The engine as a session sees it. */

import type { Checkpoint } from '../model/checkpoint.ts';
import type { GoBack, SessionHost, SessionSteps, SessionWriting, Written } from '../session/host.ts';
import { capture } from '../timeline/capture/capture.ts';
import { announceCapture } from './announce.ts';
import { restoreIn } from './calls/rewind.ts';
import { placeIn } from './calls/workspaces.ts';
import type { Engine } from './engine.ts';
import { rolledBack } from './events.ts';
import { frozenIn, putBackFrozen } from './frozen.ts';
import { makeRoom, tidyAfter, tidyLater } from './maintenance.ts';
import { lookInto } from './open.ts';
import { runAndAnnounce } from './operate.ts';
import { settleForCapture } from './settle.ts';

export function sessionHost(engine: Engine): SessionHost {
  return {
    ports: engine.ports,
    once: (work) => engine.once((once) => once.mapped(() => work(sessionSteps(once)))),
    retire: () => tidyLater(engine),
    aborted: (calls, session) => engine.events.emit('session:aborted', { session, calls }),
  };
}

function sessionSteps(engine: Engine): SessionSteps {
  const context = engine.context();
  return {
    automatic: () => context.effective(context.root()).automatic,
    frozen: () => frozenIn(context),
    place: () => placeIn(engine, context),
    read: (work) => lookInto(context, work),
    write: (options, work) => write(engine, options, work),
    goBack: (request) => goBack(engine, request),
  };
}

async function write<T>(
  engine: Engine,
  options: Parameters<SessionSteps['write']>[0],
  work: (writing: SessionWriting) => Promise<T>,
): Promise<Written<T>> {
  const made: Checkpoint[] = [];
  const value = await engine.writing(options, 'alone', async (writing) => {
    const { context, workspace, lock, pace } = writing;
    await settleForCapture(writing);
    await makeRoom(writing, 'objects');
    const done = await work({
      workspace,
      capture: async (telling, always) => {
        const captured = await capture(workspace, lock, pace, telling, { always });
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

function goBack(
  engine: Engine,
  { target: find, mode, position, session: id, ...options }: GoBack,
): ReturnType<SessionSteps['goBack']> {
  return engine.operating(options, async (operating) => {
    const { workspace, pace } = operating;
    const target = find(workspace);
    await makeRoom(operating, 'all');
    const session = { id, conversation: position };
    const { act } = restoreIn(engine, workspace, target, { ...options, ...mode, session }, pace);
    const result = await runAndAnnounce(engine, operating, 'restore:completed', act, options);
    const { checkpoint, plan } = result;
    engine.events.emit(
      'rollback:completed',
      checkpoint === null ? { ...rolledBack(target, 0), session: id } : rolledBack(checkpoint, plan.paths.length),
    );
    return { ...result, target };
  });
}
