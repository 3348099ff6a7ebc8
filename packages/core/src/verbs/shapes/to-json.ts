/**
 * Converts the engine's types to the shapes of verbs: bytes to names, numbers to octal or ISO 8601, `undefined` to
 * null.
 */

import type * as z from 'zod';
import type { Patch } from '../../content/unified-patch.ts';
import type { HeadMove } from '../../git/head-moves.ts';
import type {
  Actor,
  Authorship,
  Change,
  Checkpoint,
  Gap,
  HeadPosition,
  RecordedChange,
  RootState,
} from '../../model/checkpoint.ts';
import { shownEntry } from '../../model/entries.ts';
import { nameToJson } from '../../model/names.ts';
import type { PathConflict, ThreeSides } from '../../operation/change-set.ts';
import { rootsAfter } from '../../operation/heads.ts';
import type { OperationResult, Preview } from '../../operation/operation.ts';
import type { PreviewDetail } from '../../operation/preview-detail.ts';
import type { OpenCall } from '../../store/state/open-calls.ts';
import { operationOf } from '../../timeline/diff/changes.ts';
import type { RootChange } from '../../timeline/diff/root-changes.ts';
import { madeBy } from '../../timeline/query/made-by.ts';
import type { ScanResult } from '../../workspace/scan/scan.ts';
import type { Shapes } from '../verb.ts';

type Json<Name extends keyof Shapes> = Shapes[Name] extends z.ZodType ? z.output<Shapes[Name]> : never;
type OperationJson = Omit<Json<'inverted'>, 'undoes' | 'openCalls' | keyof ReturnType<typeof filesOutcomeToJson>>;

/** The most unreachable commits listed for one repository. */
const MAX_COMMITS = 20;

/** A damaged store can contain a time outside the calendar. Such a time must not hide the rest of the answer. */
export function timeToJson(time: number): string {
  return new Date(Number.isFinite(time) && Math.abs(time) <= 8.64e15 ? time : 0).toISOString();
}

export function changeToJson(change: Change): Json<'change'> {
  const {
    path,
    operation,
    from,
    before,
    uncapturedBefore,
    after,
    uncapturedAfter,
    added,
    removed,
    lines,
    beforeSize,
    afterSize,
  } = change;
  return {
    path: nameToJson(path),
    operation,
    from: from === null ? null : nameToJson(from),
    before: shownEntry(before),
    beforeUncaptured: uncapturedBefore ?? null,
    after: shownEntry(after),
    afterUncaptured: uncapturedAfter ?? null,
    added,
    removed,
    lines: lines === null ? null : [lines.first, lines.last],
    beforeSize,
    afterSize,
  };
}

export function recordedChangeToJson(change: RecordedChange): Json<'recordedChange'> {
  const { id, by } = change;
  return {
    id,
    ...changeToJson(change),
    ...authorsToJson(by),
    evidence: by.evidence,
  };
}

export function authorsToJson({ authors, grade }: Authorship) {
  return {
    authors: authors.map(({ actor, session, call, tool }) => ({ actor: actorToJson(actor), session, call, tool })),
    sure: grade === 'sure',
    grade,
  };
}

export function actorToJson({ kind, name, version, id }: Actor): Json<'actor'> {
  return { kind, name, version: version ?? null, id: id ?? null };
}

export function briefToJson(checkpoint: Checkpoint): Json<'checkpointBrief'> {
  const { actor, conversation, rules, counts, totals } = checkpoint;
  return {
    id: checkpoint.id,
    number: checkpoint.number,
    commit: checkpoint.commit,
    previous: checkpoint.previous,
    time: timeToJson(checkpoint.time),
    trigger: checkpoint.trigger,
    actor: actorToJson(actor),
    by: madeBy(checkpoint).map(actorToJson),
    description: checkpoint.description,
    session: checkpoint.session,
    conversation: conversation && {
      messages: conversation.messages,
      messageId: conversation.messageId ?? null,
      lastUser: conversation.lastUser ?? null,
      lastAssistant: conversation.lastAssistant ?? null,
      model: conversation.model ?? null,
      contextSize: conversation.contextSize ?? null,
    },
    testResult: checkpoint.testResult,
    target: checkpoint.target,
    undoes: checkpoint.undoes,
    toolCall: checkpoint.toolCall,
    tool: checkpoint.tool && { ...checkpoint.tool },
    late: checkpoint.late,
    rolledBack: [...checkpoint.rolledBack],
    rolledBackInPart: [...checkpoint.rolledBackInPart],
    roots: checkpoint.roots.map(rootToJson),
    rules: {
      maxFileBytes: rules.maxFileBytes,
      maxIgnoredBytes: rules.maxIgnoredBytes,
      include: [...(rules.include ?? [])],
      exclude: [...(rules.exclude ?? [])],
    },
    counts: countsToJson(counts),
    partial: checkpoint.partial.map(gapToJson),
    unsettled: checkpoint.unsettled.map(nameToJson),
    incomplete: checkpoint.incomplete === true,
    totals: { files: totals.files, added: totals.added, removed: totals.removed },
  };
}

export function checkpointToJson(checkpoint: Checkpoint): Json<'checkpoint'> {
  return { ...briefToJson(checkpoint), changes: checkpoint.changes?.map(recordedChangeToJson) ?? null };
}

/** @param before the checkpoint that was taken before an operation that did not happen */
export function notHappenedToJson(before: Checkpoint | null) {
  if (before === null) return null;
  return { before: before.id, operation: before.precedes ?? before.trigger, target: before.target };
}

export function captureToJson(scan: ScanResult): Json<'capture'> {
  return {
    counts: countsToJson(scan.counts),
    partial: scan.partial.map(gapToJson),
    leftOut: scan.leftOut.map(gapToJson),
    unsettled: scan.unsettled.map(nameToJson),
    warnings: [...scan.problems],
  };
}

/**
 * @param seen a preview or a result
 * @param recorded the repositories of the state that the operation goes back to
 */
export function operationToJson(seen: Preview | OperationResult, recorded: readonly RootState[]): OperationJson {
  const done = 'before' in seen ? seen : null;
  const plan = planToJson(seen);
  return {
    outcome:
      done === null
        ? previewOutcome(plan, seen.plan.heads?.length ?? 0)
        : done.checkpoint === null
          ? 'nothing'
          : 'done',
    dryRun: done === null,
    description: seen.info.description,
    plan,
    fingerprint: seen.fingerprint,
    detail: detailToJson(seen.detail),
    heads: (seen.plan.heads ?? []).map(headToJson),
    ...repositoriesSince(recorded, rootsAfter(seen.scan.roots, seen.plan.heads ?? [])),
    capture: captureToJson(seen.scan),
    before: done === null ? null : briefToJson(done.before),
    checkpoint: done === null || done.checkpoint === null ? null : briefToJson(done.checkpoint),
    keptFiles: (done?.kept ?? []).map(({ path, backup }) => ({ path: nameToJson(path), backup: nameToJson(backup) })),
  };
}

/** The outcome of an operation that only restores files. */
export function filesOutcomeToJson(seen: Preview | OperationResult) {
  return { restored: 'before' in seen, conversationRewound: false as const, error: null };
}

export function openCallToJson({ id, session, actor, tool }: OpenCall): Json<'inverted'>['openCalls'][number] {
  return { call: id, session, agent: actor.name, tool: tool.name, summary: tool.summary };
}

export function sidesToJson(sides: ThreeSides | null): Json<'sides'> | null {
  if (sides === null) return null;
  const { base, ours, theirs, text, cut } = sides;
  return {
    base: shownEntry(base),
    ours: shownEntry(ours),
    theirs: shownEntry(theirs),
    text: text === null ? null : nameToJson(text.toString('latin1')),
    cut,
  };
}

export function rootChangeToJson({ path, what, before, after }: RootChange): Json<'rootChange'> {
  return { path: nameToJson(path), what, before: before && rootToJson(before), after: after && rootToJson(after) };
}

export function gapToJson({ path, skip }: Gap): Json<'gap'> {
  return { path: nameToJson(path), reason: skip.reason, size: skip.size ?? null, code: skip.code ?? null };
}

export function patchToJson({ text, gaps }: Patch) {
  return {
    text: nameToJson(text.toString('latin1')),
    gaps: gaps.map(({ path, why }) => ({ path: nameToJson(path), why })),
  };
}

function planToJson({ plan }: Preview): Json<'plan'> {
  // A path that must be captured and cannot be captured cannot be backed up either.
  const unsaved = plan.toCapture.map((path) => ({ path, why: 'its current content cannot be backed up' }));
  return {
    paths: plan.paths.map(({ path, from, to, merged }) => ({
      path: nameToJson(path),
      operation: operationOf(from, to),
      before: shownEntry(from),
      after: shownEntry(to),
      merged,
    })),
    kept: plan.kept.map(reasonToJson),
    conflicts: plan.conflicts.map((one) => ({ ...reasonToJson(one), sides: sidesToJson(one.sides ?? null) })),
    refused: [...plan.refused, ...unsaved, ...(plan.headsRefused ?? [])].map(reasonToJson),
    notes: (plan.notes ?? []).map(({ path, why }) => ({ path: nameToJson(path), note: why })),
  };
}

function detailToJson(detail: PreviewDetail | undefined): OperationJson['detail'] {
  if (detail === undefined) return null;
  const { patch, sides } = detail;
  return {
    patch: patch && patchToJson(patch),
    sides: sides.map(({ path, base, ours, theirs, parts }) => ({
      path: nameToJson(path),
      base: base && contentToJson(base),
      ours: ours && contentToJson(ours),
      theirs: theirs && contentToJson(theirs),
      parts:
        parts?.map((part) =>
          part.kind === 'merged'
            ? { kind: part.kind, content: contentToJson(part.content) }
            : {
                kind: part.kind,
                base: contentToJson(part.base),
                ours: contentToJson(part.ours),
                theirs: contentToJson(part.theirs),
              },
        ) ?? null,
    })),
  };
}

function contentToJson(content: Buffer): Json<'jsonName'> {
  return nameToJson(content.toString('latin1'));
}

function previewOutcome(plan: Json<'plan'>, heads: number): OperationJson['outcome'] {
  if (plan.refused.length > 0) return 'refused';
  if (plan.conflicts.length > 0) return 'conflict';
  return plan.paths.length + heads > 0 ? 'ready' : 'nothing';
}

function headToJson({ path, before, after, movesIndex, index, unreachable }: HeadMove): OperationJson['heads'][number] {
  return {
    path: nameToJson(path),
    before: positionToJson(before),
    after: positionToJson(after),
    index: !movesIndex ? 'left' : index === null ? 'rebuilt' : 'put-back',
    unreachable: unreachable.slice(0, MAX_COMMITS).map(({ commit, subject }) => ({ commit, subject })),
    unreachableCount: unreachable.length,
  };
}

function positionToJson({ branch, commit }: HeadPosition): OperationJson['heads'][number]['before'] {
  return { branch: branch === null ? null : nameToJson(branch), commit };
}

/** Branches, commits and .git folders are not restored by default. The answer lists them so that the user knows. */
function repositoriesSince(
  recorded: readonly RootState[],
  now: readonly RootState[],
): Pick<OperationJson, 'headMoved' | 'repositoriesGone'> {
  const headMoved: OperationJson['headMoved'] = [];
  const repositoriesGone: OperationJson['repositoriesGone'] = [];
  const current = new Map(now.map((root) => [root.path, root]));
  for (const before of recorded) {
    if (before.kind !== 'repository') continue;
    const path = nameToJson(before.path);
    const root = current.get(before.path);
    if (root?.kind !== 'repository') repositoriesGone.push(path);
    else if (root.branch !== before.branch || root.commit !== before.commit) {
      headMoved.push({ path, before: rootToJson(before), now: rootToJson(root) });
    }
  }
  return { headMoved, repositoriesGone };
}

function reasonToJson({ path, why }: PathConflict): { path: Json<'jsonName'>; why: string } {
  return { path: nameToJson(path), why };
}

function rootToJson(root: RootState): Json<'root'> {
  const { path, kind, branch, commit, operation, mount, failed } = root;
  return {
    path: nameToJson(path),
    kind,
    branch: branch === null ? null : nameToJson(branch),
    commit,
    operation,
    mount: mount ?? false,
    failed: failed ?? null,
  };
}

function countsToJson({ files, links, folders, bytes, skipped }: Checkpoint['counts']): Json<'counts'> {
  return { files, links, folders, bytes, skipped };
}
