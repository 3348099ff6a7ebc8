import type { DefinitionKind } from '../../facts.ts';
import { NO_NODE, type SyntaxNode } from '../tree-sitter/syntax-tree.ts';
import { pythonVariable } from './definitions.ts';
import type { Scope } from './scopes.ts';
import { literalText } from './strings.ts';
import type { PythonWalk } from './walk.ts';

/** Binds the names in a target, such as `a, (b, *c)`. What is before a dot or a bracket is used, not bound. */
export function bindTarget(walk: PythonWalk, target: SyntaxNode, scope?: Scope): void {
  const { tree, scopes, handled } = walk;
  for (const node of boundIn(walk, target)) {
    if (tree.type(node) !== 'identifier') continue;
    handled.add(node);
    scopes.bind(tree.textOf(node), null, scope);
  }
}

/** Adds definitions for the variables of modules and classes in a target, and for attributes of `self`. */
export function defineVariables(
  walk: PythonWalk,
  target: SyntaxNode,
  type: SyntaxNode,
  kind: DefinitionKind = 'variable',
): void {
  const { tree, scopes, handled } = walk;
  for (const node of boundIn(walk, target)) {
    if (tree.type(node) === 'identifier') {
      const home = scopes.current.declared.get(tree.textOf(node)) ?? scopes.current;
      if (home.kind === 'module' || home.kind === 'class') define(walk, node, { container: home.name, type, kind });
    } else if (tree.type(node) === 'attribute') {
      const object = tree.child(node, 'object');
      const member = tree.child(node, 'attribute');
      if (member !== NO_NODE) walk.memberNames.add(tree.textOf(member));
      const around = scopes.classAround;
      if (around === null || object === NO_NODE || member === NO_NODE) continue;
      if (!/^(?:self|cls)$/.test(tree.textOf(object))) continue;
      handled.add(member);
      define(walk, member, { container: around.name, type, kind });
    }
  }
}

/** What `__all__` gets. @param value {@link NO_NODE}: nothing */
export function noteStarNames(walk: PythonWalk, value: SyntaxNode): void {
  const { tree, scopes } = walk;
  if (value === NO_NODE) return;
  walk.starNamesAre ??= 'known';
  for (let node = value; node < tree.next(value); ) {
    const type = tree.type(node);
    if (type === 'string') {
      const name = literalText(tree.textOf(node));
      if (name === null) walk.starNamesAre = 'unknown';
      else {
        walk.starNames.push(name);
        scopes.useIfBound([name], tree.line(node));
      }
      node = tree.next(node);
      continue;
    }
    if (type === 'identifier' || type === 'call') walk.starNamesAre = 'unknown';
    node++;
  }
}

function define(
  walk: PythonWalk,
  name: SyntaxNode,
  {
    container,
    type,
    kind,
  }: { readonly container: string | null; readonly type: SyntaxNode; readonly kind: DefinitionKind },
): void {
  const key = `${container ?? ''}.${walk.tree.textOf(name)}`;
  if (walk.variables.has(key)) return;
  walk.variables.add(key);
  walk.definitions.push({ ...pythonVariable(walk.tree, name, container, type), kind });
}

/** The names, attributes and subscripts that a target consists of. */
function boundIn({ tree }: PythonWalk, target: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  if (target === NO_NODE) return found;
  for (let node = target; node < tree.next(target); ) {
    const type = tree.type(node);
    const isWhole = type === 'identifier' || type === 'attribute' || type === 'subscript' || type === 'call';
    if (isWhole) found.push(node);
    node = isWhole ? tree.next(node) : node + 1;
  }
  return found;
}
