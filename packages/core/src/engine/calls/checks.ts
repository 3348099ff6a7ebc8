/** Calls for the checks of a project. */

import type { Check } from '../../check/check.ts';
import type { FoundChecks } from '../../check/find/find-checks.ts';
import { digestOf, digestOfAll, type TrustState, trustStateOf } from '../../check/trust.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { SavepointError } from '../../model/errors.ts';
import { readTrust, type TrustedCheck, writeTrust } from '../../store/state/trust.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Context } from '../context.ts';
import { checkFork, checksOfFork } from '../copies/check-fork.ts';
import { type CheckOptions, type CheckReport, checkState } from '../copies/check-state.ts';
import { checksAt, checksBefore } from '../copies/find-checks.ts';
import { trustedChecks } from '../copies/trusted-checks.ts';
import type { Engine } from '../engine.ts';
import { checksOfPlan } from '../plans/check-plan.ts';
import { assertByPerson } from '../shell-call.ts';

/** A check that was found, and whether a person has trusted it. */
export interface ListedCheck {
  readonly check: Check;
  readonly trust: TrustState;
}

/** Whose checks: those of a checkpoint, of a fork, or of the folder with a plan. Default: of the folder as it is. */
export interface WhichChecks {
  readonly at?: string;
  readonly fork?: string;
  readonly plan?: string;
}

export interface CheckList {
  readonly checks: readonly ListedCheck[];
  /** Why something that looks like a check was left out, one line each. */
  readonly notes: readonly string[];
  /** Identifies all that the checks run. Pass it to `trustChecks`, so that what was seen is what is trusted. */
  readonly digest: string;
}

export interface CheckCalls {
  /**
   * Finds the checks of the project. Nothing runs.
   * @param options `at`: the checkpoint to look at, `fork`: the fork, `plan`: the plan. Default: the folder as it is
   * @throws SavepointError UNKNOWN_CHECKPOINT, UNKNOWN_FORK, UNKNOWN_PLAN
   */
  listChecks(options?: WhichChecks): Promise<CheckList>;
  /**
   * Trusts exactly what the checks run now, until it changes. Only a person may do this.
   * @param digest of the list that the person has seen
   * @throws SavepointError NEEDS_CONFIRMATION if an agent asks, or the checks are not what was seen
   */
  trustChecks(digest: string, options?: CallOptions & WhichChecks): Promise<CheckList>;
  /** Trusts nothing any more. */
  revokeTrust(options?: CallOptions): Promise<void>;
  /**
   * Runs the checks in a copy, and compares their failures with those of an earlier state. The workspace is not changed.
   * @throws SavepointError NEEDS_CONFIRMATION if a check is not trusted, USAGE if none has a given name
   */
  check(options?: CheckOptions): Promise<CheckReport>;
}

export function checkCalls(engine: Engine): CheckCalls {
  const listChecks: CheckCalls['listChecks'] = async (which = {}) => {
    assertOne(which);
    const { at, fork, plan } = which;
    if (fork === undefined && plan === undefined) {
      const { found, trusted } = await checksBefore(engine, at);
      return listed(found, trusted);
    }
    return engine.read(async (workspace, context) => {
      const trusted = readTrust(engine.ports, workspace.store.layout);
      return listed(await checksOf(engine, context, workspace, which), trusted);
    });
  };
  return {
    listChecks,
    trustChecks: (digest, options = {}) =>
      engine.write(options, 'existing-or-new', async ({ workspace, context }) => {
        assertByPerson(engine, workspace, 'trust');
        assertNoAgent(engine);
        const { layout } = workspace.store;
        assertOne(options);
        const found = await checksOf(engine, context, workspace, options);
        if (digestOfAll(found.checks) !== digest) throw changedSince();
        writeTrust(
          engine.ports,
          layout,
          withAll(found.checks, readTrust(engine.ports, layout), engine.ports.clock.now()),
        );
        return listed(found, trustedChecks(engine, layout));
      }),
    revokeTrust: (options = {}) =>
      engine.write(options, 'existing', async ({ workspace }) => writeTrust(engine.ports, workspace.store.layout, [])),
    check: (options = {}) =>
      engine.mapErrors<CheckReport>(() =>
        options.fork === undefined ? checkState(engine, options) : checkFork(engine, options.fork, options),
      ),
  };
}

function listed({ checks, notes }: FoundChecks, trusted: readonly TrustedCheck[]): CheckList {
  return {
    checks: checks.map((check) => ({ check, trust: trustStateOf(check, trusted) })),
    notes,
    digest: digestOfAll(checks),
  };
}

function withAll(checks: readonly Check[], before: readonly TrustedCheck[], since: number): readonly TrustedCheck[] {
  const added = checks.map((check) => ({ name: check.name, digest: digestOf(check), since }));
  const digests = new Set(added.map(({ digest }) => digest));
  return [...before.filter(({ digest }) => !digests.has(digest)), ...added];
}

async function checksOf(
  engine: Engine,
  context: Context,
  workspace: Workspace,
  { at, fork, plan }: WhichChecks,
): Promise<FoundChecks> {
  if (fork !== undefined) return checksOfFork(engine, context, workspace, fork);
  return plan === undefined ? checksAt(engine, workspace, context, at) : checksOfPlan(engine, context, workspace, plan);
}

/** @throws SavepointError USAGE */
function assertOne({ at, fork, plan }: WhichChecks): void {
  const given = Object.entries({ at, fork, plan }).filter(([, value]) => value !== undefined);
  const [first, second] = given.map(([name]) => name);
  if (first === undefined || second === undefined) return;
  throw new SavepointError('USAGE', `\`${first}\` cannot be used with \`${second}\`.`, { argument: first });
}

function assertNoAgent({ actor }: Engine): void {
  if (actor.kind === 'user') return;
  throw new SavepointError(
    'NEEDS_CONFIRMATION',
    `Only a person may trust the checks of a project, and ${actor.name} asked for it.`,
    { verb: 'trust' },
    { hint: 'Nothing was changed. Ask the user to run `savepoint trust` in a terminal of their own.' },
  );
}

function changedSince(): SavepointError {
  return new SavepointError(
    'NEEDS_CONFIRMATION',
    'The checks of the project changed after they were shown.',
    { verb: 'trust' },
    { hint: 'Nothing is trusted. Run `savepoint trust` again.' },
  );
}
