/** Damage of the last checkpoint that a capture found on its way, each damaged object once. */

import { showText } from '../../content/show-name.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { SavepointError } from '../../model/errors.ts';
import type { OnDamage } from '../../store/objects/damage.ts';

export class FoundDamage {
  readonly #errors = new Map<string, SavepointError>();

  readonly add: OnDamage = (error) => {
    const key = keyOf(error);
    if (!this.#errors.has(key)) this.#errors.set(key, error);
  };

  get errors(): readonly SavepointError[] {
    return [...this.#errors.values()];
  }
}

/**
 * Returns one message for each damaged object.
 * @param found in the first attempt
 * @param remaining after everything in the folder was read and stored again
 */
export function describeDamage(
  found: readonly SavepointError[],
  remaining: readonly SavepointError[],
  latest: Checkpoint | null,
): readonly string[] {
  const left = new Set(remaining.map(keyOf));
  return found.map((error) => {
    const what = `the store is damaged: ${showText(error.message)}`;
    return left.has(keyOf(error))
      ? `${what} What changed there since ${latest?.id ?? 'the last checkpoint'} is not fully known. ` +
          '`savepoint verify --deep` lists the affected checkpoints'
      : `${what} It was stored again from the folder`;
  });
}

function keyOf(error: SavepointError): string {
  return (error.data as { readonly object?: string }).object ?? error.message;
}
