/** Whether the checks of a project may run: each only after a person has trusted exactly what it runs. */

import { createHash } from 'node:crypto';
import type { TrustedCheck } from '../store/state/trust.ts';
import type { Check } from './check.ts';

/** `changed`: what the check runs is not what was trusted under its name. */
export type TrustState = 'trusted' | 'changed' | 'new';

/** Identifies everything that says what a check runs: its command and the parts of files that define it. */
export function digestOf(check: Check): string {
  const { name, folder, program, args, env, format, definedBy, timeoutMs } = check;
  const parts = [name, folder, program, args, Object.entries(env), format, timeoutMs];
  const defined = definedBy.map(({ file, part, text }) => [file, part, text]);
  return createHash('sha256')
    .update(JSON.stringify([...parts, defined]))
    .digest('hex');
}

/** Identifies what a list of checks runs, all together. */
export function digestOfAll(checks: readonly Check[]): string {
  return createHash('sha256').update(checks.map(digestOf).join('\n')).digest('hex');
}

export function trustStateOf(check: Check, trusted: readonly TrustedCheck[]): TrustState {
  const digest = digestOf(check);
  // The same command under another name would still be what a person has seen, but its name is part of the digest.
  if (trusted.some((one) => one.digest === digest)) return 'trusted';
  return trusted.some(({ name }) => name === check.name) ? 'changed' : 'new';
}
