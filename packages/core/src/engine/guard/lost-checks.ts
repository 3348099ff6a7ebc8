/** Guarded checks that a state has no longer, or in which they run something else than what a person trusts. */

import type { Check } from '../../check/check.ts';
import { digestOf, trustStateOf } from '../../check/trust.ts';
import type { CheckpointId } from '../../model/ids.ts';
import { checksAt, selectedChecks } from '../copies/find-checks.ts';
import { trustedChecks } from '../copies/trusted-checks.ts';
import type { Engine } from '../engine.ts';

export interface GuardedChecks {
  /** The names of the checks on the base; null: it has none that could run. */
  readonly names: readonly string[] | null;
  /** Those that cannot run on the folder as it is, although they could run on the base. */
  readonly lost: readonly LostCheck[];
}

export interface LostCheck {
  readonly name: string;
  readonly why: string;
}

/** @param wanted names, tools or kinds of checks: what they mean on the base is what is guarded */
export function guardedChecks(engine: Engine, wanted: readonly string[], base: CheckpointId): Promise<GuardedChecks> {
  return engine.read(async (workspace, context) => {
    const before = (await checksAt(engine, workspace, context, base)).checks;
    if (!wanted.every((name) => before.some((check) => [check.name, check.tool, check.kind].includes(name)))) {
      return { names: null, lost: [] };
    }
    const trusted = trustedChecks(engine, workspace.store.layout);
    // Others came after the guard was turned on, or a person has revoked their trust.
    const guarded = selectedChecks(before, wanted).filter((check) => trustStateOf(check, trusted) !== 'new');
    if (guarded.length === 0) return { names: null, lost: [] };
    const { checks } = await checksAt(engine, workspace, context, undefined);
    const now = new Map(checks.map((check) => [check.name, check]));
    const lost = guarded.flatMap((check): readonly LostCheck[] => {
      const why = whyLost(check, now.get(check.name), (one) => trustStateOf(one, trusted) === 'trusted');
      return why === null ? [] : [{ name: check.name, why }];
    });
    return { names: guarded.map(({ name }) => name), lost };
  });
}

function whyLost(before: Check, now: Check | undefined, isTrusted: (check: Check) => boolean): string | null {
  if (now === undefined) return 'the check no longer exists';
  if (isTrusted(now) || digestOf(now) === digestOf(before)) return null;
  return 'what it runs was changed, and is not trusted';
}
