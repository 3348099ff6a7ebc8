import { arityOfList } from '../parameters.ts';
import { type DefinitionRule, field, fields, type Outline, type OutlineRules } from '../tree-sitter/outline.ts';
import { syntaxProblems } from '../tree-sitter/problems.ts';
import { NO_NODE, type SyntaxNode, type SyntaxTree } from '../tree-sitter/syntax-tree.ts';

const BUILTINS =
  'AutoCloseable Boolean Byte CharSequence Character Class ClassCastException Comparable Deprecated Double Enum Error ' +
  'Exception Float FunctionalInterface IllegalArgumentException IllegalStateException IndexOutOfBoundsException Integer ' +
  'InterruptedException Iterable Long Math NullPointerException Number Object Override Record Runnable RuntimeException ' +
  'SafeVarargs Short StackOverflowError String StringBuilder SuppressWarnings System Thread Throwable ' +
  'UnsupportedOperationException Void';

/** Other files can import types in types, and what is static. */
const type: DefinitionRule = { kind: 'class', names: field('name'), isExported: () => true };
const method: DefinitionRule = { kind: 'method', names: field('name'), arity: arityOf, isExported: isStatic };
const variables: DefinitionRule = { kind: 'variable', names: declarators, isExported: isStatic };

export const JAVA_RULES: OutlineRules = {
  language: 'java',
  definitions: {
    class_declaration: type,
    record_declaration: { ...type, arity: arityOf },
    interface_declaration: type,
    enum_declaration: type,
    annotation_type_declaration: type,
    method_declaration: method,
    constructor_declaration: method,
    annotation_type_element_declaration: method,
    field_declaration: variables,
    constant_declaration: { ...variables, isExported: () => true },
    enum_constant: { kind: 'variable', names: field('name'), isExported: () => true },
  },
  scopes: [
    'block',
    'for_statement',
    'enhanced_for_statement',
    'catch_clause',
    'lambda_expression',
    'try_with_resources_statement',
  ],
  locals: {
    formal_parameter: ['name'],
    catch_formal_parameter: ['name'],
    resource: ['name'],
    variable_declarator: ['name'],
    enhanced_for_statement: ['name'],
    inferred_parameters: [],
    instanceof_expression: ['name'],
  },
  names: ['identifier', 'type_identifier'],
  members: {
    method_invocation: { member: 'name', object: 'object' },
    field_access: { member: 'field', object: 'object' },
  },
  others: {
    package_declaration: (walk, node) => walk.tree.next(node),
    import_declaration: addImport,
    lambda_expression: bindParameter,
    method_reference: useMethod,
    type_parameter: bindFirst,
    type_pattern: bindLast,
    scoped_type_identifier: useNested,
  },
  builtins: new Set(BUILTINS.split(' ')),
  problems: (tree) =>
    syntaxProblems(tree, (line) => /\b(?:when|_)\b|\bimport\s+module\b|^\s*(?:void|static void)\s+main\b/.test(line)),
  // The other files of the package.
  begin: (walk) => walk.addImport({ kind: 'static', from: '.', names: [{ name: '*', local: null }], line: 1 }),
};

/** `import static a.B.c` takes `c` of the class, and so does the import of a class in a class. */
function addImport(walk: Outline, node: SyntaxNode): SyntaxNode {
  const { tree } = walk;
  const match = /^import\s+(static\s+)?([\w.\s]+?)\s*(\.\s*\*)?\s*;?$/.exec(tree.textOf(node));
  const line = tree.line(node);
  if (match !== null) {
    const path = match[2]!.replace(/\s+/g, '').split('.');
    const last = path.at(-1)!;
    if (match[3] !== undefined)
      walk.addImport({ kind: 'static', from: path.join('.'), names: [{ name: '*', local: null }], line });
    else {
      const from = match[1] === undefined ? path : path.slice(0, -1);
      walk.addImport({ kind: 'static', from: from.join('.'), names: [{ name: last, local: last }], line });
    }
  }
  return tree.next(node);
}

function bindParameter(walk: Outline, node: SyntaxNode): undefined {
  const parameters = walk.tree.child(node, 'parameters');
  if (parameters === NO_NODE || walk.tree.type(parameters) !== 'identifier') return;
  walk.enterScope(node, true);
  walk.bindIn(parameters);
}

function bindFirst(walk: Outline, node: SyntaxNode): undefined {
  const name = walk.tree.childOfType(node, 'type_identifier');
  if (name !== NO_NODE) walk.bindIn(name);
}

function bindLast(walk: Outline, node: SyntaxNode): undefined {
  const name = walk.tree.childOfType(node, 'identifier');
  if (name !== NO_NODE) walk.bindIn(name);
}

/** `this::close` */
function useMethod(walk: Outline, node: SyntaxNode): undefined {
  const { tree, memberUses, handled } = walk;
  const last = tree.children(node).at(-1);
  if (last === undefined || tree.type(last) !== 'identifier') return;
  memberUses.add(tree.textOf(last), tree.line(last));
  handled.add(last);
}

/** `Outer.Inner` */
function useNested(walk: Outline, node: SyntaxNode): undefined {
  const { tree } = walk;
  const [outer, , inner] = tree.children(node);
  if (outer === undefined || inner === undefined || tree.type(inner) !== 'type_identifier') return;
  walk.memberUses.add(tree.textOf(inner), tree.line(inner));
  walk.handled.add(inner);
  if (tree.type(outer) === 'type_identifier') walk.use(outer, tree.textOf(inner));
}

function declarators(tree: SyntaxTree, node: SyntaxNode): SyntaxNode[] {
  return fields(tree, node, 'declarator')
    .map((each) => tree.child(each, 'name'))
    .filter((name) => name !== NO_NODE);
}

function isStatic(tree: SyntaxTree, node: SyntaxNode): boolean {
  const modifiers = tree.childOfType(node, 'modifiers');
  return modifiers !== NO_NODE && /\bstatic\b/.test(tree.textOf(modifiers));
}

function arityOf(tree: SyntaxTree, node: SyntaxNode) {
  return arityOfList(tree, tree.child(node, 'parameters'), {
    required: ['formal_parameter'],
    optional: [],
    rest: ['spread_parameter'],
  });
}
