/** Checks a whole request before anything is changed. Returns the result for each file, or all problems. */

import { FsError } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import type { Ports } from '../io/ports.ts';
import type { ObjectId } from '../model/ids.ts';
import {
  type DiskPath,
  diskChild,
  type JsonName,
  parentPath,
  type TreePath,
  WORKSPACE_ITSELF,
} from '../model/names.ts';
import { hashObject } from '../store/objects/object-hash.ts';
import { applyEdits } from './apply-edits.ts';
import type { AppliedEdit, EditStatus } from './edits.ts';
import {
  type ExistingFile,
  type FileProblemCode,
  FileRefusedError,
  type FileRequest,
  findTarget,
  modeForNewFile,
  resolveParents,
  resolveTarget,
  type Target,
} from './targets.ts';

/** One file of the request, with its state afterwards. */
export interface PreparedFile {
  readonly given: JsonName;
  /** The path of the file, existing or new. */
  readonly path: TreePath;
  readonly before: ExistingFile | null;
  /** The file afterwards; a rename changes its path. Null: the file is deleted. */
  readonly after: {
    readonly path: TreePath;
    readonly content: Buffer;
    readonly id: ObjectId;
    readonly mode: number;
  } | null;
  readonly statuses: readonly AppliedEdit[];
  /** Permission bits for a new file at this path. */
  readonly modeOfNew: number;
}

export interface FileProblem {
  readonly given: JsonName;
  readonly path: TreePath;
  readonly code: FileProblemCode;
  readonly message: string;
  /** The status of each edit, if the file got that far; else empty. */
  readonly statuses: readonly EditStatus[];
}

export type PreparedEdits =
  | { readonly ok: true; readonly files: readonly PreparedFile[] }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

/**
 * Computes the result for each file. Reads the files and changes nothing.
 * @param root real path of the workspace
 */
export async function prepareEdits(
  ports: Ports,
  root: DiskPath,
  requests: readonly FileRequest[],
  pace: Pace,
): Promise<PreparedEdits> {
  const problems: FileProblem[] = [];
  const files: PreparedFile[] = [];
  const targets: { readonly request: FileRequest; readonly target: Target }[] = [];
  for (const request of requests) {
    if (pace.isDue()) await pace.yieldNow();
    collectProblem(request, problems, () => {
      targets.push({ request, target: findTarget(ports, root, request) });
    });
  }
  problems.push(...findDuplicates(targets));
  const duplicated = new Set(problems.map(({ given }) => given));
  for (const [index, { request, target }] of targets.entries()) {
    if (pace.isDue()) await pace.yieldNow({ phase: 'prepare', done: index, total: targets.length });
    if (duplicated.has(request.given)) continue;
    collectProblem(request, problems, () => {
      const result = prepareFile(ports, root, request, target);
      if ('code' in result) problems.push(result);
      else files.push(result);
    });
  }
  problems.push(...findClashes(ports, root, files));
  if (problems.length === 0) return { ok: true, files };
  const order = new Map(requests.map(({ given }, index) => [given, index]));
  return { ok: false, problems: problems.sort((a, b) => (order.get(a.given) ?? 0) - (order.get(b.given) ?? 0)) };
}

/**
 * Whether the names of a request still resolve to the same paths, and new files would still get the same permissions.
 * A preparation reads nothing else from disk, apart from the files themselves.
 * @param files the prepared files, one for each request
 */
export function targetsUnchanged(
  ports: Ports,
  root: DiskPath,
  requests: readonly FileRequest[],
  files: readonly PreparedFile[],
): boolean {
  return requests.every((request, index) => {
    const file = files[index];
    return file !== undefined && isTargetUnchanged(ports, root, request, file);
  });
}

function isTargetUnchanged(
  ports: Ports,
  root: DiskPath,
  request: FileRequest,
  { path, before, after, modeOfNew }: PreparedFile,
): boolean {
  try {
    if (resolveTarget(ports, root, request) !== path) return false;
    if (before === null && modeForNewFile(ports, root, path) !== modeOfNew) return false;
    if (after === null || after.path === path) return true;
    const to = request.edits.findLast(({ op }) => op === 'rename');
    return to?.op === 'rename' && resolveParents(ports, root, to.to) === after.path;
  } catch (error) {
    if (error instanceof FileRefusedError || error instanceof FsError) return false;
    throw error;
  }
}

function collectProblem({ given, path }: FileRequest, problems: FileProblem[], work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof FileRefusedError)) throw error;
    problems.push({ given, path, code: error.code, message: error.message, statuses: [] });
  }
}

/** @throws FileRefusedError if a renamed file would leave the workspace */
function prepareFile(
  ports: Ports,
  root: DiskPath,
  request: FileRequest,
  { path, existing, modeOfNew }: Target,
): PreparedFile | FileProblem {
  const { given, edits } = request;
  const placed = (to: TreePath): TreePath => (to === path ? to : resolveParents(ports, root, to));
  if (existing?.kind === 'link') {
    const after = renamedLink(request, existing);
    return {
      given,
      path,
      before: existing,
      after: after && { ...after, path: placed(after.path) },
      statuses: nameStatuses(request),
      modeOfNew,
    };
  }
  const result = applyEdits({ path, content: existing?.content ?? null, mode: existing?.mode ?? null }, edits);
  if (!result.ok) {
    const failed = result.statuses.find((status) => status.outcome === 'failed');
    const message = failed === undefined ? 'An edit failed.' : `Edit ${failed.index + 1}: ${failed.failure.message}`;
    return { given, path, code: 'EDIT_FAILED', message, statuses: result.statuses };
  }
  const { content, mode, path: to } = result.after;
  const after =
    content === null
      ? null
      : { path: placed(to), content, id: hashObject('blob', content), mode: mode ?? existing?.mode ?? modeOfNew };
  return { given, path, before: existing, after, statuses: result.statuses, modeOfNew };
}

/** A symbolic link is deleted or renamed itself, without following it. */
function renamedLink({ edits }: FileRequest, existing: ExistingFile): PreparedFile['after'] {
  let to: TreePath | null = null;
  for (const edit of edits) {
    if (edit.op === 'delete') return null;
    if (edit.op === 'rename') to = edit.to;
  }
  return to === null ? null : { path: to, content: existing.content, id: existing.id, mode: existing.mode };
}

function nameStatuses({ edits }: FileRequest): readonly AppliedEdit[] {
  return edits.map(({ op }, index) => ({
    index,
    op,
    outcome: 'applied',
    replacements: null,
    lines: null,
    added: null,
    removed: null,
    notes: [],
  }));
}

/** Finds entries that refer to the same file, by any name. */
function findDuplicates(
  targets: readonly { readonly request: FileRequest; readonly target: Target }[],
): readonly FileProblem[] {
  const problems: FileProblem[] = [];
  const seen = new Map<string, JsonName>();
  for (const { request, target } of targets) {
    const keys = [`path ${target.path}`, ...(target.existing === null ? [] : [`file ${target.existing.identity}`])];
    const other = keys.map((key) => seen.get(key)).find((name) => name !== undefined);
    for (const key of keys) if (!seen.has(key)) seen.set(key, request.given);
    if (other === undefined) continue;
    const message = `It is the same file as ${JSON.stringify(other)} in this list. Put all its edits into one entry.`;
    problems.push({ given: request.given, path: request.path, code: 'DUPLICATE', message, statuses: [] });
  }
  return problems;
}

/** Finds results with the same path, and results that would replace a file that is not in the request. */
function findClashes(ports: Ports, root: DiskPath, files: readonly PreparedFile[]): readonly FileProblem[] {
  const problems: FileProblem[] = [];
  const vacated = new Set(files.filter(({ path, after }) => after?.path !== path).map(({ path }) => path));
  const created = new Map<TreePath, JsonName>();
  for (const { given, path, after } of files) {
    if (after === null) continue;
    const problem = (code: FileProblemCode, message: string): void => {
      problems.push({ given, path, code, message, statuses: [] });
    };
    const other = created.get(after.path);
    if (other !== undefined) problem('DUPLICATE', `${JSON.stringify(other)} in this list creates the same file.`);
    else created.set(after.path, given);
    if (after.path !== path && !vacated.has(after.path) && ports.fs.lstat(diskChild(root, after.path)) !== null) {
      problem(
        'ALREADY_THERE',
        'The target of the rename already exists. Use another name, or delete the target first.',
      );
    }
  }
  for (const { given, path, after } of files) {
    for (
      let above = after === null ? WORKSPACE_ITSELF : parentPath(after.path);
      above !== '';
      above = parentPath(above)
    ) {
      if (!created.has(above)) continue;
      const message = `${JSON.stringify(created.get(above))} in this list creates a file where a folder is needed.`;
      problems.push({ given, path, code: 'NOT_A_FILE', message, statuses: [] });
    }
  }
  return problems;
}
