import type { Call } from '../../facts.ts';
import { NO_NODE, type SyntaxNode } from '../tree-sitter/syntax-tree.ts';
import { noteStarNames } from './assignments.ts';
import { literalText } from './strings.ts';
import type { PythonWalk } from './walk.ts';

const LONGEST_FUNCTION = 80;
const LOADS_MODULE = /(?:^|\.)(?:import_module|__import__|importorskip)$/;
const TAKES_MEMBER =
  /^(?:getattr|hasattr|setattr|delattr)$|(?:^|\.)(?:patch\.object|setattr|delattr|attrgetter|methodcaller)$/;
/** Their keywords are members of what they make. */
const NAMES_MEMBERS = /Mock$|(?:^|\.)(?:SimpleNamespace|replace|_replace|configure_mock|create_autospec)$/;
const HIDES_EXPORTS = /^(?:globals|locals|vars|exec)$/;

/** Calls that load modules, take the names of members, or change what the module exports. */
export function readCall(walk: PythonWalk, node: SyntaxNode): undefined {
  const { tree, scopes, memberUses, imports, handled } = walk;
  const callee = tree.child(node, 'function');
  const args = tree.child(node, 'arguments');
  if (callee === NO_NODE || args === NO_NODE) return;
  walk.calls.set(callee, callOf(walk, node, args));
  if (tree.end(callee) - tree.start(callee) > LONGEST_FUNCTION) return;
  const name = tree.textOf(callee);
  if (LOADS_MODULE.test(name)) {
    const module = literalArgument(walk, args, 0);
    if (module === null) return;
    handled.add(module.node);
    imports.addCall(module.text, tree.line(node), name.endsWith('importorskip') || walk.guarded.includes(node));
  } else if (TAKES_MEMBER.test(name)) {
    const member = literalArgument(walk, args, /attrgetter|methodcaller/.test(name) ? 0 : 1);
    if (member !== null && name.endsWith('setattr')) walk.memberNames.add(member.text);
    if (member !== null && /^\w+$/.test(member.text)) memberUses.add(member.text, tree.line(member.node));
    if (name === 'setattr' && /^\(\s*sys\.modules/.test(tree.textOf(args))) walk.hasHiddenExports = true;
  } else if (NAMES_MEMBERS.test(name))
    for (const each of walk.calls.get(callee)?.names ?? []) walk.memberNames.add(each);
  else if (HIDES_EXPORTS.test(name) && scopes.current === scopes.module) walk.hasHiddenExports = true;
  else if (/^__all__\.(?:extend|append|insert)$/.test(name)) noteStarNames(walk, args);
}

function callOf({ tree }: PythonWalk, node: SyntaxNode, args: SyntaxNode): Call {
  const line = tree.line(node);
  if (tree.type(args) !== 'argument_list') return { line, arguments: 1, isOpen: false };
  const names: string[] = [];
  let count = 0;
  let isOpen = false;
  for (const child of tree.children(args)) {
    const type = tree.type(child);
    if (/^[(),]$|^comment$/.test(type)) continue;
    if (type === 'list_splat' || type === 'dictionary_splat') {
      isOpen = true;
      continue;
    }
    count++;
    const name = type === 'keyword_argument' ? tree.child(child, 'name') : NO_NODE;
    if (name !== NO_NODE) names.push(tree.textOf(name));
  }
  return { line, arguments: count, isOpen, ...(names.length > 0 ? { names } : {}) };
}

function literalArgument({ tree }: PythonWalk, args: SyntaxNode, index: number) {
  const given = tree.children(args).filter((child) => !/^[(),]$|^comment$/.test(tree.type(child)));
  const node = given[index];
  if (node === undefined || tree.type(node) !== 'string') return null;
  const text = literalText(tree.textOf(node));
  return text === null ? null : { node, text };
}
