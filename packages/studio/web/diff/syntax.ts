/**
 * Syntax colours. The highlighter and its languages are loaded when a file needs them; until then, lines are plain. It
 * only gives classes, so the content policy needs no exception, and no text becomes HTML.
 */
import { useSyncExternalStore } from 'react';
import { LANGUAGE_LOADERS, languageOf } from './languages.ts';
import type { PatchHunk, PatchLine } from './patch.ts';

export type Syntax = 'plain' | 'keyword' | 'literal' | 'string' | 'comment' | 'title' | 'type';
export type Part = readonly [syntax: Syntax, text: string];

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly properties?: { readonly className?: unknown };
  readonly children?: readonly Node[];
}

const MOST_LINES = 1_500;
const MOST_LETTERS = 1_000;

type Lowlight = ReturnType<typeof import('lowlight')['createLowlight']>;

let highlighter: Promise<Lowlight> | null = null;
const ready = new Map<string, Lowlight>();
const asked = new Set<string>();
const listeners = new Set<() => void>();
let version = 0;

/** Re-renders the caller when another language is there. */
export function useSyntaxVersion(): number {
  return useSyncExternalStore(subscribe, () => version);
}

export function askForSyntax(path: string): void {
  const language = languageOf(path);
  if (language === null || asked.has(language)) return;
  asked.add(language);
  void load(language);
}

const known = new WeakMap<PatchHunk, ReadonlyMap<PatchLine, readonly Part[]>>();

/** @returns null: without syntax colours */
export function hunkSyntax(path: string, hunk: PatchHunk): ReadonlyMap<PatchLine, readonly Part[]> | null {
  const language = languageOf(path);
  const lowlight = language === null ? undefined : ready.get(language);
  if (language === null || lowlight === undefined || hunk.lines.length > MOST_LINES) return null;
  const kept = known.get(hunk);
  if (kept !== undefined) return kept;
  const found = new Map<PatchLine, readonly Part[]>();
  // The lines of one side are a piece of a source file.
  for (const other of ['removed', 'added'] as const) {
    const side = hunk.lines.filter(({ kind }) => kind === 'same' || kind === other);
    if (side.some(({ text }) => text.length > MOST_LETTERS)) continue;
    const tree = lowlight.highlight(language, side.map(({ text }) => text).join('\n')) as Node;
    const lines = linesOf(tree);
    for (const [index, line] of side.entries()) found.set(line, lines[index] ?? []);
  }
  known.set(hunk, found);
  return found;
}

async function load(language: string): Promise<void> {
  try {
    highlighter ??= import('lowlight').then(({ createLowlight }) => createLowlight());
    const [lowlight, grammar] = await Promise.all([highlighter, LANGUAGE_LOADERS[language]?.()]);
    if (grammar === undefined) return;
    lowlight.register(language, grammar.default);
    ready.set(language, lowlight);
    version += 1;
    for (const listener of listeners) listener();
  } catch {
    // Without colours, the lines are still complete.
    asked.delete(language);
  }
}

const SYNTAX: readonly (readonly [RegExp, Syntax])[] = [
  [/comment|quote/, 'comment'],
  [/string|regexp|char|subst/, 'string'],
  [/keyword|built_in|selector-tag|tag|name|meta|doctag/, 'keyword'],
  [/number|literal|symbol|bullet|link/, 'literal'],
  [/title|function|section/, 'title'],
  [/type|class|attr|attribute|property|params|variable/, 'type'],
];

function linesOf(tree: Node): readonly (readonly Part[])[] {
  const lines: Part[][] = [[]];
  const visit = (node: Node, syntax: Syntax): void => {
    if (node.type === 'text') {
      for (const [index, text] of (node.value ?? '').split('\n').entries()) {
        if (index > 0) lines.push([]);
        if (text !== '') lines.at(-1)?.push([syntax, text]);
      }
      return;
    }
    const own = syntaxOf(node.properties?.className) ?? syntax;
    for (const child of node.children ?? []) visit(child, own);
  };
  visit(tree, 'plain');
  return lines;
}

function syntaxOf(className: unknown): Syntax | null {
  if (!Array.isArray(className)) return null;
  const name = className.join(' ').replaceAll('hljs-', '');
  return SYNTAX.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
