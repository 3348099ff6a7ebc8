import type { Definition, DefinitionKind } from '../../facts.ts';
import type { Atom, Form, LispList } from './reader.ts';

const KINDS: readonly (readonly [DefinitionKind, string])[] = [
  [
    'function',
    'defun defmacro defgeneric define-compiler-macro defsetf define-modify-macro define-setf-expander cl-defun cl-defmacro ' +
      'cl-defgeneric cl-defsubst defsubst defalias define-inline define-minor-mode define-derived-mode ' +
      'define-globalized-minor-mode transient-define-prefix transient-define-suffix transient-define-infix ' +
      'transient-define-argument define-obsolete-function-alias',
  ],
  ['method', 'defmethod cl-defmethod'],
  [
    'variable',
    'defvar defparameter defconstant defglobal define-symbol-macro defconst defcustom defvar-local defvar-keymap defface ' +
      'defgroup define-obsolete-variable-alias define-widget',
  ],
  ['class', 'defclass defstruct cl-defstruct define-condition'],
  ['type', 'deftype cl-deftype'],
  ['module', 'defpackage define-package uiop:define-package defsystem asdf:defsystem'],
];

const KIND_OF = new Map(KINDS.flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind] as const)));

/** What a form at the level of the file defines; also what it defines in addition, such as accessors. */
export function lispDefinitions(form: LispList): Definition[] {
  const head = form.items[0];
  if (head?.kind !== 'symbol') return [];
  const kind = kindOf(head.text);
  const name = nameOf(form.items[1]);
  if (kind === null || name === null) return [];
  const made: Definition = {
    name,
    kind,
    container: null,
    line: form.line,
    endLine: form.endLine,
    signature: signatureOf(form, head.text, name, kind),
    arity:
      kind === 'function' && /^(?:cl-)?def(?:un|macro|generic|subst)$/.test(head.text) ? arityOf(form.items[2]) : null,
  };
  return [made, ...(kind === 'class' ? accessorsOf(form, name, head.text) : [])];
}

/** The symbols of a list of parameters, without what begins with `&`. */
export function parametersOf(list: Form | undefined): string[] {
  if (list?.kind !== 'list') return [];
  return list.items
    .map((item) => (item.kind === 'list' ? item.items[0] : item))
    .filter((item): item is Atom => item?.kind === 'symbol' && !item.text.startsWith('&'))
    .map(({ text }) => text);
}

/** Other forms that begin with `def` define something, too: what, only their macro knows. */
function kindOf(head: string): DefinitionKind | null {
  const known = KIND_OF.get(head);
  if (known !== undefined) return known;
  const name = head.slice(head.lastIndexOf(':') + 1);
  return KIND_OF.get(name) ?? (/^def(?:ine-)?[a-z]/.test(name) && name !== 'default' ? 'variable' : null);
}

/** `name`, `(setf name)`, `(name options…)` */
function nameOf(form: Form | undefined): string | null {
  if (form === undefined) return null;
  if (form.kind !== 'list')
    return form.kind === 'other'
      ? null
      : form.text.replace(/^#?:/, '').toLowerCase() === ''
        ? null
        : form.text.replace(/^#?:/, '');
  const [first, second] = form.items;
  const isSetter = first?.kind === 'symbol' && (first.text === 'setf' || first.text === 'quote');
  const named = isSetter ? second : first;
  return named?.kind === 'symbol' ? named.text : null;
}

function signatureOf(form: LispList, head: string, name: string, kind: DefinitionKind): string {
  const isCallable = kind === 'function' || kind === 'method';
  const list = isCallable ? form.items.slice(2).find((item) => item.kind === 'list') : undefined;
  return list?.kind === 'list' ? `(${head} ${name} ${shown(list)})` : `(${head} ${name})`;
}

/** Two levels of a list are enough for parameters. */
function shown(list: LispList, depth = 0): string {
  const items = list.items.map((item) => {
    if (item.kind === 'list') return depth < 2 ? shown(item, depth + 1) : '(…)';
    return item.kind === 'string' ? `"${item.text}"` : item.text;
  });
  return `(${items.slice(0, 100).join(' ')})`;
}

function arityOf(list: Form | undefined): Definition['arity'] {
  if (list?.kind !== 'list') return list?.kind === 'symbol' && list.text === 'nil' ? { least: 0, most: 0 } : null;
  let least = 0;
  let most: number | null = 0;
  let section = '';
  for (const item of list.items) {
    if (item.kind === 'symbol' && item.text.startsWith('&')) {
      section = item.text;
      if (/^&(?:rest|body|key|allow-other-keys)$/.test(section)) most = null;
    } else if (section === '' || section === '&whole') {
      least += section === '' ? 1 : 0;
      if (most !== null && section === '') most++;
    } else if (section === '&optional' && most !== null) most++;
  }
  return { least, most };
}

/** The functions that a class or structure defines for its slots. */
function accessorsOf(form: LispList, container: string, head: string): Definition[] {
  const isStructure = head.endsWith('defstruct');
  const slots = isStructure ? form.items.slice(2) : form.items[3]?.kind === 'list' ? form.items[3].items : [];
  const made = (name: string, line: number): Definition => ({
    name,
    kind: 'method',
    container,
    line,
    endLine: line,
    signature: name,
    arity: null,
  });
  const prefix = concName(form.items[1]) ?? `${container}-`;
  const found = isStructure ? [made(`make-${container}`, form.line), made(`${container}-p`, form.line)] : [];
  for (const slot of slots) {
    const first = slot.kind === 'list' ? slot.items[0] : slot;
    if (isStructure && first?.kind === 'symbol') found.push(made(`${prefix}${first.text}`, first.line));
    if (isStructure || slot.kind !== 'list') continue;
    slot.items.forEach((item, index) => {
      const value = slot.items[index + 1];
      if (item.kind === 'symbol' && /^:(?:accessor|reader|writer)$/.test(item.text) && value?.kind === 'symbol')
        found.push(made(value.text, value.line));
    });
  }
  return found;
}

/** `(name (:conc-name prefix))` */
function concName(form: Form | undefined): string | null {
  if (form?.kind !== 'list') return null;
  for (const option of form.items) {
    if (option.kind !== 'list' || option.items[0]?.kind !== 'symbol' || option.items[0].text !== ':conc-name') continue;
    const prefix = option.items[1];
    return prefix === undefined || prefix.kind === 'list' || prefix.text === 'nil' ? '' : prefix.text.replace(/^:/, '');
  }
  return null;
}
