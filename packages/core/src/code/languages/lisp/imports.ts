import type { Import, ImportKind } from '../../facts.ts';
import type { Form, LispList } from './reader.ts';

interface Wanted {
  readonly kind: ImportKind;
  readonly from: string;
  /** `*`: everything. */
  readonly names: readonly string[];
  readonly line: number;
  readonly isGuarded?: boolean;
}

const MOST_NESTED = 50;

/** What forms of Emacs Lisp at the level of the file load. A file sees what those that it loads see. */
export function emacsImports(form: LispList): Import[] {
  const [head, first, second, third] = form.items;
  if (head?.kind !== 'symbol' || first === undefined || first.kind === 'list') return [];
  const { line } = form;
  switch (head.text) {
    case 'require': {
      const isGuarded = third?.kind === 'symbol' && third.text !== 'nil';
      return [made({ kind: 'static', from: first.text, names: ['*'], line, isGuarded })];
    }
    case 'load':
    case 'load-file':
      return [made({ kind: 'static', from: first.text, names: ['*'], line, isGuarded: second !== undefined })];
    case 'autoload':
    case 'declare-function': {
      if (second?.kind !== 'string') return [];
      const kind = head.text === 'autoload' ? 'dynamic' : 'type';
      return [made({ kind, from: second.text, names: [first.text], line })];
    }
    default:
      return [];
  }
}

/** What forms of Common Lisp at the level of the file load: packages by their names, files as `./file`. */
export function commonImports(form: LispList): Import[] {
  const [head, first] = form.items;
  if (head?.kind !== 'symbol') return [];
  const { line } = form;
  const operator = head.text.slice(head.text.lastIndexOf(':') + 1);
  if (operator === 'in-package' || operator === 'use-package' || operator === 'require')
    return first === undefined || first.kind === 'list'
      ? []
      : [made({ kind: 'static', from: designated(first.text), names: ['*'], line })];
  if (operator === 'load' && first?.kind === 'string')
    return [made({ kind: 'static', from: `./${first.text}`, names: ['*'], line })];
  if (operator === 'defpackage' || operator === 'define-package') return form.items.slice(2).flatMap(packageImports);
  return operator === 'defsystem' ? componentsOf(form) : [];
}

/** The symbols that a package exports: they must be defined somewhere. */
export function exportedSymbols(form: LispList): { readonly name: string; readonly line: number }[] {
  return form.items
    .filter((item): item is LispList => item.kind === 'list' && isKeyword(item.items[0], ':export'))
    .flatMap((list) => list.items.slice(1))
    .flatMap((item) => (item.kind === 'list' ? [] : [{ name: designated(item.text), line: item.line }]));
}

/** `(:use …)` and `(:import-from package name…)` */
function packageImports(clause: Form): Import[] {
  if (clause.kind !== 'list') return [];
  const names = clause.items.slice(1).flatMap((item) => (item.kind === 'list' ? [] : [designated(item.text)]));
  const { line } = clause;
  if (isKeyword(clause.items[0], ':use') || isKeyword(clause.items[0], ':mix'))
    return names.map((from) => made({ kind: 'static', from, names: ['*'], line }));
  if (!isKeyword(clause.items[0], ':import-from') || names[0] === undefined) return [];
  return [made({ kind: 'static', from: names[0], names: names.slice(1), line })];
}

/** The files of a system of ASDF: `(:module "folder" :components ((:file "name")))`. */
function componentsOf(system: LispList): Import[] {
  const found: Import[] = [];
  const open: { readonly list: LispList; readonly folder: string; readonly depth: number }[] = [
    { list: system, folder: './', depth: 0 },
  ];
  while (open.length > 0) {
    const { list, folder, depth } = open.pop()!;
    const path = optionOf(list, ':pathname');
    const [kind, name] = list.items;
    const isModule = isKeyword(kind, ':module') && name !== undefined && name.kind !== 'list';
    const own = path?.kind === 'string' ? path.text : isModule ? name.text.replace(/^:/, '') : '';
    const inside = own === '' || own === '.' ? folder : `${folder}${own.replace(/\/+$/, '')}/`;
    if (isKeyword(kind, ':file') && name !== undefined && name.kind !== 'list')
      found.push(
        made({ kind: 'static', from: `${folder}${name.text.replace(/^:/, '')}`, names: ['*'], line: list.line }),
      );
    const components = optionOf(list, ':components');
    if (components?.kind !== 'list' || depth > MOST_NESTED) continue;
    for (const item of [...components.items].reverse())
      if (item.kind === 'list') open.push({ list: item, folder: inside, depth: depth + 1 });
  }
  return found;
}

function optionOf(list: LispList, keyword: string): Form | undefined {
  const at = list.items.findIndex((item) => isKeyword(item, keyword));
  return at < 0 ? undefined : list.items[at + 1];
}

function isKeyword(form: Form | undefined, keyword: string): boolean {
  return form?.kind === 'symbol' && form.text === keyword;
}

/** The name that `:name`, `#:name` or `"NAME"` means. */
function designated(text: string): string {
  return text.replace(/^#?:/, '').toLowerCase();
}

function made({ kind, from, names, line, isGuarded }: Wanted): Import {
  return {
    kind,
    from,
    names: names.map((name) => ({
      name,
      local: name === '*' ? null : name,
      exportedAs: name === '*' ? '*' : null,
      line,
      members: [],
    })),
    line,
    isGuarded: isGuarded ?? false,
  };
}
