/** The part of a session that proposes what its agent would change, instead of changing it. */

import { givenDiskPath } from '../io/given-path.ts';
import { pathContextIn } from '../io/locate-path.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { SentComment } from '../model/comment.ts';
import type { SessionId } from '../model/ids.ts';
import { parseCallId } from '../model/parse-ids.ts';
import type { PlanNews } from '../model/plan.ts';
import { isPlannedAt } from '../store/state/plan-mode.ts';
import type { CallRecords } from './call-records.ts';
import type { CallRequest } from './call-request.ts';
import { GuardedSession } from './guarded-session.ts';
import { heldWrites } from './held-writes.ts';
import type { SessionHost } from './host.ts';
import { ownFolder } from './locate-call.ts';
import type { HeldCall } from './plan-mode.ts';
import { checkSessionCall } from './session-shapes.ts';

/** The part of `Session` for plans. */
export abstract class PlannedSession extends GuardedSession {
  readonly #host: SessionHost;

  constructor(host: SessionHost, id: SessionId, calls: CallRecords) {
    super(host, id, calls);
    this.#host = host;
  }

  /**
   * Returns whether a person turned plan mode on for this session, or for a workspace around this one. Cheap; waits for no lock.
   * @throws SavepointError STORE_DAMAGED if it is unknown: then it counts as on
   */
  async isPlanned(): Promise<boolean> {
    return this.#host.once(async ({ read }) => read((workspace) => isPlannedAt(workspace, this.id)) ?? false);
  }

  /** Returns whether this is a copy whose changes become a plan. Its agent may use all of its tools. */
  isInPlanCopy(): boolean {
    return this.#host.isCopyForPlan();
  }

  /**
   * Proposes what a call would write, as a part of this session's open plan. For a call in plan mode, instead of `begin`.
   * The same call within half a minute is recorded once.
   * @param request with the whole new texts or the replacements, in `writes`. `paths` and `writes` may be outside
   * @returns what became of it, and then it must not run; null: it is one of Savepoint's own tools, and may run
   * @throws SavepointError EDITS_REFUSED, CONFLICT, PATH_REFUSED, FROZEN and others: nothing was recorded, and the call
   *   must not run
   */
  async hold(request: CallRequest, options: CallOptions = {}): Promise<HeldCall | null> {
    checkSessionCall.begin(request, options);
    const { dir, actor = this.actor, tool, id } = request;
    const writes = await this.#host.once(async (steps) => {
      const place = ownFolder(steps);
      return heldWrites(dir === undefined ? place : pathContextIn(place, givenDiskPath(place, dir)), request);
    });
    if (writes === 'runs') return null;
    if ('kind' in writes) return writes;
    const call = parseCallId(id ?? this.#host.ports.random.hex(8));
    return { kind: 'recorded', ...(await this.#host.proposeHeld(this.id, { actor, call, tool, writes }, options)) };
  }

  /**
   * Returns what people decided about plans of this session and what they wrote to its author, once. Does not wait for
   * the lock.
   */
  async planNews(): Promise<readonly PlanNews[]> {
    return this.#host.planNews(this.id);
  }

  /**
   * Returns what people commented on lines for this session, once: it counts as sent then. Waits for the lock only if there
   * is something. @throws SavepointError STORE_DAMAGED
   */
  async takeComments(): Promise<readonly SentComment[]> {
    return this.#host.takeComments(this.id, this.actor.name);
  }
}
