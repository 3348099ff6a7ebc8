import { assertNotFrozen } from '../store/state/frozen.ts';
import { isTriggered, type LocatedCall } from './call-request.ts';
import type { SessionSteps } from './host.ts';

/**
 * Whether the settings want captures around a call. While a path is frozen, calls that may write anywhere are captured,
 * too.
 * @throws SavepointError FROZEN if the call declares a write to a frozen path; BAD_CONFIG
 */
export function isCaptured(steps: SessionSteps, request: LocatedCall): boolean {
  const automatic = steps.automatic();
  if (!automatic.enabled) return false;
  const frozen = request.paths === undefined ? steps.frozenIfKnown() : steps.frozen();
  assertNotFrozen(frozen ?? [], request.paths ?? []);
  return isTriggered(request, automatic) || (frozen?.length !== 0 && request.paths === undefined);
}
