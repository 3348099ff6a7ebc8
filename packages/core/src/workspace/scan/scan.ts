/** Scans a workspace folder into a snapshot. */

import { showName } from '../../content/show-name.ts';
import { type Fs, kindOf } from '../../io/fs.ts';
import type { CaptureCounts, Gap, RootState } from '../../model/checkpoint.ts';
import type { Snapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { type DiskPath, nameToJson, type TreePath, WORKSPACE_ITSELF } from '../../model/names.ts';
import type { OwnPaths } from '../../store/own-paths.ts';
import { snapshotOf } from '../../store/snapshot/snapshot.ts';
import { Findings } from './findings.ts';
import { FolderScan, type ScanInput } from './folder-scan.ts';
import { isSamePosition, startingPosition, type WalkPosition } from './position.ts';
import { ABOVE_WORKSPACE, type RecalledScan, type VisitedFolder } from './scan-memory.ts';

export interface ScanResult {
  readonly snapshot: Snapshot;
  readonly counts: CaptureCounts;
  readonly roots: readonly RootState[];
  readonly partial: readonly Gap[];
  /** Paths that were skipped although no ignore rule covers them: too large, special, a mount, a refused name. */
  readonly leftOut: readonly Gap[];
  readonly unsettled: readonly TreePath[];
  /** Rules or repository files that could not be read. In that case more is captured, never less. */
  readonly problems: readonly string[];
  /** Savepoint's own files, which the scan ignored. */
  readonly own: OwnPaths;
  /** Given to `ScanMemory.keep` with `visited`, once a checkpoint has the snapshot. Null if nothing was scanned. */
  readonly recalled: RecalledScan | null;
  /** Empty unless {@link ScanInput.recordsVisited} is set. */
  readonly visited: ReadonlyMap<TreePath, VisitedFolder>;
  /** Number of files whose contents were read. */
  readonly filesRead: number;
}

/** @throws SavepointError CAPTURE_FAILED if the workspace folder itself cannot be read, or no root can */
export async function scan(input: ScanInput): Promise<ScanResult> {
  const stat = input.ports.fs.lstat(input.root);
  if (stat === null || kindOf(stat) !== 'folder') throw captureFailed(input.root, 'ENOENT');
  const walk = new FolderScan(input);
  const above = positionAbove(input);
  const findings = new Findings();
  const top = await walk.scanFolder(
    {
      path: WORKSPACE_ITSELF,
      disk: input.root,
      stat,
      above,
      covered: false,
      dependencyAbove: null,
      isMount: false,
    },
    findings,
  );
  if (!('ref' in top)) throw captureFailed(input.root, 'skip' in top ? (top.skip.code ?? 'EACCES') : 'ENOENT');
  assertAnyCaptured(input.root, findings);
  const { counts, lists } = findings;
  return {
    snapshot: snapshotOf(top.ref),
    counts: { ...counts },
    ...lists,
    own: input.own,
    recalled: input.recalled,
    visited: walk.visited,
    filesRead: walk.filesRead,
  };
}

/** The memory keeps what computes the position, so that must not refer to the entire input. */
function positionAbove({ recalled, root, globalIgnore }: ScanInput): WalkPosition {
  const find = (fs: Fs, before: WalkPosition | null): WalkPosition => startingPosition(fs, root, globalIgnore, before);
  return recalled.still(ABOVE_WORKSPACE, find, isSamePosition);
}

/** Fails if every root failed and nothing was captured: an empty checkpoint would only hide the failure. */
function assertAnyCaptured(workspace: DiskPath, { lists, counts }: Findings): void {
  const { roots } = lists;
  const failed = roots.flatMap(({ path, failed: code }) => (code === undefined ? [] : [{ path, code }]));
  // The workspace's own plain folder is always among the roots, even if all the others failed.
  const hasReadRoot = roots.some(
    (root) => root.failed === undefined && !(root.path === WORKSPACE_ITSELF && root.kind === 'folder'),
  );
  const [first] = failed;
  if (first === undefined || hasReadRoot || counts.files + counts.links > 0) return;
  throw new SavepointError(
    'CAPTURE_FAILED',
    `No root can be read: ${failed.map(({ path, code }) => `${showName(path)} (${code})`).join(', ')}.`,
    {
      path: nameToJson(workspace),
      code: first.code,
      roots: failed.map(({ path, code }) => ({ path: nameToJson(path), code })),
    },
  );
}

function captureFailed(root: DiskPath, code: string): SavepointError {
  const what = code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`;
  return new SavepointError('CAPTURE_FAILED', `The workspace folder ${showName(root)} ${what}.`, {
    path: nameToJson(root),
    code,
  });
}
