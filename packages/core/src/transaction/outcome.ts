/** Converts failures of a transaction into errors for the caller. */

import { showName } from '../content/show-name.ts';
import { FsError, isFsError } from '../io/fs.ts';
import { SavepointError } from '../model/errors.ts';
import { nameToJson } from '../model/names.ts';
import type { BackupFile } from './late-writes.ts';
import { ForeignContent } from './site.ts';
import { pathsOf } from './steps.ts';
import type { Intent, Journal, Mount } from './transition.ts';

/** Failures caused by the machine or by other programs. Anything else is a bug of ours and is rethrown. */
export type ExpectedError = SavepointError | FsError | ForeignContent;

export function isExpectedError(error: unknown): error is ExpectedError {
  return error instanceof SavepointError || error instanceof FsError || error instanceof ForeignContent;
}

/** @param kept what other programs wrote to files that no longer have a name in the tree, and where it is now */
export function conflictError(found: readonly ForeignContent[], kept: readonly BackupFile[] = []): SavepointError {
  const first = found[0]!;
  const more = found.length > 1 ? ` (and ${found.length - 1} more)` : '';
  const message = `Another program changed ${showName(first.path)} at the same moment: ${first.why}${more}.`;
  const hint =
    'Nothing was changed: what was begun was taken back. It is not known which program it was: an editor, a formatter or a ' +
    'watcher. Try again when it is done. What it wrote is captured first then.';
  const paths = [
    ...found.map(({ path, why }) => ({ path: nameToJson(path), why })),
    ...kept.map(({ path, backup }) => ({
      path: nameToJson(path),
      why: 'it was written to while it was being replaced',
      backup: nameToJson(backup),
    })),
  ];
  return new SavepointError('CONFLICT', message, { paths }, { hint });
}

/** A system call failed before anything was changed, or after the changes were rolled back. */
export function fsFailure(error: FsError): SavepointError {
  const data = { path: nameToJson(error.path), operation: error.operation, code: error.code };
  if (isFsError(error, 'ENOSPC', 'EDQUOT')) {
    return new SavepointError(
      'NO_SPACE',
      `The disk is full: ${error.operation} of ${showName(error.path)} failed (${error.code}).`,
      data,
      {
        cause: error,
      },
    );
  }
  const call = `system call ${error.operation}, ${error.code}`;
  const why = REASONS[error.code];
  const message =
    why === undefined
      ? `A call to the file system failed on ${showName(error.path)} (${call}).`
      : `${showName(error.path)}: ${why} (${call}).`;
  return new SavepointError('IO', message, data, { cause: error });
}

/** What the usual codes of the system mean. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'this is a folder, not a file',
  ELOOP: 'too many links',
  EMFILE: 'this process has too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENFILE: 'the system has too many open files',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of this path is not a folder',
  EPERM: 'the system does not permit this',
  EROFS: 'the file system is read-only',
};

export function asSavepointError(error: unknown): SavepointError {
  if (error instanceof SavepointError) return error;
  if (error instanceof FsError) return fsFailure(error);
  if (error instanceof ForeignContent) return conflictError([error]);
  const message = error instanceof Error ? error.message : String(error);
  return new SavepointError('INTERNAL', `Internal error: ${message}`, { message }, { cause: error });
}

export function pendingError(journal: Journal | Intent, cause: unknown, second: unknown): SavepointError {
  const first = asSavepointError(cause);
  const then = asSavepointError(second);
  return new SavepointError(
    'PENDING',
    `The operation failed (${first.message}) and could not be rolled back (${then.message}). It is pending.`,
    { transaction: journal.transaction, why: first.code, cause: first.toJSON(), paths: [] },
    { cause: second },
  );
}

/** A dead process's transaction that recovery does not decide on by itself. */
export function undecidedError(journal: Journal, why: string, foreign: readonly ForeignContent[]): SavepointError {
  return new SavepointError('PENDING', `An interrupted operation needs a decision: ${why}.`, {
    transaction: journal.transaction,
    why,
    paths: foreign.map(({ path, why: state }) => ({ path: nameToJson(path), state })),
  });
}

/** A transaction that waits for a missing root. */
export function missingRootError(journal: Journal, missing: readonly Mount[]): SavepointError {
  const names = missing.map(({ path }) => showName(path)).join(', ');
  const are = missing.length === 1 ? 'which is' : 'which are';
  return new SavepointError(
    'PENDING',
    `An interrupted operation needs ${names}, ${are} not mounted now.`,
    {
      transaction: journal.transaction,
      why: 'root-missing',
      roots: missing.map(({ path }) => nameToJson(path)),
      paths: pathsOf(journal).map((path) => ({ path: nameToJson(path), state: 'not known' })),
    },
    {
      hint: journal.isRolledBack
        ? 'Mount it again: the next command recovers the rest. To give up its files, run `savepoint recover --back` again.'
        : 'Mount it again: the next command recovers the operation. Or roll back the rest now: `savepoint recover --back`.',
    },
  );
}
