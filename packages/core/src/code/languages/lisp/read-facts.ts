import type { Definition, FileFacts, Use } from '../../facts.ts';
import type { FactExtractor } from '../../language.ts';
import { sourceText } from '../tree-sitter/grammar.ts';
import { unreadFacts } from '../unread-facts.ts';
import { UseCounter } from '../use-counter.ts';
import { balanceProblems } from './balance.ts';
import { lispDefinitions, parametersOf } from './definitions.ts';
import { commonImports, emacsImports, exportedSymbols } from './imports.ts';
import { type Dialect, type Form, type LispList, readLisp } from './reader.ts';

/** Operators and constants that need no definition, and are too common to say anything. */
const BUILTINS = new Set(
  (
    '* + - / /= < <= = > >= and append apply car case cdr cond cons declare dolist dotimes ecase eq eql equal error eval-when ' +
    'first flet format funcall function getf gethash if incf decf labels lambda last length let let* list list* loop macrolet ' +
    'mapcar member multiple-value-bind nil not nth null or otherwise pop prog1 progn push quote rest return return-from ' +
    'reverse second setf setq t third throw catch typecase unless unwind-protect values when while with-slots ignore type ' +
    'optimize speed safety debug &optional &rest &key &body &aux &allow-other-keys &whole &environment _'
  ).split(' '),
);

/** Forms that are transparent: what is in them is at the level of the file. */
const TRANSPARENT =
  /^(?:progn|eval-when|eval-and-compile|eval-when-compile|with-eval-after-load|unless|when|if|let|macrolet)$/;

const MOST_NESTED = 5;

/** Makes the reader of the facts of a dialect of Lisp. */
export function lispReader(dialect: Dialect): FactExtractor {
  return (bytes) => {
    const text = sourceText(bytes);
    return text === null ? unreadFacts(dialect) : factsOf(text, dialect);
  };
}

function factsOf(text: string, dialect: Dialect): FileFacts {
  const reading = readLisp(text, dialect, false);
  const problems = balanceProblems(text, dialect, reading);
  // After an error, what follows is at the wrong level.
  const forms = problems.length === 0 ? reading.forms : readLisp(text, dialect, true).forms;
  const top = atTop(forms);
  const definitions = top.flatMap(lispDefinitions);
  return {
    language: dialect,
    imports: top.flatMap(dialect === 'common-lisp' ? commonImports : emacsImports),
    exports: exportsOf(definitions),
    hasHiddenExports: false,
    definitions,
    uses: usesIn(forms, top),
    memberUses: [],
    problems,
  };
}

/** The lists at the level of the file. */
function atTop(forms: readonly Form[], depth = 0): LispList[] {
  return forms.flatMap((form) => {
    if (form.kind !== 'list') return [];
    const head = form.items[0];
    const isTransparent = head?.kind === 'symbol' && TRANSPARENT.test(head.text) && depth < MOST_NESTED;
    return isTransparent ? atTop(form.items.slice(1), depth + 1) : [form];
  });
}

function exportsOf(definitions: readonly Definition[]): FileFacts['exports'] {
  const seen = new Set<string>();
  return definitions
    .filter(({ name, kind }) => kind !== 'module' && !seen.has(name) && seen.add(name))
    .map(({ name, line }) => ({ name, local: name, line }));
}

/** All symbols but keywords, operators, and what the same form binds. */
function usesIn(forms: readonly Form[], top: readonly LispList[]): Use[] {
  const uses = new UseCounter();
  for (const form of forms) {
    const bound = namesBoundIn(form);
    for (const { text, line } of symbolsIn(form)) {
      // `package:name`
      const name = text.slice(text.lastIndexOf(':') + 1);
      if (!text.startsWith(':') && !text.startsWith('#') && name !== '' && !BUILTINS.has(name) && !bound.has(name))
        uses.add(name, line);
    }
  }
  for (const form of top) for (const { name, line } of exportedSymbols(form)) uses.add(name, line);
  return uses.all();
}

function* symbolsIn(form: Form): Generator<{ readonly text: string; readonly line: number }> {
  const open: Form[] = [form];
  while (open.length > 0) {
    const next = open.pop()!;
    if (next.kind === 'symbol') yield next;
    if (next.kind !== 'list') continue;
    const head = next.items[0];
    // The operator and the name of a definition are not uses.
    const isDefinition = head?.kind === 'symbol' && /^(?:cl-)?def|^define-/.test(head.text);
    for (let at = next.items.length - 1; at >= (isDefinition ? 2 : 0); at--) open.push(next.items[at]!);
  }
}

/** Parameters and variables of `let`, anywhere in the form: a use outside of their scope is missed. */
function namesBoundIn(form: Form): ReadonlySet<string> {
  const bound = new Set<string>();
  const open: Form[] = [form];
  while (open.length > 0) {
    const next = open.pop()!;
    if (next.kind !== 'list') continue;
    const [head, first, second] = next.items;
    if (head?.kind === 'symbol') {
      const isCallable = /^(?:cl-)?def(?:un|macro|subst|method|generic)$/.test(head.text);
      const binds =
        /^(?:let\*?|lambda|multiple-value-bind|destructuring-bind|dolist|dotimes|with-slots|do\*?|pcase-let\*?|when-let\*?|if-let\*?|seq-let|cl-destructuring-bind)$/;
      if (isCallable) for (const name of parametersOf(second)) bound.add(name);
      else if (binds.test(head.text)) for (const name of parametersOf(first)) bound.add(name);
      if (/^(?:dolist|dotimes)$/.test(head.text) && first?.kind === 'list' && first.items[0]?.kind === 'symbol')
        bound.add(first.items[0].text);
    }
    for (const item of next.items) if (item.kind === 'list') open.push(item);
  }
  return bound;
}
