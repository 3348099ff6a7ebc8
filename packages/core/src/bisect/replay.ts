/** Goes through the states between two checkpoints, in order, and runs a command at each if one is given. */

import type { DiskPath } from '../model/names.ts';
import type { CommandRun } from './copy-seat.ts';
import type { Step } from './steps.ts';

/** A state that was reached. */
export interface ReplayStep extends Step {
  /** Its place among all states, from 1. */
  readonly number: number;
  /** Where the files of the state are, until the next step. Null: no copy is needed. */
  readonly files: DiskPath | null;
  /** Null if no command is given, or the state could not be made. */
  readonly run: CommandRun | null;
  /** Why the state could not be made; null if it could. */
  readonly problem: string | null;
}

export type ReplayAnswer = 'next' | 'stop';
