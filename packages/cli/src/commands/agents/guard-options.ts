/** The options of commands that guard. */
import { SavepointError } from '@savepoint/core';
import { type VerbArguments, wholeNumber } from '../../command.ts';

export const CHECK_OPTION = {
  flags: '--check <name>',
  description: 'a check by its name, tool or kind, as `savepoint check` lists it',
  isRepeatable: true,
} as const;

/** @throws SavepointError USAGE */
export function checkNames({ check }: VerbArguments['options']): string[] {
  if (Array.isArray(check) && check.length > 0) return [...(check as readonly string[])];
  const hint = '`savepoint trust --list` shows the checks of this project.';
  throw new SavepointError('USAGE', 'Name at least one check with --check.', { argument: '--check' }, { hint });
}

export function everyOption(given: VerbArguments): 'turn' | number | undefined {
  return given.options['every'] === 'turn' ? 'turn' : wholeNumber(given, 'every', '--every');
}
