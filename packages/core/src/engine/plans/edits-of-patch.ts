/** Makes edits of a unified diff of many files, so that it is validated as edits are. */

import type { FileEdit, FileEdits } from '../../edit/file-edits.ts';
import type { PatchedFile } from '../../edit/patch-files.ts';
import type { FileProblem } from '../../edit/prepare-edits.ts';
import { isFsError, kindOf } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import type { Ports } from '../../io/ports.ts';
import { checkTreePath } from '../../io/safe-path.ts';
import { SavepointError } from '../../model/errors.ts';
import { type DiskPath, nameToJson, onDisk, type TreePath, WORKSPACE_ITSELF } from '../../model/names.ts';
import type { Engine } from '../engine.ts';

/**
 * Returns the edits that a patch asks for. Its paths are relative to the workspace.
 * @throws SavepointError USAGE if it is not such a patch, EDITS_REFUSED with every path that cannot be one
 */
export async function editsOfPatch(engine: Engine, patch: string, pace: Pace): Promise<readonly FileEdits[]> {
  const [{ editsRefusedError }, { prepareEdits }, { fileRequestOf }] = await Promise.all([
    import('../../edit/edits-refused.ts'),
    import('../../edit/prepare-edits.ts'),
    import('../../edit/file-edits.ts'),
  ]);
  const files = await parsed(patch);
  const context = { root: engine.context().root(), ports: engine.ports };
  const problems: FileProblem[] = [];
  const edits: FileEdits[] = [];
  for (const file of files) {
    const names = [file.path, ...(file.to === null ? [] : [file.to])];
    const problem = names.map((path) => problemOfPath(path, engine.ports.platform)).find((why) => why !== null);
    if (problem === undefined) edits.push(editsOf(engine, context.root, file));
    else {
      problems.push({
        given: nameToJson(file.path),
        path: WORKSPACE_ITSELF,
        code: 'PATH_REFUSED',
        message: `Line ${file.line} of the patch: ${problem}`,
        statuses: [],
      });
    }
  }
  if (problems.length === 0) return edits;
  // Report the other errors in the same answer.
  const requests = edits.map((one) => fileRequestOf(context, one));
  const seen = await prepareEdits(engine.ports, context.root, requests, pace);
  throw editsRefusedError([...problems, ...(seen.ok ? [] : seen.problems)], files.length);
}

async function parsed(patch: string): Promise<readonly PatchedFile[]> {
  const [{ filesOfPatch }, { EditRefusedError }] = await Promise.all([
    import('../../edit/patch-files.ts'),
    import('../../edit/failures.ts'),
  ]);
  try {
    return filesOfPatch(patch);
  } catch (error) {
    if (!(error instanceof EditRefusedError)) throw error;
    throw new SavepointError('USAGE', error.message, { argument: 'patch' });
  }
}

/** Edits accept some of these forms from their callers. No program writes them into a patch. */
function problemOfPath(path: string, platform: Ports['platform']): string | null {
  if (path.startsWith('/')) return 'the path is absolute.';
  if (path.includes('\0')) return 'the path has a NUL byte.';
  const parts = path.split('/');
  if (parts.includes('..')) return 'the path leads out of its folder (`..`).';
  if (parts.includes('') || parts.includes('.')) return 'the path has an empty component, or `.`.';
  const refusal = checkTreePath(path, platform);
  return refusal === null ? null : `the path has a name that ${refusal.why}.`;
}

function editsOf(engine: Engine, root: DiskPath, { path, to, kind, executable, patch }: PatchedFile): FileEdits {
  const edits: FileEdit[] = patch === null ? [] : [{ op: 'patch', patch }];
  if (kind === 'change' && executable !== null) {
    // An absent file has no mode to change: the edit says so.
    const mode = modeAt(engine, onDisk(root, path as TreePath)) ?? 0o644;
    edits.push({ op: 'mode', mode: executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111 });
  }
  if (to !== null) edits.push({ op: 'rename', to: nameToJson(to) });
  return { path: nameToJson(path), edits };
}

/** @returns null if it cannot be read: what is wrong is said by the edit */
function modeAt({ ports: { fs } }: Engine, path: DiskPath): number | null {
  try {
    const stat = fs.lstat(path);
    return stat !== null && kindOf(stat) === 'file' ? stat.mode & 0o777 : null;
  } catch (error) {
    if (isFsError(error)) return null;
    throw error;
  }
}
