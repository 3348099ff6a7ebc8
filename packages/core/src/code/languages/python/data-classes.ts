import { NO_NODE, type SyntaxNode } from '../tree-sitter/syntax-tree.ts';
import type { PythonWalk } from './walk.ts';

/** The `__init__` that `@dataclass` makes of the fields. Notes that a class is one. */
export function noteDataClass({ tree, fields }: PythonWalk, outer: SyntaxNode, name: string): void {
  if (tree.type(outer) !== 'decorated_definition') return;
  const decorators = tree.children(outer).filter((child) => tree.type(child) === 'decorator');
  const text = decorators.map((each) => tree.textOf(each)).find((each) => /^@(?:dataclasses\.)?dataclass\b/.test(each));
  // With other options, the parameters are others.
  if (text !== undefined && !/\b(?:init|kw_only)\s*=/.test(text)) fields.set(name, []);
}

/** `name: type` or `name: type = default` in a data class. */
export function noteField({ tree, scopes, fields }: PythonWalk, node: SyntaxNode, left: SyntaxNode): void {
  const { kind, name } = scopes.current;
  const made = kind === 'class' && name !== null ? fields.get(name) : undefined;
  const type = tree.child(node, 'type');
  if (made === undefined || type === NO_NODE || tree.type(left) !== 'identifier') return;
  if (/\b(?:ClassVar|KW_ONLY|InitVar)\b/.test(tree.textOf(type))) {
    if (!/ClassVar/.test(tree.textOf(type))) fields.delete(name!);
    return;
  }
  const value = tree.child(node, 'right');
  const text = value === NO_NODE ? '' : tree.textOf(value);
  const isField = /^(?:dataclasses\.)?field\(/.test(text);
  if (isField && /\b(?:init|kw_only)\s*=/.test(text)) {
    if (!/\binit\s*=\s*False/.test(text)) fields.delete(name!);
    return;
  }
  const isOptional = isField ? /\bdefault(?:_factory)?\s*=/.test(text) : value !== NO_NODE;
  made.push({ name: tree.textOf(left), isOptional, by: 'either' });
}
