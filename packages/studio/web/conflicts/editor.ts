/**
 * The editor of a result, with one side of the merge beside it. It is in a shadow tree: there, CodeMirror puts its styles
 * into style sheets that scripts make, which the content policy allows. In the page itself it would add style elements.
 */
import { defaultKeymap, history, historyKeymap, insertNewlineKeepIndent } from '@codemirror/commands';
import { MergeView } from '@codemirror/merge';
import { EditorState, type Extension, type Range } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view';
import { SYNTAX_STYLES, syntaxColours } from './editor-syntax.ts';
import { decision, regionsField, withRegions } from './regions.ts';
import type { Choice, Result } from './result.ts';

export interface ResultEditor {
  readonly decide: (index: number, choice: Choice, lines: { readonly ours: string; readonly theirs: string }) => void;
  /** Shows a conflict; `hasFocus`: to type there. */
  readonly show: (index: number, hasFocus: boolean) => void;
  /** What is beside the result. */
  readonly compareWith: (label: string, text: string) => void;
  readonly end: () => void;
}

export interface EditorOptions {
  readonly host: HTMLElement;
  /** Its ending says which language it is. */
  readonly path: string;
  readonly begin: Result;
  readonly beside: { readonly label: string; readonly text: string };
  readonly onResult: (result: Result) => void;
  /** Keys that also work while a person types, with Alt. */
  readonly keys: Readonly<Record<string, () => void>>;
  /** Escape. */
  readonly onLeave: () => void;
}

export function openEditor({ host, path, begin, beside, onResult, keys, onLeave }: EditorOptions): ResultEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const parent = document.createElement('div');
  parent.style.height = '100%';
  root.replaceChildren(parent);
  // The keys of the page are not for what is typed here.
  const keep = (event: KeyboardEvent): void => event.stopPropagation();
  host.addEventListener('keydown', keep);
  const common: Extension = [
    // A carriage return is a character like others, so that no byte gets lost.
    EditorState.lineSeparator.of('\n'),
    lineNumbers(),
    highlightSpecialChars({ addSpecialChars: DIRECTION }),
    EditorView.lineWrapping,
    syntaxColours(path),
    THEME,
  ];
  const view = new MergeView({
    root,
    parent,
    a: {
      doc: beside.text,
      extensions: [common, EditorState.readOnly.of(true), EditorView.editable.of(false), labelled(beside.label)],
    },
    b: {
      doc: begin.text,
      extensions: [
        common,
        history(),
        keymap.of([
          ...Object.entries(keys).map(([key, run]) => ({ key: `Alt-${key}`, run: handled(run) })),
          { key: 'Escape', run: handled(onLeave) },
          // The lines that follow keep theirs.
          { key: 'Enter', run: insertNewlineKeepIndent },
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, '\n')),
        withRegions(begin.regions),
        REGION_LINES,
        labelled('The result, which you can edit'),
        EditorView.updateListener.of(({ state, docChanged, startState }) => {
          if (docChanged || state.field(regionsField) !== startState.field(regionsField))
            onResult({ text: state.sliceDoc(), regions: state.field(regionsField) });
        }),
      ],
    },
    highlightChanges: true,
    gutter: true,
  });
  view.dom.style.height = '100%';
  view.dom.style.overflow = 'auto';
  return {
    decide: (index, choice, lines) => {
      view.b.dispatch(decision(view.b.state.field(regionsField), index, choice, lines));
    },
    show: (index, hasFocus) => {
      const region = view.b.state.field(regionsField)[index];
      if (region === undefined) return;
      view.b.dispatch({
        selection: { anchor: Math.min(region.from, view.b.state.doc.length) },
        effects: EditorView.scrollIntoView(region.from, { y: 'center' }),
      });
      if (hasFocus) view.b.focus();
    },
    compareWith: (label, text) => {
      view.a.contentDOM.setAttribute('aria-label', label);
      view.a.dispatch({ changes: { from: 0, to: view.a.state.doc.length, insert: view.a.state.toText(text) } });
    },
    end: () => {
      host.removeEventListener('keydown', keep);
      view.destroy();
      root.replaceChildren();
    },
  };
}

/** In addition to those that CodeMirror shows by itself: they change the direction of text, or join letters. */
const DIRECTION = /\u061c|[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Other keys get no chance. */
function handled(run: () => void): () => boolean {
  return () => {
    run();
    return true;
  };
}

function labelled(label: string): Extension {
  return EditorView.contentAttributes.of({ 'aria-label': label });
}

/** Marks the lines of each conflict, and says above them which one it is. */
const REGION_LINES = ViewPlugin.fromClass(
  class {
    marks: DecorationSet;
    constructor(view: EditorView) {
      this.marks = regionMarks(view.state);
    }
    update({ state, startState, docChanged }: ViewUpdate): void {
      if (docChanged || state.field(regionsField) !== startState.field(regionsField)) this.marks = regionMarks(state);
    }
  },
  { decorations: ({ marks }) => marks },
);

function regionMarks(state: EditorState): DecorationSet {
  const marks: Range<Decoration>[] = [];
  for (const [index, { from, to, choice }] of state.field(regionsField).entries()) {
    const first = state.doc.lineAt(Math.min(from, state.doc.length));
    marks.push(Decoration.line({ class: `region first ${choice ?? 'open'}` }).range(first.from));
    marks.push(Decoration.widget({ widget: new Title(index, choice), side: -1 }).range(first.from));
    for (let at = first.to + 1; at < to; ) {
      const line = state.doc.lineAt(at);
      marks.push(Decoration.line({ class: `region ${choice ?? 'open'}` }).range(line.from));
      at = line.to + 1;
    }
  }
  // Regions without lines may be at the same place.
  return Decoration.set(marks, true);
}

class Title extends WidgetType {
  readonly #index: number;
  readonly #choice: Choice | null;

  constructor(index: number, choice: Choice | null) {
    super();
    this.#index = index;
    this.#choice = choice;
  }

  override eq(other: Title): boolean {
    return other.#index === this.#index && other.#choice === this.#choice;
  }

  override toDOM(): HTMLElement {
    const title = document.createElement('span');
    title.className = 'region-title';
    title.textContent = `Conflict ${this.#index + 1}: ${CHOSEN[this.#choice ?? 'open']}`;
    return title;
  }
}

const CHOSEN: Readonly<Record<Choice | 'open', string>> = {
  open: 'not decided',
  ours: 'yours',
  theirs: 'theirs',
  both: 'both',
  edited: 'edited',
};

const THEME = EditorView.theme({
  ...SYNTAX_STYLES,
  '&': { background: 'var(--paper)', color: 'var(--ink)', fontSize: 'var(--text-small)', height: 'auto' },
  '&.cm-focused': { outline: 'none' },
  '.cm-content': {
    fontFamily: 'var(--mono)',
    lineHeight: 'var(--line-height)',
    caretColor: 'var(--ink)',
    padding: '0',
  },
  '&.cm-focused .cm-content': { boxShadow: 'inset 2px 0 var(--accent)' },
  '.cm-gutters': {
    background: 'var(--sunk)',
    color: 'var(--ink-3)',
    border: 'none',
    fontFamily: 'var(--mono)',
    lineHeight: 'var(--line-height)',
  },
  '&.cm-editor .cm-changedLine': { background: 'transparent' },
  '&.cm-merge-a .cm-changedLine': { background: 'var(--removed-back)' },
  '&.cm-merge-b .cm-changedLine': { background: 'var(--added-back)' },
  '&.cm-merge-a .cm-changedText': { background: 'var(--removed-word)' },
  '&.cm-merge-b .cm-changedText': { background: 'var(--added-word)' },
  '.cm-specialChar': { color: 'var(--danger)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { background: 'var(--chosen)' },
  '.cm-line.region': { boxShadow: 'inset 3px 0 var(--good)' },
  '.cm-line.region.open': { boxShadow: 'inset 3px 0 var(--warning)', background: 'var(--warning-back)' },
  '.region-title': {
    float: 'right',
    padding: '0 6px',
    color: 'var(--good)',
    fontFamily: 'var(--sans)',
    userSelect: 'none',
  },
  '.region.open .region-title': { color: 'var(--warning)' },
});
