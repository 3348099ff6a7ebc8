/** What the type checkers of a project say about a proposed state, and what cannot be said. */

import type { CodeFinding } from '../../code/finding.ts';
import type { CheckGroup } from '../../io/type-checker.ts';
import type { TreePath } from '../../model/names.ts';

/**
 * - `no-config`: the project has no type checker that is known, or names no files for it
 * - `not-trusted`: a person has not trusted the check that runs it
 * - `not-installed`: it is not in a dependency folder of the workspace
 * - `unsupported-version`: its version is not known
 * - `broken-config`: its configuration has errors. What could be understood of it was used.
 * - `crashed`, `timed-out`, `out-of-memory`: it did not end by itself
 * - `not-available`: this machine or build cannot run it
 * - `too-large`: what was changed is too large to be handed over
 * - `no-base`: there are failures, and which of them are new is not known
 * - `not-run`: it looks only at files on disk, and no copy was made for it, or its check was not wanted
 */
export const TYPE_UNSAID_REASONS = [
  'no-config',
  'not-trusted',
  'not-installed',
  'unsupported-version',
  'broken-config',
  'crashed',
  'timed-out',
  'out-of-memory',
  'not-available',
  'too-large',
  'no-base',
  'not-run',
] as const;

export type UnsaidReason = (typeof TYPE_UNSAID_REASONS)[number];

/** Something that cannot be said, or not completely. */
export interface Unsaid {
  readonly reason: UnsaidReason;
  /** Such as `typescript`; null: there is none. */
  readonly tool: string | null;
  /** The check, file or folder that it is about; '' is the workspace itself. */
  readonly path: TreePath;
  /** One sentence. It may quote the project's tools. */
  readonly message: string;
}

export interface TypeFindings {
  /** Those of changed files first, then those of importers, then the rest. */
  readonly findings: readonly CodeFinding[];
  /** More findings than that are only counted. */
  readonly omitted: number;
  /** The number of files in each group that is checked. A group that is missing is not, or not completely. */
  readonly checked: Partial<Readonly<Record<CheckGroup, number>>>;
  readonly unsaid: readonly Unsaid[];
}

/** A part of a proposed state, in memory, over the files on disk. Null: the file does not exist in it. */
export type FilesOverDisk = ReadonlyMap<TreePath, Uint8Array | null>;

/** Of all source files of both states that are not as on disk. */
export const MAX_SOURCE_BYTES = 64 * 1024 * 1024;

/** Whether compilers of TypeScript look at a file. */
export function isReadByCompilers(path: string): boolean {
  return /\.(?:[cm]?[jt]sx?|json)$/.test(path);
}

export interface TypeLimits {
  /** For each checker, in milliseconds. */
  readonly timeoutMs: number;
  /** For each checker with everything that it starts, in bytes. */
  readonly maxMemory: number;
}

export const DEFAULT_TYPE_LIMITS: TypeLimits = { timeoutMs: 5 * 60_000, maxMemory: 4 * 1024 ** 3 };

export const NOTHING_FOUND: TypeFindings = { findings: [], omitted: 0, checked: {}, unsaid: [] };

/** Joins what several checkers say. */
export function joined(one: TypeFindings, other: TypeFindings): TypeFindings {
  const { length } = one.findings;
  const groups = [
    ...new Set([...Object.keys(one.checked), ...Object.keys(other.checked)]),
  ] as (keyof typeof one.checked)[];
  return {
    findings: [...one.findings, ...other.findings.map((finding) => later(finding, length))],
    omitted: one.omitted + other.omitted,
    checked: Object.fromEntries(
      groups.map((group) => [group, (one.checked[group] ?? 0) + (other.checked[group] ?? 0)]),
    ),
    unsaid: [...one.unsaid, ...other.unsaid],
  };
}

/** @param before how many findings come before those of its checker */
export function later(finding: CodeFinding, before: number): CodeFinding {
  return finding.follows === null ? finding : { ...finding, follows: finding.follows + before };
}
