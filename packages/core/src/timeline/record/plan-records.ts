/**
 * Plans in the store: `refs/savepoint/plan/<8 hex digits>` is a commit without parents, with `plan.json`, `files/` and
 * `side/` (the files as proposed), `base/` (the files that it was proposed on), and `listing.json` (its changes, which
 * follow from the files). Every change of a plan replaces the commit, so that what is decided and what it is decided
 * about never differ.
 */

import { createHash } from 'node:crypto';
import { FINDING_CLASSES } from '../../code/finding.ts';
import { COMPARISONS } from '../../model/check-outcome.ts';
import { type Actor, EVIDENCE, GRADES } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import { type CallId, type ObjectId, PLAN_ID, type PlanId, type SessionId } from '../../model/ids.ts';
import { isWithin, nameOf, type TreePath } from '../../model/names.ts';
import {
  PLAN_SOURCES,
  type Plan,
  type PlanAct,
  type PlanAnalysis,
  type PlanApplication,
  type PlanApproval,
  type PlanAuthors,
  type PlanCheckResult,
  type PlanChecks,
  type PlanCommitMade,
  type PlanDecision,
  type PlanDependency,
  type PlanFinding,
  type PlanFindingEvidence,
  type PlanInfo,
  type PlanOverride,
  type PlanPhase,
  type PlanUnsaid,
  type PlanWords,
} from '../../model/plan.ts';
import { matching, oneOf } from '../../store/json-shape.ts';
import { FormatProblem, unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectBatch, ObjectReader } from '../../store/objects/object-reader.ts';
import { encodeTree } from '../../store/objects/tree.ts';
import type { Refs } from '../../store/refs/refs.ts';
import { purgePaths } from '../../store/snapshot/purge-paths.ts';
import { readBlob } from '../../store/snapshot/snapshot.ts';
import { actor, author } from './checkpoint-record.ts';
import {
  addedKey,
  type Codec,
  closedRecord,
  type Fields,
  freeText,
  list,
  nullable,
  omittedIfEmpty,
  plain,
} from './codec.ts';
import { addCommit, BLOB, partsOf, partsOfCommit, snapshotIn, TREE, treesOf } from './kept-states.ts';
import { count, enumOf, lineString, longText, MAX_LISTED, path, time } from './values.ts';

const PLANS = 'refs/savepoint/plan/';
const RECORD = nameOf('plan.json');
const BASE = nameOf('base');
const PURGED_TEXT = 'purged';
const LISTING = nameOf('listing.json');

/** A plan with its commit. */
export interface StoredPlan extends Plan {
  readonly commit: ObjectId;
}

interface PlanStore {
  readonly objects: { batch(): ObjectBatch };
  readonly refs: Refs;
}

/** A plan that cannot be read. */
export interface DamagedPlan {
  readonly id: PlanId;
  readonly error: SavepointError;
}

/** Words of people, agents and programs. */
const words = freeText(longText, { exported: () => '', purged: '' });
const shortWords = freeText(lineString(), { exported: () => PURGED_TEXT, purged: PURGED_TEXT });

const ACT: Fields<PlanAct> = { by: actor as Codec<Actor>, time };

export const DECISION = closedRecord<PlanDecision>({
  ...ACT,
  path: path as Codec<TreePath>,
  hunk: nullable(lineString()),
  accepted: enumOf(true, false),
});

const CHECK_RESULT = closedRecord<PlanCheckResult>({
  name: shortWords,
  comparison: enumOf(...COMPARISONS),
  outcome: shortWords,
  why: nullable(words),
  base: count,
  failures: list(words, MAX_LISTED),
  failed: count,
});

const CHECKS = closedRecord<PlanChecks>({
  ...ACT,
  fingerprint: lineString(),
  results: list(CHECK_RESULT, MAX_LISTED),
});

const FINDING = closedRecord<PlanFinding>({
  class: enumOf(...FINDING_CLASSES),
  rule: lineString(),
  path: path as Codec<TreePath>,
  line: nullable(count),
  message: words,
  follows: nullable(count),
  evidence: list(
    closedRecord<PlanFindingEvidence>({
      path: path as Codec<TreePath>,
      line: nullable(count),
      state: enumOf('base', 'proposed'),
      text: words,
    }),
    MAX_LISTED,
  ),
});

const ANALYSIS = closedRecord<PlanAnalysis>({
  ...ACT,
  fingerprint: lineString(),
  base: count,
  findings: list(FINDING, MAX_LISTED),
  omitted: count,
  breaks: count,
  dependencies: list(
    closedRecord<PlanDependency>({ path: path as Codec<TreePath>, needs: path as Codec<TreePath> }),
    MAX_LISTED,
  ),
  unsaid: list(
    closedRecord<PlanUnsaid>({
      reason: lineString(),
      language: nullable(lineString()),
      files: count,
      message: omittedIfEmpty(nullable(words), null),
    }),
    MAX_LISTED,
  ),
});

const APPROVAL = closedRecord<PlanApproval>({
  ...ACT,
  fingerprint: lineString(),
  isByPolicy: enumOf(true, false),
});

const FIELDS: Fields<PlanInfo & { readonly format: 1 }> = {
  format: plain(oneOf(1)),
  id: plain<PlanId>(matching(PLAN_ID)),
  intent: words,
  proposedBy: actor as Codec<Actor>,
  authors: list(
    closedRecord<PlanAuthors>({
      authors: list(author, MAX_LISTED),
      grade: enumOf(...GRADES),
      evidence: nullable(enumOf(...EVIDENCE)),
      paths: list(path as Codec<TreePath>, MAX_LISTED),
    }),
    MAX_LISTED,
  ),
  session: nullable(lineString<SessionId>()),
  call: nullable(lineString<CallId>()),
  prompts: omittedIfEmpty(list(words, MAX_LISTED), []),
  source: enumOf(...PLAN_SOURCES),
  sourceName: nullable(shortWords),
  created: time,
  updated: time,
  revision: count,
  base: count,
  decisions: list(DECISION, MAX_LISTED),
  approval: nullable(APPROVAL),
  words: list(closedRecord<PlanWords>({ ...ACT, text: words, revision: count }), MAX_LISTED),
  checks: nullable(CHECKS),
  analysis: omittedIfEmpty(ANALYSIS, null),
  override: nullable(closedRecord<PlanOverride>({ ...ACT, why: words, fingerprint: lineString() })),
  phases: list(
    closedRecord<PlanPhase>({ name: shortWords, paths: list(path as Codec<TreePath>, MAX_LISTED) }),
    MAX_LISTED,
  ),
  applications: list(
    closedRecord<PlanApplication>({
      ...ACT,
      checkpoint: count,
      isEmpty: addedKey(enumOf(true, false), false),
      phase: nullable(count),
      paths: nullable(list(path as Codec<TreePath>, MAX_LISTED)),
      left: omittedIfEmpty(list(path as Codec<TreePath>, MAX_LISTED), []),
      fingerprint: lineString(),
      approval: APPROVAL,
      validation: nullable(CHECKS),
    }),
    MAX_LISTED,
  ),
  commits: omittedIfEmpty(
    list(closedRecord<PlanCommitMade>({ root: path as Codec<TreePath>, commit: lineString(), time }), MAX_LISTED),
    [],
  ),
  failedRuns: count,
  cancelled: nullable(closedRecord<PlanAct>(ACT)),
};

const CODEC = closedRecord(FIELDS);

/** Adds the commit of a plan to the batch. */
export function writePlan(batch: ObjectBatch, plan: Plan): ObjectId {
  const record = batch.add('blob', Buffer.from(`${JSON.stringify(CODEC.encode({ ...plan, format: 1 }), null, 2)}\n`));
  const base = batch.add('tree', encodeTree(treesOf(batch, plan.before)));
  const entries = [
    { name: RECORD, mode: BLOB, id: record } as const,
    ...treesOf(batch, plan.proposed),
    { name: BASE, mode: TREE, id: base } as const,
    ...(plan.listing === null ? [] : [{ name: LISTING, mode: BLOB, id: plan.listing } as const]),
  ];
  return addCommit(batch, entries, { time: plan.updated, message: `Plan ${plan.id}\n` });
}

/** Durable on return, as is the commit before. The caller holds the store's lock. */
export function keepPlan(refs: Refs, id: PlanId, commit: ObjectId): void {
  const name = refOf(id);
  const old = refs.read(name);
  if (old === null) refs.create(name, commit);
  else if (old !== commit) refs.moveAll(new Map([[old, commit]]));
}

/** Replaces a plan and creates others, all or nothing. Durable on return, as are the commits before. The caller holds the store's lock. */
export function keepPlanWithParts(
  refs: Refs,
  { id, commit }: Pick<StoredPlan, 'id' | 'commit'>,
  parts: ReadonlyMap<PlanId, ObjectId>,
): void {
  const old = refs.read(refOf(id));
  const moved = new Map(old === null ? [] : [[old, commit] as const]);
  refs.moveAll(moved, new Map([...parts].map(([part, one]) => [refOf(part), one])));
}

/** Replaces what is recorded about a plan. Durable on return. The caller holds the store's lock. */
export async function storePlan({ objects, refs }: PlanStore, plan: Plan): Promise<void> {
  const batch = objects.batch();
  try {
    const commit = writePlan(batch, plan);
    await batch.finish();
    keepPlan(refs, plan.id, commit);
  } finally {
    batch.abandon();
  }
}

/** @returns null if there is none @throws SavepointError STORE_DAMAGED */
export function readPlan(objects: ObjectReader, refs: Refs, id: PlanId): StoredPlan | null {
  const commit = refs.read(refOf(id));
  return commit === null ? null : planIn(objects, commit, id);
}

/** All plans, the oldest first. */
export function readPlans(
  objects: ObjectReader,
  refs: Refs,
): { readonly plans: readonly StoredPlan[]; readonly damaged: readonly DamagedPlan[] } {
  const plans: StoredPlan[] = [];
  const damaged: DamagedPlan[] = [];
  for (const { name, id: commit } of refs.listWithDamage(PLANS).refs) {
    const id = `plan_${name.slice(PLANS.length)}` as PlanId;
    if (!PLAN_ID.test(id)) continue;
    const plan = unlessDamaged(
      (error) => void damaged.push({ id, error }),
      () => planIn(objects, commit, id),
    );
    if (plan !== null) plans.push(plan);
  }
  return { plans: plans.sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1)), damaged };
}

/** The commits of all plans, which need their trees like checkpoints. @throws SavepointError STORE_DAMAGED */
export function planCommits(refs: Refs): readonly ObjectId[] {
  return refs.list(PLANS).map(({ id }) => id);
}

/** Identifies the state of all plans; null: there are none. */
export function stateOfPlans(refs: Refs): string | null {
  const found = refs.listWithDamage(PLANS).refs.map(({ name, id }) => `${name} ${id}`);
  return found.length === 0 ? null : createHash('sha1').update(found.join('\n')).digest('hex');
}

/** The caller holds the store's lock. */
export function removePlans(refs: Refs, ids: readonly PlanId[]): void {
  refs.delete(ids.map(refOf));
}

/**
 * For a purge: rewrites every plan without the content of the paths, and without texts that mention it.
 * @returns new commits by old ones
 */
export function purgePlans(
  batch: ObjectBatch,
  refs: Refs,
  paths: readonly TreePath[],
  isSecret: (text: string) => boolean,
): ReadonlyMap<ObjectId, ObjectId> {
  const moved = new Map<ObjectId, ObjectId>();
  for (const { name, id: commit } of refs.list(PLANS)) {
    const plan = planIn(batch, commit, `plan_${name.slice(PLANS.length)}` as PlanId);
    const before = purgePaths(batch, plan.before, paths);
    const proposed = purgePaths(batch, plan.proposed, paths);
    const info = withoutSecrets(plan, paths, isSecret);
    const isSame = before === plan.before && proposed === plan.proposed;
    if (isSame && info === plan) continue;
    // The listing has digests of lines.
    const listing = isSame ? plan.listing : null;
    // An analysis quotes lines of the files.
    const analysis = isSame ? info.analysis : null;
    moved.set(commit, writePlan(batch, { ...info, before, proposed, listing, analysis }));
  }
  return moved;
}

/** Whether a session had a part in a plan, so that its texts may be those of the session. */
export function isPlanOf({ session: last, authors }: PlanInfo, session: SessionId): boolean {
  return last === session || authors.some((each) => each.authors.some((one) => one.session === session));
}

/**
 * For the deletion of a session: rewrites plans without the words of people and agents. What they propose stays, and so does
 * what was decided.
 * @returns new commits by old ones
 */
export function removeTextsOfPlans(batch: ObjectBatch, plans: readonly StoredPlan[]): ReadonlyMap<ObjectId, ObjectId> {
  const moved = new Map<ObjectId, ObjectId>();
  for (const { commit, ...plan } of plans) {
    const phases = plan.phases.map((phase, index) => ({ ...phase, name: `phase ${index + 1}` }));
    const override = plan.override === null ? null : { ...plan.override, why: '' };
    const now = writePlan(batch, { ...plan, intent: DELETED_INTENT, words: [], prompts: [], phases, override });
    if (now !== commit) moved.set(commit, now);
  }
  return moved;
}

const DELETED_INTENT = 'Plan of a deleted session';

/** @returns the same plan if nothing is removed */
function withoutSecrets(plan: Plan, paths: readonly TreePath[], isSecret: (text: string) => boolean): Plan {
  const info = { ...plan, format: 1 as const };
  const redacted = CODEC.redact(info, { local: false, texts: isSecret, contents: false });
  // The digest of a hunk is one of its lines.
  const decisions = plan.decisions.filter(
    (one) => one.hunk === null || !paths.some((path) => isWithin(one.path, path)),
  );
  if (redacted === info && decisions.length === plan.decisions.length) return plan;
  // The names of phases are unique.
  const phases = redacted.phases.map((phase, index) =>
    phase.name === plan.phases[index]?.name ? phase : { ...phase, name: `${PURGED_TEXT} ${index + 1}` },
  );
  return { ...plan, ...redacted, phases, decisions };
}

function planIn(objects: ObjectReader, commit: ObjectId, id: PlanId): StoredPlan {
  const parts = partsOfCommit(objects, commit);
  const [record, base] = [parts.get(RECORD), parts.get(BASE)];
  const proposed = snapshotIn(parts);
  const before = base === undefined ? null : snapshotIn(partsOf(objects, base));
  if (record === undefined || proposed === null || before === null) throw damagedPlan(commit);
  const info = parsed(commit, readBlob(objects, record));
  if (info.id !== id) throw damagedPlan(commit);
  return { ...info, before, proposed, listing: parts.get(LISTING) ?? null, commit };
}

function parsed(commit: ObjectId, bytes: Buffer): PlanInfo {
  try {
    const json: unknown = JSON.parse(bytes.toString());
    CODEC.check(json, 'plan.json', 'linux');
    const { format: _, ...info } = CODEC.decode(json);
    return info;
  } catch (error) {
    if (error instanceof FormatProblem || error instanceof SyntaxError) throw damagedPlan(commit);
    throw error;
  }
}

function refOf(id: PlanId): string {
  return PLANS + id.slice('plan_'.length);
}

function damagedPlan(commit: ObjectId): SavepointError {
  return new SavepointError('STORE_DAMAGED', `Object ${commit} is not a plan.`, { object: commit });
}
