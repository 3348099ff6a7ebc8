import type { Definition, DefinitionKind, Export, FileFacts, Import, ImportKind, SyntaxProblem } from '../../facts.ts';
import { UseCounter } from '../use-counter.ts';
import type { TreeReader } from './grammar.ts';
import { NO_NODE, type SyntaxNode, type SyntaxTree } from './syntax-tree.ts';

/** What the nodes of a grammar mean. Enough for languages whose findings are not measured. */
export interface OutlineRules {
  readonly language: string;
  readonly definitions: Readonly<Record<string, DefinitionRule>>;
  /** Nodes with names of their own, other than definitions: blocks, loops, functions without names. */
  readonly scopes: readonly string[];
  /** Nodes that bind names in the scope around them: the fields with the names. Empty: the node itself. */
  readonly locals: Readonly<Record<string, readonly string[]>>;
  /** Leaves that are uses of names. */
  readonly names: readonly string[];
  readonly members: Readonly<Record<string, MemberRule>>;
  /** Imports, and what is peculiar. Returns where to go on, if not in the node. */
  readonly others: Readonly<Record<string, (walk: Outline, node: SyntaxNode) => SyntaxNode | undefined>>;
  /** Names that need no definition. */
  readonly builtins: ReadonlySet<string>;
  /** Syntax errors, where the grammar can be trusted. */
  problems(tree: SyntaxTree): readonly SyntaxProblem[];
  /** Called before the walk. */
  begin?(walk: Outline): void;
}

export interface DefinitionRule {
  readonly kind: DefinitionKind;
  /** The kind, where the type of the node does not tell. */
  kindOf?(tree: SyntaxTree, node: SyntaxNode): DefinitionKind;
  /** The nodes of the names. None: it defines nothing. */
  names(tree: SyntaxTree, node: SyntaxNode): readonly SyntaxNode[];
  /** Its container, if that is not what it is in. */
  container?(tree: SyntaxTree, node: SyntaxNode): string | null;
  arity?(tree: SyntaxTree, node: SyntaxNode): Definition['arity'];
  /** Whether other files can use it. Absent: if it is not a member. */
  isExported?(tree: SyntaxTree, node: SyntaxNode, name: string): boolean;
}

/** The fields of a node that is a member of something. */
export interface MemberRule {
  readonly member: string;
  /** Absent: it cannot be said of what. */
  readonly object?: string;
}

/** A name that an import takes. */
export interface OutlineName {
  readonly name: string;
  readonly local: string | null;
  readonly exportedAs?: string | null;
}

export interface OutlineImport {
  readonly kind: ImportKind;
  readonly from: string;
  readonly names: readonly OutlineName[];
  readonly line: number;
  readonly isGuarded?: boolean;
}

interface Scope {
  readonly parent: Scope | null;
  readonly end: SyntaxNode;
  readonly isInFunction: boolean;
  readonly names: Set<string>;
}

interface Container {
  readonly name: string;
  readonly kind: DefinitionKind;
  readonly end: SyntaxNode;
}

const LONGEST_SIGNATURE = 1000;

/** Makes the reader of the facts of a language from its rules. */
export function outlineReader(rules: OutlineRules): (tree: SyntaxTree) => TreeReader {
  return (tree) => {
    const handlers = tree.byType(handlersOf(rules));
    return () => {
      const walk = new Outline(tree, rules);
      rules.begin?.(walk);
      for (let node = 0; node < tree.count; ) {
        walk.reach(node);
        node = tree.handlerOf(handlers, node)?.(walk, node) ?? node + 1;
      }
      return walk.facts();
    };
  };
}

/** The walk through one file. */
export class Outline {
  readonly tree: SyntaxTree;
  readonly handled = new Set<SyntaxNode>();
  readonly memberUses = new UseCounter();
  readonly #rules: OutlineRules;
  readonly #containers: Container[] = [];
  readonly #definitions: Definition[] = [];
  readonly #exports: Export[] = [];
  readonly #imports: (OutlineImport & { readonly members: readonly UseCounter[] })[] = [];
  readonly #imported = new Map<string, UseCounter[]>();
  readonly #uses: {
    readonly name: string;
    readonly member: string | null;
    readonly line: number;
    readonly scope: Scope;
  }[] = [];
  #scope: Scope;

  constructor(tree: SyntaxTree, rules: OutlineRules) {
    this.tree = tree;
    this.#rules = rules;
    this.#scope = { parent: null, end: tree.count, isInFunction: false, names: new Set() };
  }

  /** The innermost container, such as the class that the walk is in. */
  get container(): string | null {
    return this.#containers.at(-1)?.name ?? null;
  }

  /** The modules and namespaces that the walk is in. */
  get depthOfModules(): number {
    return this.#containers.filter(({ kind }) => kind === 'module').length;
  }

  get isInFunction(): boolean {
    return this.#scope.isInFunction;
  }

  reach(node: SyntaxNode): void {
    while (this.#scope.parent !== null && node >= this.#scope.end) this.#scope = this.#scope.parent;
    while (this.#containers.length > 0 && node >= this.#containers.at(-1)!.end) this.#containers.pop();
  }

  enterScope(node: SyntaxNode, isFunction: boolean): void {
    const isInFunction = this.#scope.isInFunction || isFunction;
    this.#scope = { parent: this.#scope, end: this.tree.next(node), isInFunction, names: new Set() };
  }

  enterContainer(node: SyntaxNode, name: string, kind: DefinitionKind): void {
    this.#containers.push({ name, kind, end: this.tree.next(node) });
  }

  /** Binds all names in a node in the current scope, if it is not that of the file. */
  bindIn(node: SyntaxNode): void {
    if (node === NO_NODE) return;
    for (let at = node; at < this.tree.next(node); ) {
      const type = this.tree.type(at);
      if (this.#rules.members[type] !== undefined) {
        at = this.tree.next(at);
        continue;
      }
      if (this.#rules.names.includes(type) && !this.handled.has(at)) {
        this.handled.add(at);
        if (this.#scope.parent !== null) this.#scope.names.add(this.tree.textOf(at));
      }
      at++;
    }
  }

  define(node: SyntaxNode, rule: DefinitionRule): void {
    const { tree } = this;
    const names = rule.names(tree, node);
    const kind = rule.kindOf?.(tree, node) ?? rule.kind;
    const container = rule.container === undefined ? this.container : rule.container(tree, node);
    for (const nameNode of names) {
      for (let at = nameNode; at < tree.next(nameNode); at++) this.handled.add(at);
      const name = tree.textOf(nameNode);
      if (this.#scope.isInFunction) {
        this.#scope.names.add(name);
        continue;
      }
      const isMember = container !== null && this.#containers.at(-1)?.kind !== 'module';
      this.addDefinition({
        name,
        kind: kind === 'function' && isMember ? 'method' : kind,
        container,
        line: tree.line(nameNode),
        endLine: tree.endLine(node),
        signature: headOf(tree, node, kind),
        arity: rule.arity?.(tree, node) ?? null,
      });
      if (rule.isExported?.(tree, node, name) ?? !isMember) this.addExport(name, tree.line(nameNode));
    }
  }

  addDefinition(definition: Definition): void {
    this.#definitions.push(definition);
  }

  addExport(name: string, line: number): void {
    this.#exports.push({ name, local: name, line });
  }

  addImport(made: OutlineImport): void {
    const members = made.names.map(() => new UseCounter());
    made.names.forEach(({ local }, index) => {
      if (local !== null) this.#imported.set(local, [...(this.#imported.get(local) ?? []), members[index]!]);
    });
    this.#imports.push({ ...made, members });
  }

  /** @param member what is used of it */
  use(node: SyntaxNode, member: string | null = null): void {
    this.handled.add(node);
    this.#uses.push({ name: this.tree.textOf(node), member, line: this.tree.line(node), scope: this.#scope });
  }

  facts(): FileFacts {
    const uses = new UseCounter();
    for (const { name, member, line, scope } of this.#uses) {
      if (isBound(name, scope)) continue;
      if (!this.#rules.builtins.has(name)) uses.add(name, line);
      if (member !== null) for (const members of this.#imported.get(name) ?? []) members.add(member, line);
    }
    return {
      language: this.#rules.language,
      imports: this.#imports.map(finished),
      exports: this.#exports,
      hasHiddenExports: false,
      definitions: this.#definitions,
      uses: uses.all(),
      memberUses: this.memberUses.all(),
      problems: this.#rules.problems(this.tree),
    };
  }
}

/** The first child with a field, as a list. */
export function field(name: string): (tree: SyntaxTree, node: SyntaxNode) => SyntaxNode[] {
  return (tree, node) => {
    const found = tree.child(node, name);
    return found === NO_NODE ? [] : [found];
  };
}

/** All children with a field. */
export function fields(tree: SyntaxTree, node: SyntaxNode, name: string): SyntaxNode[] {
  return tree.children(node).filter((child) => tree.hasField(child, name) && tree.type(child) !== ',');
}

/** Text in one line. */
export function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

type Handler = (walk: Outline, node: SyntaxNode) => SyntaxNode | undefined;

function handlersOf(rules: OutlineRules): Record<string, Handler> {
  const handlers: Record<string, Handler> = {};
  const add = (type: string, handler: Handler) => {
    const before = handlers[type];
    handlers[type] = before === undefined ? handler : (walk, node) => before(walk, node) ?? handler(walk, node);
  };
  for (const [type, handler] of Object.entries(rules.others)) add(type, handler);
  for (const [type, rule] of Object.entries(rules.definitions))
    add(type, (walk, node) => enterDefinition(walk, node, rule));
  for (const type of rules.scopes) add(type, (walk, node) => void walk.enterScope(node, true));
  for (const [type, names] of Object.entries(rules.locals)) add(type, (walk, node) => bindLocals(walk, node, names));
  for (const [type, rule] of Object.entries(rules.members))
    add(type, (walk, node) => useMember(walk, node, rule, rules));
  for (const type of rules.names) add(type, useName);
  return handlers;
}

function enterDefinition(walk: Outline, node: SyntaxNode, rule: DefinitionRule): undefined {
  const names = rule.names(walk.tree, node);
  walk.define(node, rule);
  const isFunction = rule.kind === 'function' || rule.kind === 'method';
  if (rule.kind === 'variable' || names.length === 0) return;
  if (!isFunction) walk.enterContainer(node, spaced(walk.tree.textOf(names[0]!)), rule.kind);
  walk.enterScope(node, isFunction);
}

function bindLocals(walk: Outline, node: SyntaxNode, names: readonly string[]): undefined {
  if (names.length === 0) walk.bindIn(node);
  for (const name of names) for (const child of fields(walk.tree, node, name)) walk.bindIn(child);
}

function useMember(walk: Outline, node: SyntaxNode, rule: MemberRule, rules: OutlineRules): undefined {
  const { tree, handled, memberUses } = walk;
  const member = tree.child(node, rule.member);
  if (member === NO_NODE) return;
  const name = tree.textOf(member);
  const object = rule.object === undefined ? NO_NODE : tree.child(node, rule.object);
  if (rules.names.includes(tree.type(member)) || !tree.hasChildren(member)) {
    // Without an object, it is the use of a name.
    if (rule.object !== undefined && object === NO_NODE) return;
    if (!handled.has(member)) memberUses.add(name, tree.line(member));
    handled.add(member);
  }
  if (object !== NO_NODE && rules.names.includes(tree.type(object)) && !handled.has(object)) walk.use(object, name);
}

function useName(walk: Outline, node: SyntaxNode): undefined {
  if (!walk.handled.has(node)) walk.use(node);
}

function isBound(name: string, from: Scope): boolean {
  for (let scope: Scope | null = from; scope !== null; scope = scope.parent) if (scope.names.has(name)) return true;
  return false;
}

function finished({
  kind,
  from,
  names,
  line,
  isGuarded,
  members,
}: OutlineImport & { readonly members: readonly UseCounter[] }): Import {
  return {
    kind,
    from,
    names: names.map(({ name, local, exportedAs }, index) => ({
      name,
      local,
      exportedAs: exportedAs ?? null,
      line,
      members: members[index]!.all(),
    })),
    line,
    isGuarded: isGuarded ?? false,
  };
}

/** From the beginning to the body, or to the value of a variable. */
function headOf(tree: SyntaxTree, node: SyntaxNode, kind: DefinitionKind): string {
  const body = tree.child(node, 'body');
  const start = tree.start(node);
  const end = Math.min(body === NO_NODE ? tree.end(node) : tree.start(body), start + 4 * LONGEST_SIGNATURE);
  const head = tree.text.slice(start, end);
  const cut = kind === 'variable' ? /\s*(?:[{]|=(?!=)).*$/s : /\s*[{].*$/s;
  return spaced(head.replace(cut, ''))
    .replace(/\s*[=;]$/, '')
    .slice(0, LONGEST_SIGNATURE);
}
