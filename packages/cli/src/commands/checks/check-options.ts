/** The options of commands that run checks. */

import { type VerbArguments, wholeNumber } from '../../command.ts';
import { DEPENDENCY_OPTION, dependenciesIn } from '../copies/dependency-option.ts';

export const ONLY = {
  flags: '--only <name>',
  description: 'only this check, tool or kind, for example tests',
  isRepeatable: true,
} as const;
export const LIMITS = [
  { flags: '--timeout <seconds>', description: 'for each check (default: 600)' },
  { flags: '--max-memory <number>', description: 'in megabytes, for each check, on Linux (default: 8192)' },
  DEPENDENCY_OPTION,
] as const;

/** The input of verbs that run checks. */
export function checkInput(given: VerbArguments) {
  const { only } = given.options;
  return {
    ...(Array.isArray(only) ? { only: [...only] } : {}),
    ...limitsIn(given),
    ...dependenciesIn(given.options),
  };
}

/** The limits of programs that run. */
export function limitsIn(given: VerbArguments) {
  const timeoutSeconds = wholeNumber(given, 'timeout', '--timeout');
  const maxMemoryMb = wholeNumber(given, 'maxMemory', '--max-memory');
  return {
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(maxMemoryMb === undefined ? {} : { maxMemoryMb }),
  };
}
