import type { Definition } from '../facts.ts';
import { NO_NODE, type SyntaxTree } from './tree-sitter/syntax-tree.ts';

/** What the nodes in a list of parameters mean for the number of arguments. Others are none. */
export interface ParameterTypes {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Any number of arguments. */
  readonly rest: readonly string[];
}

/** @param list {@link NO_NODE}: not known */
export function arityOfList(tree: SyntaxTree, list: number, types: ParameterTypes): Definition['arity'] {
  if (list === NO_NODE) return null;
  let least = 0;
  let optional = 0;
  let isOpen = false;
  for (const child of tree.children(list)) {
    const type = tree.type(child);
    if (types.rest.includes(type)) isOpen = true;
    else if (types.optional.includes(type)) optional++;
    else if (types.required.includes(type)) least++;
  }
  return { least, most: isOpen ? null : least + optional };
}
