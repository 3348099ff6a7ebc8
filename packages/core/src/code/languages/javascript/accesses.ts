/** What becomes of types and chains of members once all names of the file are known. */

import type { Definition, Use } from '../../facts.ts';
import { closedChain } from './chains.ts';
import { type OpenChain, type Scope, UseTable } from './names.ts';
import type { Reading } from './reading.ts';

/** One member of a name of the file. */
const ONE_STEP = /^(:?)([\w$]+)\.([\w$]+)$/;

/** The definitions with the types of those whose type is known. */
export function typedDefinitions({ definitions, types, module }: Reading): readonly Definition[] {
  return definitions.map((one): Definition => {
    const open = types.get(one);
    if (open === undefined) return one;
    const closed = open.types.map((type) => closedChain(type, module));
    const [type = null] = closed;
    const isSure = type !== null && type !== one.name && closed.every((other) => other === type);
    const bases = open.bases?.map((base) => closedChain(base, module)) ?? [null];
    const isComplete = one.hasHiddenMembers === true && bases.every((base) => base !== null);
    return { ...one, ...(isSure ? { type } : {}), ...(isComplete ? { bases } : {}) };
  });
}

/** The members whose object may be of another file's type, without those that imports and the file itself tell already. */
export function accessesOf({ accesses, definitions, lookedFor, module }: Reading): readonly Use[] {
  const uses = new UseTable();
  const own = new Set(definitions.map(({ name, container }) => `${container ?? ''}.${name}`));
  for (const { chain, line, call } of accesses) {
    const text = closedChain(chain, module);
    if (text === null || /^[[~(^]/.test(text) || !/\.[\w$]+$/.test(text)) continue;
    const [, colon, root, member] = ONE_STEP.exec(text) ?? [];
    const isTold = colon === '' ? chain.steps !== '' : own.has(`${root}.${member}`);
    const name = text.slice(text.lastIndexOf('.') + 1);
    if ((root !== undefined && isTold) || lookedFor.has(name)) continue;
    uses.add(text, line, call);
  }
  return uses.all();
}

/** The accesses of things that the code checks to be of a narrower type, anywhere in the scope of their name. */
export function narrowedOf({ accesses, narrowed, module }: Reading): readonly string[] {
  const checked = new Map<Scope, Set<string>>();
  for (const { root, scope, steps } of narrowed) {
    const of = scope.find(root)?.scope;
    if (of !== undefined) checked.set(of, (checked.get(of) ?? new Set()).add(root + steps));
  }
  if (checked.size === 0) return [];
  const texts = accesses.flatMap(({ chain }) => {
    const of = chain.scope.find(chain.root)?.scope;
    const here = of === undefined ? undefined : checked.get(of);
    const isChecked = here !== undefined && beginningsOf(chain).some((one) => here.has(one));
    return isChecked ? (closedChain(chain, module) ?? []) : [];
  });
  return [...new Set(texts)];
}

/** What a chain begins with, up to the object of its last member. */
function beginningsOf({ root, steps }: OpenChain): readonly string[] {
  return [...steps.matchAll(/\./g)].map(({ index }) => root + steps.slice(0, index));
}
