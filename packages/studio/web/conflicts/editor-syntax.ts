/** Syntax colours in the editor, as in diffs: only of what is in sight, so that typing in a long file stays quick. */
import { type Extension, RangeSetBuilder, StateEffect } from '@codemirror/state';
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { askForSyntax, onSyntax, syntaxOfLines } from '../diff/syntax.ts';

/** Lines above the first one in sight that are read, too: a comment or a string may begin there. */
const LINES_ABOVE = 100;

const loaded = StateEffect.define();

export function syntaxColours(path: string): Extension {
  askForSyntax(path);
  return ViewPlugin.fromClass(
    class {
      marks: DecorationSet;
      readonly #end: () => void;
      constructor(view: EditorView) {
        this.marks = marksIn(view, path);
        this.#end = onSyntax(() => view.dispatch({ effects: loaded.of(null) }));
      }
      update({ view, docChanged, viewportChanged, transactions }: ViewUpdate): void {
        const isLoaded = transactions.some(({ effects }) => effects.some((effect) => effect.is(loaded)));
        if (docChanged || viewportChanged || isLoaded) this.marks = marksIn(view, path);
      }
      destroy(): void {
        this.#end();
      }
    },
    { decorations: ({ marks }) => marks },
  );
}

function marksIn({ state: { doc }, viewport }: EditorView, path: string): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const first = Math.max(1, doc.lineAt(viewport.from).number - LINES_ABOVE);
  const last = doc.lineAt(viewport.to).number;
  const lines = Array.from({ length: last - first + 1 }, (_, index) => doc.line(first + index));
  const parts = syntaxOfLines(
    path,
    lines.map(({ text }) => text),
  );
  for (const [index, { from }] of lines.entries()) {
    let at = from;
    for (const [syntax, text] of parts?.[index] ?? []) {
      const mark = MARKS[syntax];
      if (mark !== undefined && text !== '') builder.add(at, at + text.length, mark);
      at += text.length;
    }
  }
  return builder.finish();
}

const CLASSES = ['keyword', 'string', 'literal', 'comment', 'title', 'type'] as const;

const MARKS: Readonly<Record<string, Decoration>> = Object.fromEntries(
  CLASSES.map((name) => [name, Decoration.mark({ class: `code-${name}` })]),
);

/** For the theme of the editor, which has style sheets of its own. */
export const SYNTAX_STYLES = Object.fromEntries(
  CLASSES.map((name) => [
    `.code-${name}`,
    { color: `var(--code-${name})`, ...(name === 'comment' ? { fontStyle: 'italic' } : {}) },
  ]),
);
