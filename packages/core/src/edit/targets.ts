/** Finds the files of a request: resolves links, reads the files, and rejects those that must not be edited. */

import { createHash } from 'node:crypto';
import { containingFolder, readEntireFile } from '../io/durable-write.ts';
import { type Fs, FsError, isFsError, kindOf, permissions, type Stat } from '../io/fs.ts';
import { followLinks } from '../io/locate-path.ts';
import type { Ports } from '../io/ports.ts';
import { checkTreePath } from '../io/safe-path.ts';
import type { ObjectId } from '../model/ids.ts';
import { baseName, type DiskPath, diskChild, type JsonName, type TreePath } from '../model/names.ts';
import { hashObject } from '../store/objects/object-hash.ts';
import { EDIT_BOUND, type Edit } from './edits.ts';
import { modeOfNewFile } from './new-modes.ts';

/** The edits that a caller requests for one file, with its path resolved. */
export interface FileRequest {
  /** As the caller named it. */
  readonly given: JsonName;
  /** The same path inside the workspace, with links unresolved. */
  readonly path: TreePath;
  readonly edits: readonly Edit[];
  /** Blob id (40 hex digits) or SHA-256 (64 hex digits) of the content that the caller has read. */
  readonly expectedHash: string | null;
  /** Edit the file even if it is write-protected. */
  readonly force: boolean;
}

/** A file, or the path of a new one. */
export interface Target {
  /** The path with all links resolved. */
  readonly path: TreePath;
  readonly existing: ExistingFile | null;
  /** The permissions of a new file at this path. */
  readonly modeOfNew: number;
}

export interface ExistingFile {
  readonly kind: 'file' | 'link';
  /** For a link, its target. */
  readonly content: Buffer;
  readonly id: ObjectId;
  readonly mode: number;
  /** The same for two names of the same file. */
  readonly identity: string;
}

/** The closed list of problems with a file as a whole. */
export type FileProblemCode =
  /** It is outside the workspace, goes through a link out of it, or has a name that cannot be written. */
  | 'PATH_REFUSED'
  /** The path is a folder, socket, pipe or device, or one of its parents is a file. */
  | 'NOT_A_FILE'
  /** The system refuses to read it, or it is too large for an edit. */
  | 'UNREADABLE'
  /** No write bit is set. `force` edits it anyway. */
  | 'READ_ONLY'
  /** It differs from what the caller has read. */
  | 'CHANGED'
  /** Another entry of the list is the same file, or creates the same file. */
  | 'DUPLICATE'
  /** The file already exists. */
  | 'ALREADY_THERE'
  /** One of its edits failed. The status of each edit says which. */
  | 'EDIT_FAILED';

/** Thrown to reject one file. Callers of this layer never see it. */
export class FileRefusedError extends Error {
  constructor(
    readonly code: FileProblemCode,
    message: string,
  ) {
    super(message);
  }
}

/**
 * @param root real path of the workspace
 * @throws FileRefusedError
 */
export function findTarget(ports: Ports, root: DiskPath, request: FileRequest): Target {
  const path = resolveTarget(ports, root, request);
  const stat = refuseOnFsError(() => ports.fs.lstat(below(root, path)));
  const modeOfNew = modeForNewFile(ports, root, path);
  if (stat === null) {
    if (request.expectedHash !== null) throw new FileRefusedError('CHANGED', 'The file was deleted since it was read.');
    return { path, existing: null, modeOfNew };
  }
  const existing = readExisting(ports.fs, below(root, path), stat);
  if (existing.kind === 'file' && (existing.mode & 0o200) === 0 && !request.force) {
    throw new FileRefusedError('READ_ONLY', 'The file is write-protected. Set `force` to edit it anyway.');
  }
  if (request.expectedHash !== null && !matchesHash(request.expectedHash, existing)) {
    throw new FileRefusedError('CHANGED', 'The file has changed since it was read. Read it again, then edit it.');
  }
  return { path, existing, modeOfNew };
}

/**
 * Resolves the path of a request. Follows a link to its file, unless the link itself is deleted or renamed.
 * @throws FileRefusedError
 */
export function resolveTarget(ports: Ports, root: DiskPath, request: FileRequest): TreePath {
  if (request.path === '') throw new FileRefusedError('NOT_A_FILE', 'The workspace folder is not a file.');
  return resolveInside(ports, root, request.path, affectsNameOnly(request) ? 'itself' : 'followed');
}

/**
 * Returns the path of a file after resolving the links of its parent folders.
 * @throws FileRefusedError PATH_REFUSED, NOT_A_FILE
 */
export function resolveParents(ports: Ports, root: DiskPath, path: TreePath): TreePath {
  return resolveInside(ports, root, path, 'itself');
}

export function modeForNewFile({ fs, umask }: Pick<Ports, 'fs' | 'umask'>, root: DiskPath, path: TreePath): number {
  for (let disk = containingFolder(below(root, path)); ; disk = containingFolder(disk)) {
    const stat = fs.lstat(disk);
    if (stat !== null || disk.length <= root.length)
      return modeOfNewFile(stat === null ? 0o755 : permissions(stat), umask());
  }
}

/** Whether the file is only renamed or deleted. In that case, a link is not followed. */
function affectsNameOnly({ edits }: FileRequest): boolean {
  return edits.every(({ op }) => op === 'delete' || op === 'rename');
}

function resolveInside(
  { fs, platform }: Ports,
  root: DiskPath,
  given: TreePath,
  last: 'followed' | 'itself',
): TreePath {
  const end = refuseOnFsError(() => followLinks({ fs, root }, given, last));
  switch (end.kind) {
    case 'inside': {
      const refusal = checkTreePath(end.path, platform);
      if (refusal === null) return end.path;
      throw new FileRefusedError('PATH_REFUSED', `The path has a name that ${refusal.why}.`);
    }
    case 'outside':
      throw new FileRefusedError(
        'PATH_REFUSED',
        'The path goes through a link out of the workspace. Use a file inside it.',
      );
    case 'dangling': {
      const name = JSON.stringify(baseName(end.link));
      throw new FileRefusedError('PATH_REFUSED', `The link ${name} is broken (${end.code}).`);
    }
    case 'no-folder':
      throw new FileRefusedError('NOT_A_FILE', 'A parent of the path is a file, not a folder.');
    case 'no-workspace':
      throw new FileRefusedError('PATH_REFUSED', 'The workspace folder no longer exists.');
  }
}

function readExisting(fs: Fs, disk: DiskPath, stat: Stat): ExistingFile {
  const kind = kindOf(stat);
  const identity = `${stat.dev} ${stat.ino}${stat.nlink > 1 ? ` ${disk}` : ''}`;
  const mode = permissions(stat);
  if (kind === 'link') {
    const content = Buffer.from(
      refuseOnFsError(() => fs.readLink(disk)),
      'latin1',
    );
    return { kind, content, id: hashObject('blob', content), mode, identity };
  }
  if (kind !== 'file') {
    const what = kind === 'folder' ? 'The path is a folder' : 'The path is a socket, pipe or device';
    throw new FileRefusedError('NOT_A_FILE', `${what}, not a file.`);
  }
  const content = refuseOnFsError(() => readEntireFile(fs, disk, EDIT_BOUND.maxBytes));
  return { kind, content, id: hashObject('blob', content), mode, identity };
}

/** Converts a failed system call into a problem of this file alone. */
function refuseOnFsError<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    if (isFsError(error, 'EFBIG')) {
      throw new FileRefusedError(
        'UNREADABLE',
        `The file exceeds the limit of ${EDIT_BOUND.maxBytes} bytes for an edit.`,
      );
    }
    if (isFsError(error, 'ENAMETOOLONG')) throw new FileRefusedError('PATH_REFUSED', 'The path is too long.');
    throw new FileRefusedError('UNREADABLE', `The file cannot be read (${error.code}).`);
  }
}

function below(root: DiskPath, path: TreePath): DiskPath {
  return diskChild(root, path);
}

function matchesHash(given: string, { content, id }: ExistingFile): boolean {
  const hash = given.toLowerCase();
  return hash.length === 64 ? createHash('sha256').update(content).digest('hex') === hash : id === hash;
}
