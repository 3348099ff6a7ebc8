import type { TreePath } from '../../model/names.ts';
import type { Arity, Call } from '../facts.ts';

/** Whether a call may have these arguments. */
export function fits(call: Call, { least, most }: Arity): boolean {
  if (most !== null && call.arguments > most) return false;
  return call.isOpen || call.arguments >= least;
}

export function inWords(arity: Arity | null): string {
  if (arity === null) return 'other arguments';
  const { least, most } = arity;
  const number = most === null ? `at least ${least}` : least === most ? `${least}` : `${least} to ${most}`;
  return `${number} ${number === '1' ? 'argument' : 'arguments'}`;
}

/** Whether the language of a file refuses calls with other numbers of arguments. */
export function isTyped(path: TreePath): boolean {
  return /\.[cm]?tsx?$|\.py$/.test(path);
}
