/** How users resolve conflicts: the same options in restore, undo and redo. */
import type { JsonName } from '@savepoint/core';
import { nameOfArgument } from '../../argument-path.ts';
import type { CliOptionSpec, VerbArguments } from '../../command.ts';

export const CONFLICT_OPTIONS: readonly CliOptionSpec[] = [
  { flags: '--ours <path>', description: 'on a conflict in this path, keep the current lines', isRepeatable: true },
  {
    flags: '--theirs <path>',
    description: 'on a conflict in this path, take the lines of the operation',
    isRepeatable: true,
  },
  { flags: '--skip-conflicts', description: 'leave paths alone that do not merge, and do the rest' },
];

export function conflictInput(options: VerbArguments['options']): {
  ours?: JsonName[];
  theirs?: JsonName[];
  skipConflicts?: true;
} {
  const { ours, theirs, skipConflicts } = options;
  return {
    ...(Array.isArray(ours) ? { ours: ours.map((path: string) => nameOfArgument(path)) } : {}),
    ...(Array.isArray(theirs) ? { theirs: theirs.map((path: string) => nameOfArgument(path)) } : {}),
    ...(skipConflicts === true ? { skipConflicts } : {}),
  };
}
