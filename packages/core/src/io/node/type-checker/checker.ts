/** A type checker that is loaded, whatever its version. */
import type { CheckedStateName, ProblemReason } from '../../type-checker.ts';
import type { StateFiles } from './state-files.ts';

/** An error as the compiler reports it. */
export interface CompilerError {
  /** Absolute; null: it is about the project. */
  readonly file: string | null;
  /** Offsets in the text of the file, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly code: number;
  readonly message: string;
  readonly related: readonly {
    readonly file: string | null;
    readonly start: number;
    readonly message: string;
  }[];
}

/** A project in one state. */
export interface OpenProject {
  /** The files that the project itself names. Absolute. */
  readonly roots: readonly string[];
  /** All files of the program, those of packages too. Absolute. */
  files(): Promise<readonly string[]>;
  /** Empty if the program does not have the file. */
  errorsOf(file: string): Promise<readonly CompilerError[]>;
  /** The errors of all files. Absent: only one file after another. */
  errorsOfAll?(): Promise<readonly CompilerError[]>;
  /** Errors of the configuration, and those that are not about one file. */
  errorsOfProject(): Promise<readonly CompilerError[]>;
  /** It is not asked again. */
  release?(): void;
}

export interface Checker {
  /** @returns null if there is no such configuration in that state. @throws CheckerProblem if it cannot be read */
  open(state: CheckedStateName, config: string): Promise<OpenProject | null>;
  close(): Promise<void>;
}

export type States = Readonly<Record<CheckedStateName, StateFiles>>;

/** Something that cannot be checked. */
export class CheckerProblem extends Error {
  constructor(
    readonly reason: ProblemReason,
    message: string,
  ) {
    super(message);
  }
}
