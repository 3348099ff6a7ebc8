/** Runs the checks of a state in a copy, and compares them with an earlier state. */

import { createHash } from 'node:crypto';
import type { Check, CheckResult, Finding } from '../../check/check.ts';
import { type ComparedCheck, compareFindings, compareResults, isAnswer, type Renames } from '../../check/compare.ts';
import { type FoundChecks, findChecks } from '../../check/find/find-checks.ts';
import { filesOfCaptured } from '../../check/find/project-files.ts';
import { type CheckPlace, DEFAULT_LIMITS, runCheck } from '../../check/run.ts';
import { digestOf, trustStateOf } from '../../check/trust.ts';
import { noteChecks } from '../../copy/checks-in-copy.ts';
import type { CopyRung, DependencyPolicy } from '../../copy/copy.ts';
import { FsError } from '../../io/fs.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { type Snapshot, sameSnapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { type DiskPath, diskChild, type TreePath } from '../../model/names.ts';
import type { StoreLayout } from '../../store/layout.ts';
import { makeFolders } from '../../store/private-folders.ts';
import { keepCheckResult, readCheckResult } from '../../store/state/check-results.ts';
import type { TrustedCheck } from '../../store/state/trust.ts';
import type { Engine } from '../engine.ts';
import { captureBefore } from './capture-before.ts';
import { type BaseReason, baseOf } from './check-base.ts';
import { assertTrusted, type ExactNames, refuseUntrusted, selectedChecks } from './find-checks.ts';
import { keepSummary, keepTestResult } from './keep-results.ts';
import { renamesBetween } from './renames.ts';
import { trustedChecks } from './trusted-checks.ts';
import { type CopyOptions, makeCopyOfState, makeWorkspaceCopy, type WorkspaceCopy } from './workspace-copy.ts';

export interface CheckOptions extends CallOptions {
  /** The checkpoint to check. Default: the folder as it is. */
  readonly at?: string;
  /** The fork to check, instead: what it would merge, compared with what it started from. */
  readonly fork?: string;
  /**
   * The checkpoint to compare with. Default: the last one before the current turn; without prompts, the newest earlier one
   * whose tests are known to have passed, else the one before.
   */
  readonly base?: string;
  /** Names of checks, tools or kinds. Default: all that are not only run on request. */
  readonly only?: readonly string[];
  /** For each run, in milliseconds. Default 10 minutes. */
  readonly timeoutMs?: number;
  /** For all processes of a run together, in bytes. Default 8 GiB. Only Linux reports it. */
  readonly maxMemory?: number;
  readonly rungs?: readonly CopyRung[];
  /** What a copy that is a folder gets of dependency folders. Default: from the settings, else `auto`. */
  readonly dependencies?: DependencyPolicy;
  /** Receives the output of the checks as it arrives. It may contain anything. */
  readonly onOutput?: (check: string, part: Buffer) => void;
}

export interface RunCheckResult extends ComparedCheck {
  /** In milliseconds. */
  readonly took: number;
  /** The end of its output. It may contain anything. */
  readonly output: string;
}

export interface CheckReport {
  /** Null: the state of a fork. */
  readonly checkpoint: Checkpoint | null;
  /** Null: there is no earlier state, or it is what was merged last of a fork. */
  readonly base: Checkpoint | null;
  /** Null: there is no base. */
  readonly baseReason: BaseReason | null;
  readonly checks: readonly RunCheckResult[];
  /** Names of checks that were found and not run. */
  readonly notRun: readonly string[];
  readonly notes: readonly string[];
  /** What the copy, in which they ran, does not isolate. */
  readonly notIsolated: readonly string[];
}

/** A state of the workspace that checks run on. */
export interface CheckedState {
  readonly snapshot: Snapshot;
  /** The paths of its roots. */
  readonly roots: readonly TreePath[];
  /** Null: no checkpoint has this state. */
  readonly checkpoint: Checkpoint | null;
}

/** A copy of a state. */
export interface CopiedState extends Pick<WorkspaceCopy, 'copy' | 'notes'> {
  readonly state: CheckedState;
}

/** How the checks of a state went. */
export interface StateChecks {
  readonly checks: readonly RunCheckResult[];
  readonly notRun: readonly string[];
  readonly notes: readonly string[];
  readonly notIsolated: readonly string[];
  readonly found: readonly Check[];
  /** Of the checks that ran. */
  readonly results: ReadonlyMap<Check, CheckResult>;
}

/** @throws SavepointError NEEDS_CONFIRMATION if a check is not trusted, USAGE if none has a given name */
export async function checkState(
  engine: Engine,
  options: Omit<CheckOptions, 'fork'> & ExactNames,
): Promise<CheckReport & { readonly checkpoint: Checkpoint }> {
  await refuseUntrusted(engine, options);
  const at = options.at === undefined ? {} : { at: options.at };
  // Before the copy takes a checkpoint: `last` would be that one.
  const { base: wanted } = options;
  const named =
    wanted === undefined ? undefined : await engine.read((workspace) => engine.resolve(workspace, wanted).id);
  const made = await makeWorkspaceCopy(engine, { ...copyOptions(options), ...at });
  const checkpoint = made.base;
  try {
    const found = await engine.read((workspace) => baseOf(engine, workspace, checkpoint, named));
    const base = found?.checkpoint ?? null;
    const of = { copy: made.copy, notes: made.notes, state: stateOfCheckpoint(checkpoint) };
    const { found: all, results, ...ran } = await checkCopy(engine, options, of, base && stateOfCheckpoint(base));
    await keepTestResult(engine, checkpoint, all, results);
    await keepSummary(engine, checkpoint, base, ran.checks);
    noteChecks(engine.ports, engine.options.places.home, { checks: ran.checks, files: checkpoint.snapshot.files });
    return { checkpoint, base, baseReason: found?.why ?? null, ...ran };
  } finally {
    await made.copy.drop();
  }
}

/** What a run on one state needs. */
interface StateRun {
  readonly engine: Engine;
  readonly options: CheckOptions;
  readonly layout: StoreLayout;
  readonly root: DiskPath;
  readonly trusted: readonly TrustedCheck[];
  readonly projectFile: boolean;
  readonly dependencies: DependencyPolicy;
}

/** Runs the checks in a copy of a state, and on the base those that it needs to be compared with. */
export async function checkCopy(
  engine: Engine,
  options: CheckOptions & ExactNames,
  made: CopiedState,
  base: CheckedState | null,
): Promise<StateChecks> {
  const { copy, state } = made;
  const run = await engine.read(
    (workspace, context) =>
      ({
        engine,
        options,
        layout: workspace.store.layout,
        root: workspace.root,
        trusted: trustedChecks(engine, workspace.store.layout),
        projectFile: context.settings(workspace.root).values.project_file,
        dependencies: options.dependencies ?? context.effectiveSettings(workspace.root).copyDependencies,
      }) satisfies StateRun,
  );
  const { checks: found, notes } = await checksIn(run, made);
  const checks = selectedChecks(found, options.only, options);
  assertTrusted(checks, run.trusted);
  const results = new Map<Check, CheckResult>();
  for (const [index, check] of checks.entries()) {
    results.set(check, await runIn(run, made, check, { done: index, total: checks.length }));
  }
  const onBase = await baseResults(run, base, state, results);
  const renames = await renamesSince(engine, options, base, state);
  const compared: RunCheckResult[] = [];
  for (const [check, now] of results) {
    const before = onBase.get(check.name) ?? null;
    const again = isNewFailure(check, now, before, renames) ? await runIn(run, made, check, null) : null;
    compared.push({ ...compareResults(now, before, renames, again), took: now.took, output: now.output });
  }
  return {
    checks: compared,
    notRun: found.filter((check) => !checks.includes(check)).map(({ name }) => name),
    notes: [...notes, ...made.notes],
    notIsolated: copy.notIsolated,
    found,
    results,
  };
}

/** For a copy in which checks run. */
export function copyOptions({ signal, toolCall, rungs, dependencies }: CheckOptions): Omit<CopyOptions, 'at'> {
  return {
    purpose: 'check',
    ...(signal === undefined ? {} : { signal }),
    ...(toolCall === undefined ? {} : { toolCall }),
    ...(rungs === undefined ? {} : { rungs }),
    ...(dependencies === undefined ? {} : { dependencies }),
  };
}

function stateOfCheckpoint(checkpoint: Checkpoint): CheckedState {
  return { snapshot: checkpoint.snapshot, roots: checkpoint.roots.map(({ path }) => path), checkpoint };
}

function checksIn(
  { engine, projectFile }: StateRun,
  { copy, state: { roots, snapshot } }: CopiedState,
): Promise<FoundChecks> {
  return engine.read(({ ports, store }) =>
    findChecks(filesOfCaptured(ports.fs, copy.files, { objects: store.objects, snapshot }, engine.listings), {
      projectFile,
      roots,
    }),
  );
}

async function runIn(
  run: StateRun,
  { copy, state }: CopiedState,
  check: Check,
  progress: { readonly done: number; readonly total: number } | null,
): Promise<CheckResult> {
  const { engine, options, layout } = run;
  const { ports } = engine;
  const { signal, onOutput } = options;
  const tell = (): void => {
    if (progress !== null) engine.events.emit('progress', { phase: 'check', ...progress });
  };
  tell();
  // In a copy, this folder covers the home of the stores, so it has the same path on both sides.
  const output = diskChild(diskChild(copy.record.place, 'home'), 'output');
  makeFolders(ports.fs, output, 0o700);
  const place: CheckPlace = {
    files: copy.files,
    seenAs: copy.seenAs,
    output,
    command: (wanted) => copy.command(wanted),
  };
  const { places } = engine.options;
  const result = await runCheck(check, {
    ports,
    place,
    env: places.variables?.() ?? { PATH: places.searchPath ?? '' },
    limits: {
      timeoutMs: options.timeoutMs ?? DEFAULT_LIMITS.timeoutMs,
      maxMemory: options.maxMemory ?? DEFAULT_LIMITS.maxMemory,
    },
    ...(signal === undefined ? {} : { signal }),
    onOutput: (part) => {
      tell();
      onOutput?.(check.name, part);
    },
  });
  if (signal?.aborted === true) throw new SavepointError('CANCELLED', 'The checks were cancelled.');
  const kept: CheckResult = { ...result, output: '' };
  if (isAnswer(result.outcome)) keepCheckResult(ports.fs, layout, resultKey(run, check, state), kept);
  return result;
}

/**
 * Returns the results of the checks on the base: kept ones, or else, for checks that did not pass now, from a run in the
 * same kind of copy. A base whose commands are not trusted does not run.
 */
async function baseResults(
  run: StateRun,
  base: CheckedState | null,
  state: CheckedState,
  results: ReadonlyMap<Check, CheckResult>,
): Promise<ReadonlyMap<string, CheckResult>> {
  const { engine, layout, options } = run;
  const known = new Map<string, CheckResult>();
  if (base === null) return known;
  const isSame = sameSnapshot(base.snapshot, state.snapshot);
  const missing: string[] = [];
  for (const [check, result] of results) {
    const kept = isSame
      ? result
      : readCheckResult<CheckResult>(engine.ports.fs, layout, resultKey(run, check, base), (json) =>
          json.name === check.name && isAnswer(json.outcome) && Array.isArray(json.findings) ? json : null,
        );
    if (kept !== null) known.set(check.name, kept);
    else if (result.outcome !== 'passed' && result.outcome !== 'not-installed') missing.push(check.name);
  }
  if (missing.length === 0) return known;
  const made = { ...(await copyOfState(engine, options, base)), state: base };
  const named = base.checkpoint?.id ?? 'the state that it is compared with';
  try {
    const { checks: found } = await checksIn(run, made);
    const wanted = found.filter(({ name }) => missing.includes(name));
    for (const [index, check] of wanted.entries()) {
      if (trustStateOf(check, run.trusted) !== 'trusted') {
        const see = base.checkpoint === null ? '' : `: see \`savepoint trust --at ${base.checkpoint.id}\``;
        const why = `its command in ${named} is not trusted${see}`;
        known.set(check.name, {
          name: check.name,
          outcome: 'crashed',
          why,
          findings: [],
          omitted: 0,
          took: 0,
          output: '',
        });
      } else known.set(check.name, await runIn(run, made, check, { done: index, total: wanted.length }));
    }
    // A check that the base does not have had no failures there.
    for (const name of missing) {
      if (found.some((check) => check.name === name)) continue;
      const why = `${named} does not have it`;
      known.set(name, { name, outcome: 'collected-nothing', why, findings: [], omitted: 0, took: 0, output: '' });
    }
  } finally {
    await made.copy.drop();
  }
  return known;
}

function copyOfState(engine: Engine, options: CheckOptions, state: CheckedState): Promise<WorkspaceCopy> {
  return makeCopyOfState(engine, copyOptions(options), async (operating) => {
    const now = await captureBefore(engine, operating, options);
    return { now, base: state.checkpoint ?? now, state: state.snapshot };
  });
}

function isNewFailure(check: Check, now: CheckResult, base: CheckResult | null, renames: Renames): boolean {
  if (check.kind !== 'tests' || now.outcome !== 'failed' || base === null || !isAnswer(base.outcome)) return false;
  const added: readonly Finding[] = compareFindings(now.findings, base.findings, renames).added;
  return added.length > 0;
}

async function renamesSince(
  engine: Engine,
  options: CheckOptions,
  base: CheckedState | null,
  state: CheckedState,
): Promise<Renames> {
  if (base === null) return new Map();
  return engine.read(({ store }) =>
    renamesBetween(store.objects, { base: base.snapshot, proposed: state.snapshot }, engine.pace(options)),
  );
}

/** Files that package managers write when they install dependencies, which are in no checkpoint. */
const DEPENDENCY_STAMPS = [
  'node_modules/.package-lock.json',
  'node_modules/.modules.yaml',
  'node_modules',
  '.venv',
  'venv',
];

/** The same tree, commands, folder and dependencies give the same result. */
function resultKey({ engine, root, dependencies }: StateRun, check: Check, state: CheckedState): string {
  const { fs } = engine.ports;
  const stamps = DEPENDENCY_STAMPS.map((path) => {
    try {
      return fs.lstat(diskChild(root, path as TreePath))?.mtimeMs ?? null;
    } catch (error) {
      if (error instanceof FsError) return null;
      throw error;
    }
  });
  const { files, side } = state.snapshot;
  const isComplete = dependencies === 'auto' || dependencies === 'copy';
  return createHash('sha256')
    .update(JSON.stringify([files, side, digestOf(check), stamps, ...(isComplete ? [] : [dependencies])]))
    .digest('hex');
}
