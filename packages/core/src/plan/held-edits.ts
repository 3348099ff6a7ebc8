/** The operation of a plan that collects edits of an agent, which were not carried out. */

import { applyPlan as bringChanges } from '../copy/apply-copy.ts';
import { applyEdits } from '../edit/apply-edits.ts';
import { planEdits } from '../edit/edit-operation.ts';
import type { Edit } from '../edit/edits.ts';
import { editsRefusedError } from '../edit/edits-refused.ts';
import type { FileProblem, PreparedFile } from '../edit/prepare-edits.ts';
import { FileRefusedError, type FileRequest, findTarget } from '../edit/targets.ts';
import type { Pace } from '../io/pace.ts';
import type { Author } from '../model/checkpoint.ts';
import type { Entry } from '../model/entries.ts';
import { isWithin, type JsonName, type TreePath } from '../model/names.ts';
import type { Plan } from '../model/plan.ts';
import type { ReportedWrite } from '../model/reported-write.ts';
import { type ChangeSet, ChangeSetDraft } from '../operation/change-set.ts';
import type { CurrentState, Operation } from '../operation/operation.ts';
import { type ConflictChoices, NO_CHOICES } from '../rewind/conflict-choices.ts';
import { hashObject } from '../store/objects/object-hash.ts';
import { cachedFolderReader, readBlob } from '../store/snapshot/snapshot.ts';
import { checkpointInfo } from '../timeline/capture/compose.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { type PathState, stateAt } from '../timeline/diff/snapshot-diff.ts';
import { replaceInProposal } from './replace-in-proposal.ts';

/** What a call would write to one path. */
export interface HeldWrite extends Pick<ReportedWrite, 'path' | 'result'> {
  /** As its author named the path. */
  readonly given: JsonName;
}

export interface HeldEdits {
  /** What was proposed before, and stays; null: nothing. */
  readonly plan: Plan | null;
  readonly writes: readonly HeldWrite[];
  readonly author: Author;
  readonly description: string;
}

/**
 * A proposed change that conflicts with what a person changed. It stays in the plan as it was made, so it is still in conflict
 * when the plan is applied.
 */
export interface OpenConflict {
  readonly path: TreePath;
  /** The file that the change was proposed on. */
  readonly before: PathState;
  readonly proposed: PathState;
  /** What the folder has now. */
  readonly now: PathState;
}

export interface HeldEditsOperation extends Operation {
  /** Of the other files, once it is planned. */
  readonly openConflicts: () => readonly OpenConflict[];
}

/**
 * Changes the folder as the plan and these edits say. Edits are made on what is proposed, merged with what changed in the
 * folder since.
 */
export function heldEditsOperation(workspace: Workspace, request: HeldEdits, pace: Pace): HeldEditsOperation {
  const { actor, session, call } = request.author;
  const requestedPaths = new Set<TreePath>();
  let open: readonly OpenConflict[] = [];
  return {
    openConflicts: () => open,
    info: { ...checkpointInfo('edit', actor), session, toolCall: call, description: request.description },
    backups: null,
    isVerbatim: true,
    plan: async (current) => {
      const planned = await planHeld(workspace, request, requestedPaths, current, pace);
      open = planned.open;
      return planned.changes;
    },
  };
}

const HINT =
  'Nothing was recorded. First read each file in conflict again and write it as a whole, then repeat this edit. Or the user ' +
  'can cancel the plan; the next edit then begins a new one on the files as they are.';

async function planHeld(
  workspace: Workspace,
  { plan, writes }: HeldEdits,
  requestedPaths: Set<TreePath>,
  current: CurrentState,
  pace: Pace,
): Promise<{ readonly changes: ChangeSet; readonly open: readonly OpenConflict[] }> {
  const { changes: earlier, open } = await earlierChanges(workspace, plan, current, pace);
  const files = preparedFiles(workspace, { earlier, open }, writes, current);
  const edits = planEdits(files, current, requestedPaths, workspace.ports.umask());
  const replaced = new Set(files.map(({ path }) => path));
  const kept = earlier.paths.filter(({ path }) => !replaced.has(path));
  const known = new Set(kept.map(({ path }) => path));
  const draft = new ChangeSetDraft();
  draft.paths.push(...kept, ...edits.paths.filter(({ path }) => !known.has(path)));
  draft.kept.push(...earlier.kept);
  draft.conflicts.push(...earlier.conflicts.filter(({ path }) => !replaced.has(path)), ...edits.conflicts);
  draft.toCapture.push(...earlier.toCapture, ...edits.toCapture);
  draft.refused.push(...earlier.refused, ...edits.refused);
  draft.moves.push(...earlier.moves.filter(({ from, to }) => !replaced.has(from) && !replaced.has(to)));
  for (const [id, content] of [...earlier.contents, ...edits.contents]) draft.contents.set(id, content);
  draft.hint = earlier.conflicts.length > 0 ? HINT : null;
  return { changes: draft.finish(), open: open.filter(({ path }) => !replaced.has(path)) };
}

/** What was proposed before. */
interface EarlierChanges {
  /** Its conflicts are those of whole folders, such as a file where the plan has a folder. */
  readonly changes: ChangeSet;
  readonly open: readonly OpenConflict[];
}

async function earlierChanges(
  workspace: Workspace,
  plan: Plan | null,
  current: CurrentState,
  pace: Pace,
): Promise<EarlierChanges> {
  if (plan === null) return { changes: new ChangeSetDraft().finish(), open: [] };
  const { before: base, proposed } = plan;
  const bring = (choices: ConflictChoices) =>
    bringChanges(workspace, { base, proposed, paths: [], choices }, current, pace);
  const all = await bring(NO_CHOICES);
  if (all.plan.conflicts.length === 0) return { changes: all.plan, open: [] };
  const rest = await bring({ ...NO_CHOICES, skipConflicts: true });
  const kept = new Set(all.plan.kept.map(({ path }) => path));
  const read = cachedFolderReader(current.objects);
  const open = rest.untouched
    .filter((path) => !kept.has(path))
    .map((path) => ({
      path,
      before: stateAt(read, base, path),
      proposed: stateAt(read, proposed, path),
      now: stateAt(read, current.snapshot, path),
    }));
  return { changes: rest.plan, open };
}

interface EarlierInFiles extends Pick<EarlierChanges, 'open'> {
  readonly earlier: ChangeSet;
}

/** @throws SavepointError EDITS_REFUSED with all problems */
function preparedFiles(
  workspace: Workspace,
  before: EarlierInFiles,
  writes: readonly HeldWrite[],
  current: CurrentState,
): readonly PreparedFile[] {
  const problems: FileProblem[] = [];
  const files = writes.flatMap((write): readonly PreparedFile[] => {
    const { given, path } = write;
    try {
      return [preparedFile(workspace, before, write, current)];
    } catch (error) {
      if (!(error instanceof FileRefusedError)) throw error;
      problems.push({ given, path, code: error.code, message: error.message, statuses: [] });
      return [];
    }
  });
  if (problems.length > 0) throw editsRefusedError(problems, writes.length);
  return files;
}

/** @throws FileRefusedError */
function preparedFile(
  { ports, root }: Workspace,
  { earlier, open }: EarlierInFiles,
  { given, path: named, result }: HeldWrite,
  current: CurrentState,
): PreparedFile {
  const edits = editsOf(result);
  const request: FileRequest = { given, path: named, edits, expectedHash: null, force: false };
  const { path, existing, modeOfNew } = findTarget(ports, root, request);
  assertPossible(path, earlier);
  const change = earlier.paths.find((one) => one.path === path);
  const proposed = change === undefined ? (existing?.content ?? null) : contentOf(change.to, earlier, current);
  const mode = (change?.to?.kind === 'file' ? change.to.mode : null) ?? existing?.mode ?? modeOfNew;
  const content = contentAfter({ onDisk: existing?.content ?? null, proposed }, result, edits, {
    isConflict: [...earlier.conflicts, ...open].some((one) => one.path === path),
    path,
  });
  const after = content === null ? null : { path, content, id: hashObject('blob', content), mode };
  return { given, path, before: existing, after, statuses: [], modeOfNew };
}

function editsOf(result: HeldWrite['result']): readonly Edit[] {
  if (result === null) return [{ op: 'delete' }];
  if (typeof result === 'string') return [{ op: 'write', content: result, exact: false }];
  return result.map(({ old, new: now, all }) => ({ op: 'replace', old, new: now, replaceAll: all, tolerant: false }));
}

/** @throws FileRefusedError EDIT_FAILED, CHANGED */
function contentAfter(
  seen: { readonly onDisk: Buffer | null; readonly proposed: Buffer | null },
  result: HeldWrite['result'],
  edits: readonly Edit[],
  { isConflict, path }: { readonly isConflict: boolean; readonly path: TreePath },
): Buffer | null {
  if (result === null || typeof result === 'string') {
    const made = applyEdits({ path, content: isConflict ? seen.onDisk : seen.proposed, mode: null }, edits);
    if (made.ok) return made.after.content;
    const failed = made.statuses.find((status) => status.outcome === 'failed');
    throw new FileRefusedError('EDIT_FAILED', failed?.failure.message ?? 'The edit failed.');
  }
  if (isConflict) {
    const why = 'It was changed in the folder where the plan changes it. Read it again, then write the whole file.';
    throw new FileRefusedError('CHANGED', why);
  }
  const replaced = replaceInProposal(seen, result);
  if (replaced.ok) return replaced.proposed;
  throw new FileRefusedError('EDIT_FAILED', replaced.message);
}

/** @throws FileRefusedError NOT_A_FILE if the plan makes a file of a folder that this path needs, or the other way round */
function assertPossible(path: TreePath, { paths }: ChangeSet): void {
  for (const { path: other, to } of paths) {
    if (to === null || other === path) continue;
    if (to.kind !== 'folder' && isWithin(path, other))
      throw new FileRefusedError('NOT_A_FILE', 'The plan has a file where this path needs a folder.');
    if (isWithin(other, path)) throw new FileRefusedError('NOT_A_FILE', 'The plan has a folder with this name.');
  }
}

/** @throws FileRefusedError NOT_A_FILE */
function contentOf(entry: Entry | null, { contents }: ChangeSet, { objects }: CurrentState): Buffer | null {
  if (entry === null) return null;
  if (entry.kind !== 'file') throw new FileRefusedError('NOT_A_FILE', `The plan has a ${entry.kind} with this name.`);
  return contents.get(entry.id) ?? readBlob(objects, entry.id);
}
