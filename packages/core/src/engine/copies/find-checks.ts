/** Finds the checks of the folder or of a checkpoint, and decides which of them may run. */

import type { Check } from '../../check/check.ts';
import { type FoundChecks, findChecks } from '../../check/find/find-checks.ts';
import { filesOfCaptured, filesOfFolder, filesOfSnapshot, type ProjectFiles } from '../../check/find/project-files.ts';
import { trustStateOf } from '../../check/trust.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import type { PlanId } from '../../model/ids.ts';
import type { DiskPath, TreePath } from '../../model/names.ts';
import { unlessDamaged } from '../../store/objects/damage.ts';
import type { TrustedCheck } from '../../store/state/trust.ts';
import { scanWorkspace } from '../../timeline/capture/capture.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { resolveCheckpoint } from '../../timeline/query/resolve.ts';
import type { Context } from '../context.ts';
import type { Engine } from '../engine.ts';
import { trustedChecks } from './trusted-checks.ts';

/** Whether `only` has names of checks, not also tools and kinds. */
export interface ExactNames {
  readonly exactly?: boolean;
}

/** The checks that were found, and what a person trusts. */
export interface FoundAndTrusted {
  readonly found: FoundChecks;
  readonly trusted: readonly TrustedCheck[];
}

export interface WantedChecks extends ExactNames {
  /** A checkpoint; undefined: the folder as it is. */
  readonly at?: string;
  /** Names of checks, tools or kinds. Undefined: all that are not only run on request. */
  readonly only?: readonly string[];
}

/**
 * Refuses before a copy is made. The copy may differ from the folder by then, so its checks are looked at again. Mostly,
 * the last checkpoint tells where checks are, which saves a look at every file.
 */
export async function refuseUntrusted(engine: Engine, options: WantedChecks): Promise<void> {
  const assertAll = ({ found, trusted }: FoundAndTrusted): void =>
    assertTrusted(selectedChecks(found.checks, options.only, options), trusted);
  const likely = options.at === undefined ? await checksOfLast(engine) : null;
  if (likely !== null) {
    try {
      assertAll(likely);
      return;
    } catch (error) {
      if (!(error instanceof SavepointError)) throw error;
    }
  }
  assertAll(await checksBefore(engine, options.at));
}

/** Finds the checks of the folder, or of a checkpoint, and what is trusted. */
export async function checksBefore(engine: Engine, at: string | undefined): Promise<FoundAndTrusted> {
  const context = engine.context();
  if (at === undefined && context.find() === null) {
    return engine.mapErrors(() => {
      const root = context.root();
      const projectFile = context.settings(root).values.project_file;
      const found = findChecks(filesOfFolder(engine.ports.fs, root), { projectFile, roots: [] });
      return { found, trusted: trustedChecks(engine, null) };
    });
  }
  return engine.read(async (workspace, inContext) => ({
    found: await checksAt(engine, workspace, inContext, at),
    trusted: trustedChecks(engine, workspace.store.layout),
  }));
}

/** @param at a checkpoint; undefined: the folder as it is */
export async function checksAt(
  engine: Engine,
  workspace: Workspace,
  context: Context,
  at: string | undefined,
): Promise<FoundChecks> {
  const { ports, root, store, timeline } = workspace;
  if (at !== undefined) {
    const named = resolveCheckpoint(timeline, at, ports.clock.now());
    return findIn(context, root, filesOfSnapshot(store.objects, named.snapshot, engine.listings), named.roots);
  }
  const { files, roots } = await filesAsTheyAre(engine, workspace);
  return findIn(context, root, files, roots);
}

/** The files of the folder as it is. */
export async function filesAsTheyAre(
  engine: Engine,
  workspace: Workspace,
): Promise<{ readonly files: ProjectFiles; readonly roots: Checkpoint['roots'] }> {
  const { scan, objects } = await scanWorkspace(workspace, engine.pace({}), { missing: 'empty' });
  return {
    files: filesOfCaptured(engine.ports.fs, workspace.root, { objects, snapshot: scan.snapshot }, engine.listings),
    roots: scan.roots,
  };
}

/** @param root the folder whose settings count */
export function findIn(
  context: Context,
  root: DiskPath,
  files: ProjectFiles,
  roots: readonly { readonly path: TreePath }[],
): FoundChecks {
  const { project_file: projectFile } = context.settings(root).values;
  return findChecks(files, { projectFile, roots: roots.map(({ path }) => path) });
}

/** @throws SavepointError USAGE if nothing has the name */
export function selectedChecks(
  checks: readonly Check[],
  only: readonly string[] = [],
  { exactly = false }: ExactNames = {},
): readonly Check[] {
  if (only.length === 0) return checks.filter(({ onRequest }) => !onRequest);
  const hasName = (check: Check, name: string): boolean =>
    (exactly ? [check.name] : [check.name, check.tool, check.kind]).includes(name);
  const unknown = only.find((name) => !checks.some((check) => hasName(check, name)));
  if (unknown !== undefined) {
    const names = checks.map(({ name }) => name).join(', ');
    const known = names === '' ? 'No checks were found.' : `There are ${names}.`;
    throw new SavepointError(
      'USAGE',
      `There is no check ${JSON.stringify(unknown)}. ${known}`,
      { argument: 'only' },
      { hint: '`savepoint trust --list` shows the checks.' },
    );
  }
  return checks.filter((check) => only.some((name) => hasName(check, name)));
}

/** @throws SavepointError NEEDS_CONFIRMATION @param plan the plan whose checks they are; null: those of the folder */
export function assertTrusted(
  checks: readonly Check[],
  trusted: readonly TrustedCheck[],
  plan: PlanId | null = null,
): void {
  const others = untrustedNames(checks, trusted);
  if (others.length === 0) return;
  throw new SavepointError(
    'NEEDS_CONFIRMATION',
    `Checks run commands of the project, and these are not trusted, or have changed since: ${others.join(', ')}.`,
    { verb: 'check' },
    { hint: trustHint(plan) },
  );
}

/** The checks that no person trusts as they are. */
export function untrustedNames(checks: readonly Check[], trusted: readonly TrustedCheck[]): readonly string[] {
  return checks.filter((check) => trustStateOf(check, trusted) !== 'trusted').map(({ name }) => name);
}

function trustHint(plan: PlanId | null): string {
  const where = plan === null ? '' : ` --plan ${plan}`;
  const trust = `Nothing was run. \`savepoint trust${where}\` shows what would run, and asks a person to trust it.`;
  if (plan === null) return trust;
  return `${trust} \`savepoint findings --plan ${plan}\` says what the plan breaks, and runs nothing.`;
}

/** The checks of the folder where the last checkpoint had some. Null: there is none, or it is damaged. */
async function checksOfLast(engine: Engine): Promise<FoundAndTrusted | null> {
  if (engine.context().find() === null) return null;
  return engine.read(({ ports, root, store, timeline }, context) => {
    const last = timeline.latest();
    if (last === null) return null;
    const files = filesOfCaptured(ports.fs, root, { objects: store.objects, snapshot: last.snapshot }, engine.listings);
    const found = unlessDamaged(undefined, () => findIn(context, root, files, last.roots));
    return found && { found, trusted: trustedChecks(engine, store.layout) };
  });
}
