import type { TreePath } from '../../model/names.ts';
import type { Arity, Call, Parameter } from '../facts.ts';
import { isTypeScript } from '../languages/javascript/is-typescript.ts';

/** Whether a call may have these arguments. */
export function fits(call: Call, { least, most, parameters }: Arity): boolean {
  if (most !== null && call.arguments > most) return false;
  if (!call.isOpen && call.arguments < least) return false;
  return parameters === undefined || fitsNames(call, parameters);
}

export function inWords(arity: Arity | null): string {
  if (arity === null) return 'other arguments';
  const { least, most } = arity;
  const number = most === null ? `at least ${least}` : least === most ? `${least}` : `${least} to ${most}`;
  return `${number} ${number === '1' ? 'argument' : 'arguments'}`;
}

/** Whether the language of a file refuses calls with other numbers of arguments. */
export function isTyped(path: TreePath): boolean {
  return isTypeScript(path) || path.endsWith('.py');
}

/** In languages where arguments are given by place or by name. */
function fitsNames(call: Call, parameters: readonly Parameter[]): boolean {
  const names = call.names ?? [];
  const byPlace = call.arguments - names.length;
  const places = parameters.filter(({ by }) => by === 'place' || by === 'either');
  const takes = (kind: Parameter['by']) => parameters.some(({ by }) => by === kind);
  if (byPlace > places.length && !takes('rest')) return false;
  const named = parameters.filter(({ by }) => by === 'either' || by === 'name');
  if (!takes('names') && !names.every((name) => named.some((each) => each.name === name))) return false;
  if (call.isOpen) return true;
  const given = new Set([...places.slice(0, byPlace).map(({ name }) => name), ...names]);
  return parameters.every(({ name, isOptional }) => isOptional || given.has(name));
}
