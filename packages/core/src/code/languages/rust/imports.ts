import type { Outline, OutlineName } from '../tree-sitter/outline.ts';
import { NO_NODE, type SyntaxNode, type SyntaxTree } from '../tree-sitter/syntax-tree.ts';

interface Taken {
  readonly from: readonly string[];
  readonly name: string;
  readonly local: string | null;
}

const MOST_NAMES = 2000;

/** `use a::{b, c as d, e::*}`: an import for each path. Names of modules are names with members. */
export function addUse(walk: Outline, node: SyntaxNode): SyntaxNode {
  const { tree } = walk;
  const argument = tree.child(node, 'argument');
  if (argument === NO_NODE) return tree.next(node);
  const isPublic = tree.childOfType(node, 'visibility_modifier') !== NO_NODE;
  const byPath = new Map<string, OutlineName[]>();
  for (const { from, name, local } of taken(tree, argument)) {
    const path = pathSeen(from, walk.depthOfModules).join('::');
    const exportedAs = isPublic && walk.depthOfModules === 0 ? (name === '*' && local === null ? '*' : local) : null;
    const names = byPath.get(path) ?? [];
    names.push({ name, local, exportedAs });
    byPath.set(path, names);
  }
  const kind = walk.isInFunction ? 'dynamic' : 'static';
  for (const [from, names] of byPath) walk.addImport({ kind, from, names, line: tree.line(node) });
  return tree.next(node);
}

/** `mod a;` is the file `a.rs`. Written as the path `mod::a`, which no `use` can be. */
export function addModule(walk: Outline, node: SyntaxNode): SyntaxNode | undefined {
  const { tree } = walk;
  const name = tree.child(node, 'name');
  if (name === NO_NODE || tree.child(node, 'body') !== NO_NODE) return;
  const local = tree.textOf(name);
  const before = tree.text.slice(Math.max(0, tree.start(node) - 200), tree.start(node));
  // The file has another name, or is there in some builds only.
  const isGuarded = /#\[\s*(?:path|cfg|cfg_attr)\b[^\n]*\]\s*$/.test(before);
  const from = ['mod', ...Array<string>(walk.depthOfModules).fill('?'), local].join('::');
  walk.addImport({
    kind: 'static',
    from,
    names: [{ name: '*', local, exportedAs: walk.depthOfModules === 0 ? local : null }],
    line: tree.line(node),
    isGuarded,
  });
  return tree.next(node);
}

/** `pub extern crate a as b;` */
export function addCrate(walk: Outline, node: SyntaxNode): SyntaxNode {
  const { tree } = walk;
  const name = tree.child(node, 'name');
  const alias = tree.child(node, 'alias');
  if (name === NO_NODE) return tree.next(node);
  const local = tree.textOf(alias === NO_NODE ? name : alias);
  const exportedAs = tree.childOfType(node, 'visibility_modifier') === NO_NODE ? null : local;
  const names = [{ name: '*', local, exportedAs }];
  walk.addImport({ kind: 'static', from: tree.textOf(name), names, line: tree.line(node) });
  return tree.next(node);
}

/** All names of a `use`, without recursion: it may be nested deeply. */
function taken(tree: SyntaxTree, argument: SyntaxNode): Taken[] {
  const found: Taken[] = [];
  const open: { readonly node: SyntaxNode; readonly prefix: readonly string[] }[] = [{ node: argument, prefix: [] }];
  while (open.length > 0 && found.length < MOST_NAMES) {
    const { node, prefix } = open.pop()!;
    const type = tree.type(node);
    if (type === 'use_list') {
      for (const child of tree.children(node).reverse())
        if (/\w/.test(tree.type(child))) open.push({ node: child, prefix });
    } else if (type === 'scoped_use_list') {
      const path = tree.child(node, 'path');
      const list = tree.child(node, 'list');
      if (list !== NO_NODE) open.push({ node: list, prefix: [...prefix, ...pathOf(tree, path)] });
    } else if (type === 'use_wildcard') {
      found.push({ from: [...prefix, ...pathOf(tree, node + 1)], name: '*', local: null });
    } else {
      const isRenamed = type === 'use_as_clause';
      const path = [...prefix, ...pathOf(tree, isRenamed ? tree.child(node, 'path') : node)];
      if (path.at(-1) === 'self') path.pop();
      const name = path.at(-1);
      if (name === undefined) continue;
      const local = isRenamed ? tree.textOf(tree.child(node, 'alias')) : name;
      found.push({ from: path.slice(0, -1), name, local: local === '_' ? null : local });
    }
  }
  return found;
}

function pathOf(tree: SyntaxTree, node: SyntaxNode): string[] {
  return node === NO_NODE
    ? []
    : tree
        .textOf(node)
        .replace(/\s+/g, '')
        .split('::')
        .filter((part) => part !== '');
}

/** In a module inside the file, `super` is the module around it. */
function pathSeen(path: readonly string[], depth: number): readonly string[] {
  if (depth === 0 || path[0] !== 'super') return path;
  const supers = path.findIndex((part) => part !== 'super');
  const count = supers < 0 ? path.length : supers;
  const rest = path.slice(count);
  return count <= depth ? ['self', ...rest] : [...Array<string>(count - depth).fill('super'), ...rest];
}
