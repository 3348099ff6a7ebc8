/**
 * The program that asks the type checker of a project about states that are not on disk, and what is exchanged with it. It
 * runs in a process of its own, because it runs code of the project.
 */

/** Savepoint's own program, as a port. */
export interface TypeCheckerProgram {
  /**
   * Returns how to start it. It reads a {@link TypeCheckRequest} as one line of JSON from its standard input, and prints
   * {@link TypeCheckEvent}s, one a line. Null: this build of Savepoint does not have it.
   *
   * @param heap limit for the heap of its own process, in bytes
   * @param mayStartPrograms whether it may start other programs: the compiler of TypeScript 7 is one. Otherwise, where node
   *   can enforce it, it can neither start programs nor write files.
   */
  start(heap: number, mayStartPrograms: boolean): { readonly file: string; readonly args: readonly string[] } | null;
}

export type CheckedStateName = 'base' | 'proposed';

/** All paths are text. Those of files in the workspace are relative to it, with slashes. */
export interface TypeCheckRequest {
  /** The folder of the workspace. */
  readonly root: string;
  /** The folder of the project's own TypeScript, relative to the workspace. */
  readonly typescript: string;
  /** The `tsconfig.json` files of the projects, also of those that others build on. */
  readonly configs: readonly string[];
  /** Files that differ from the disk, in each state. Null: the file does not exist. */
  readonly files: Readonly<Record<CheckedStateName, Readonly<Record<string, string | null>>>>;
  /** These are checked first, in this order. */
  readonly changed: readonly string[];
  /** These are checked next. */
  readonly importers: readonly string[];
  /** From the paths of renamed files to those that they have in the base. */
  readonly renamed: Readonly<Record<string, string>>;
  /** In milliseconds. It also ends itself, in case that the process that started it no longer can. */
  readonly timeoutMs: number;
  /** In bytes, for its own process. */
  readonly maxMemory: number;
}

/** The order in which files are checked. */
export const CHECK_GROUPS = ['changed', 'importers', 'rest'] as const;

export type CheckGroup = (typeof CHECK_GROUPS)[number];

/** An error that a type checker reports, in its own words. */
export interface CheckerError {
  /** From 1; null: it is about the whole file. */
  readonly line: number | null;
  /** Such as `TS2307`. */
  readonly code: string;
  readonly message: string;
  /** The source text that it is about, shortened. */
  readonly text: string;
  /** For an import that does not resolve: the names that the file gives to what it imports there. */
  readonly names: readonly string[];
  readonly related: readonly RelatedPlace[];
}

export interface RelatedPlace {
  readonly file: string;
  readonly line: number | null;
  readonly message: string;
}

/**
 * - `opened`: the checker is loaded
 * - `file`: errors of a file (or of a project's configuration) in both states. A file without errors is not mentioned.
 * - `group`: a group of files is checked, and how many files it had
 * - `problem`: something cannot be checked, or not completely
 * - `end`: everything is checked
 */
export type TypeCheckEvent =
  | { readonly kind: 'opened'; readonly version: string }
  | {
      readonly kind: 'file';
      readonly group: CheckGroup;
      readonly file: string;
      readonly proposed: readonly CheckerError[];
      readonly base: readonly CheckerError[];
    }
  | { readonly kind: 'group'; readonly group: CheckGroup; readonly files: number }
  | {
      readonly kind: 'problem';
      readonly config: string | null;
      readonly reason: ProblemReason;
      readonly message: string;
    }
  | { readonly kind: 'end' };

export const PROBLEM_REASONS = ['broken-config', 'unsupported-version', 'crashed'] as const;

export type ProblemReason = (typeof PROBLEM_REASONS)[number];

/** On the error output: it ended itself because of `maxMemory`. The runtime says the same if its heap is full. */
export const OUT_OF_MEMORY = 'the type checker is out of memory\n';
