/** The data of checks: what can be run, and what a run found. */

import type { CheckKind, OutputFormat } from '../config/check-settings.ts';
import type { Outcome } from '../model/check-outcome.ts';
import type { TreePath } from '../model/names.ts';

/** The program of a check. It is looked for in the project's own folders first. */
export interface CheckProgram {
  /** A name, or a path from the check's folder if it has a slash. */
  readonly name: string;
  /** Folders in the check's folder and in each folder above it, for example `node_modules/.bin`. */
  readonly beside: readonly string[];
  /** Whether it may be in the PATH. */
  readonly inPath: boolean;
}

/** A part of the project that says what a check runs. A change of it needs new trust. */
export interface Definition {
  /** The file, one character per byte. */
  readonly file: TreePath;
  /** Which part of the file; null: all of it. */
  readonly part: string | null;
  /** The content of that part. Null: it cannot be known, so the check must not run. */
  readonly text: string | null;
}

export interface Check {
  /** Unique in the project: `tsc`, or `tsc:packages/a`. */
  readonly name: string;
  readonly tool: string;
  readonly kind: CheckKind;
  /** Where the command runs. */
  readonly folder: TreePath;
  readonly program: CheckProgram;
  /** {@link OUTPUT_FILE} in an argument is replaced with a private file outside of the tree. */
  readonly args: readonly string[];
  /** Variables that the command gets in addition. */
  readonly env: Readonly<Record<string, string>>;
  readonly format: OutputFormat;
  readonly definedBy: readonly Definition[];
  /** Text of the project that the command runs, for display: a script or a recipe. */
  readonly runs: string | null;
  /** Runs only if its name or kind is given. */
  readonly onRequest: boolean;
  /** The only paths that it reads, with everything below them. Null: it may read anything. */
  readonly reads: readonly TreePath[] | null;
  /** In milliseconds; null: the default. */
  readonly timeoutMs: number | null;
}

export const OUTPUT_FILE = '{output}';

/** A failure, without what changes between two runs of the same code. */
export interface Finding {
  readonly tool: string;
  /** From the workspace, with slashes; null if the failure is not about a file. Text. */
  readonly path: string | null;
  /** A rule, an error code, or the full name of a test. */
  readonly rule: string | null;
  /** Empty for a test: its name identifies it. */
  readonly message: string;
  /** For display only: with the position and the message of this run. */
  readonly shown: string;
}

export interface CheckResult {
  readonly name: string;
  readonly outcome: Outcome;
  /** Why, if the outcome is neither passed nor failed. One line. */
  readonly why: string | null;
  readonly findings: readonly Finding[];
  /** The number of findings that were left out. */
  readonly omitted: number;
  /** In milliseconds. */
  readonly took: number;
  /** The end of both outputs, at most {@link KEPT_OUTPUT} bytes. Raw: it may contain anything. */
  readonly output: string;
}

export const KEPT_OUTPUT = 64 * 1024;
