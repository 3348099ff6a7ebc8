/**
 * A folder in which nothing has changed, as a process that watches the workspace reports it to another one. Only what
 * is usual is passed on: every other folder is scanned.
 */

import { JsonProblem, readJson } from '../../content/strict-json.ts';
import type { CaptureCounts } from '../../model/checkpoint.ts';
import { isObjectId } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';
import type { FolderRef } from '../../store/snapshot/snapshot.ts';
import { Findings } from './findings.ts';
import { KnownFolder } from './known-folder.ts';
import type { VisitedFolder } from './scan-memory.ts';
import { WrittenFolder } from './written-folder.ts';

/** It is compared only where the result depends on it, and such folders are not passed on. */
const NOT_COMPARED: VisitedFolder['context']['tracked'] = {};

/** In JSON: path, `files` tree, `side` tree, key of the rules above, whether an ignore rule covers it, inode, counts. */
type Passed = readonly [string, string, string | null, string, boolean, number, readonly number[]];

const COUNTS = ['files', 'links', 'folders', 'bytes', 'skipped'] as const satisfies readonly (keyof CaptureCounts)[];

/** Whether the folder and all below it is nothing but files, links and folders that are captured or ignored. */
export function isUsual({ findings, context, inDoubt, linked }: VisitedFolder): boolean {
  return (
    !inDoubt &&
    linked === null &&
    !findings.dependsOnTracked &&
    !context.isMount &&
    context.dependencyAbove === null &&
    Object.values(findings.lists).every(({ length }) => length === 0)
  );
}

/** @param folders that are usual */
export function textOfUnchanged(folders: readonly (readonly [TreePath, VisitedFolder])[]): string {
  const passed = folders.map(([path, { written, findings, context }]): Passed => {
    const { files, side } = written.ref;
    const counts = COUNTS.map((name) => findings.counts[name]);
    return [path, files, side, context.rules, context.covered, context.inode, counts];
  });
  return JSON.stringify(passed);
}

/** @returns null if the text, which comes from another process, is not such an answer */
export function unchangedIn(text: string): ReadonlyMap<TreePath, VisitedFolder> | null {
  let folders: unknown;
  try {
    folders = readJson(text, { keys: 'any' });
  } catch (error) {
    if (error instanceof JsonProblem) return null;
    throw error;
  }
  if (!Array.isArray(folders) || !folders.every(isPassed)) return null;
  return new Map(folders.map((one) => [one[0] as TreePath, visitedFolder(one)]));
}

function isPassed(value: unknown): value is Passed {
  if (!Array.isArray(value) || value.length !== 7) return false;
  const [path, files, side, rules, covered, inode, counts] = value as unknown[];
  const isId = (id: unknown): boolean => typeof id === 'string' && isObjectId(id);
  const isCount = (count: unknown): boolean => Number.isSafeInteger(count) && (count as number) >= 0;
  return (
    typeof path === 'string' &&
    path !== '' &&
    isId(files) &&
    (side === null || isId(side)) &&
    typeof rules === 'string' &&
    typeof covered === 'boolean' &&
    typeof inode === 'number' &&
    Array.isArray(counts) &&
    counts.length === COUNTS.length &&
    counts.every(isCount)
  );
}

function visitedFolder([path, files, side, rules, covered, inode, counts]: Passed): VisitedFolder {
  const ref = { kind: 'folder', files, side } as FolderRef;
  const known = KnownFolder.of({ path: path as TreePath, rules: '', mode: 0, ref: null, names: [] });
  const findings = new Findings();
  for (const [index, name] of COUNTS.entries()) findings.counts[name] = counts[index] as number;
  return {
    written: new WrittenFolder(ref, known, true),
    findings,
    context: { rules, covered, dependencyAbove: null, isMount: false, inode, tracked: NOT_COMPARED },
    inDoubt: false,
    linked: null,
  };
}
