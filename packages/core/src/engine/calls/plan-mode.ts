/** Calls that turn plan mode on and off. */

import type { CallOptions } from '../../model/call-options.ts';
import { SavepointError } from '../../model/errors.ts';
import { NO_PLAN_MODE, type PlanMode, readPlanMode, writePlanMode } from '../../store/state/plan-mode.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { resolveSession } from '../../timeline/query/select-authors.ts';
import type { Engine } from '../engine.ts';
import { assertByUser } from '../shell-call.ts';

export interface PlanModeOptions extends CallOptions {
  /** The id of a session, or a unique beginning of it. Default: all sessions. */
  readonly session?: string;
}

export interface PlanModeCalls {
  /** Returns for which sessions edits are only proposed. @throws SavepointError STORE_DAMAGED */
  planMode(options?: CallOptions): Promise<PlanMode>;
  /**
   * Turns plan mode on or off, for one session or for all. While it is on, the hooks of agents propose edits as a plan
   * instead of letting them happen, and agents cannot change files with Savepoint's own tools. Only a person may do this.
   * Off for all sessions also works if it cannot be read.
   * @throws SavepointError NEEDS_CONFIRMATION, UNKNOWN_SESSION, AMBIGUOUS_ID, STORE_DAMAGED
   */
  setPlanMode(mode: 'on' | 'off', options?: PlanModeOptions): Promise<PlanMode>;
}

export function planModeCalls(engine: Engine): PlanModeCalls {
  return {
    planMode: () => engine.read(({ ports, store }) => readPlanMode(ports, store.layout)),
    setPlanMode: (wanted, options = {}) =>
      engine.write(options, wanted === 'on' ? 'alone' : 'existing', async ({ workspace }) => {
        assertByUser(engine, workspace, 'planMode');
        const { ports, store } = workspace;
        const mode = wanted === 'on' ? turnedOn(workspace, options.session) : turnedOff(workspace, options.session);
        writePlanMode(ports, store.layout, mode);
        return mode;
      }),
  };
}

function turnedOn(workspace: Workspace, given: string | undefined): PlanMode {
  const { ports, store } = workspace;
  const now = ports.clock.now();
  const mode = readPlanMode(ports, store.layout);
  if (given === undefined) return { ...mode, workspace: mode.workspace ?? now };
  const session = resolveSession(workspace, given);
  if (mode.sessions.some((one) => one.session === session)) return mode;
  return { ...mode, sessions: [...mode.sessions, { session, since: now }] };
}

function turnedOff(workspace: Workspace, given: string | undefined): PlanMode {
  if (given === undefined) return NO_PLAN_MODE;
  const mode = readPlanMode(workspace.ports, workspace.store.layout);
  const session = resolveSession(workspace, given);
  if (mode.workspace !== null) {
    const message = 'Plan mode is on for all sessions, so it cannot be turned off for one.';
    const hint = 'Nothing was changed. `savepoint plan mode off` turns it off for all.';
    throw new SavepointError('USAGE', message, { argument: '--session' }, { hint });
  }
  return { ...mode, sessions: mode.sessions.filter((one) => one.session !== session) };
}
