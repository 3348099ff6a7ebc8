/** Calls about what agents may apply without a review. */

import type { CallOptions } from '../../model/call-options.ts';
import { SavepointError } from '../../model/errors.ts';
import { type PlanPolicy, readPlanPolicy, writePlanPolicy } from '../../store/state/plan-policy.ts';
import { readTrust } from '../../store/state/trust.ts';
import { assertTrusted, checksAt, selectedChecks } from '../copies/find-checks.ts';
import type { Engine } from '../engine.ts';
import { assertByUser } from '../shell-call.ts';

export interface PlanPolicyRequest {
  /** `checked`: also plans that no person approved, if checks found nothing new. `approved`: only what a person approved. */
  readonly apply: 'approved' | 'checked';
  /** Names of checks, tools or kinds, all of which must have run. Default: all that the project has now. */
  readonly checks?: readonly string[];
  /** The most paths that such a plan may change. Default 20. */
  readonly maxFiles?: number;
}

export interface PlanPolicyCalls {
  /** @returns null: agents apply only what a person approved. @throws SavepointError STORE_DAMAGED */
  planPolicy(): Promise<PlanPolicy | null>;
  /**
   * Sets what agents with tools of Savepoint may apply without a review. Only a person may do this.
   * @throws SavepointError NEEDS_CONFIRMATION if an agent asks, or a check is not trusted; USAGE if there is no such check
   */
  setPlanPolicy(policy: PlanPolicyRequest, options?: CallOptions): Promise<PlanPolicy | null>;
}

const MAX_FILES = 20;

export function planPolicyCalls(engine: Engine): PlanPolicyCalls {
  return {
    planPolicy: () => engine.read(({ ports, store }) => readPlanPolicy(ports, store.layout)),
    setPlanPolicy: ({ apply, checks: wanted, maxFiles = MAX_FILES }, options = {}) =>
      engine.write(options, 'existing-or-new', async ({ workspace, context }) => {
        assertByUser(engine, workspace, 'planPolicy');
        const { ports, store } = workspace;
        let made: PlanPolicy | null = null;
        if (apply === 'checked') {
          const found = selectedChecks((await checksAt(engine, workspace, context, undefined)).checks, wanted);
          if (found.length === 0) {
            throw new SavepointError('USAGE', 'No checks were found, so nothing would be checked.', {
              argument: 'checks',
            });
          }
          if (maxFiles < 1)
            throw new SavepointError('USAGE', '`maxFiles` must be at least 1.', { argument: 'maxFiles' });
          assertTrusted(found, readTrust(ports, store.layout));
          made = { checks: found.map(({ name }) => name), maxFiles, since: ports.clock.now() };
        }
        writePlanPolicy(ports, store.layout, made);
        return made;
      }),
  };
}
