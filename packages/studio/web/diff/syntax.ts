/**
 * Syntax colours. The highlighter and its languages are loaded when a file needs them; until then, lines are plain. It
 * only gives classes, so the content policy needs no exception, and no text becomes HTML.
 */
import { type SyntaxNode, type SyntaxPart, syntaxLines } from '@savepoint/core/text';
import { useSyncExternalStore } from 'react';
import { LANGUAGE_LOADERS, languageOf } from './languages.ts';
import type { PatchHunk, PatchLine } from './patch.ts';

export type Syntax = 'plain' | 'keyword' | 'literal' | 'string' | 'comment' | 'title' | 'type';
export type Part = SyntaxPart<Syntax>;

const MOST_LETTERS = 1_000;
/** A long hunk is coloured piece by piece, as it comes into sight, so that scrolling never waits. */
const LEAST_LINES = 120;
const MOST_LINES = 240;

type Lowlight = ReturnType<typeof import('lowlight')['createLowlight']>;

let highlighter: Promise<Lowlight> | null = null;
const ready = new Map<string, Lowlight>();
const asked = new Set<string>();
const listeners = new Set<() => void>();
let version = 0;

/** Re-renders the caller when another language is there. */
export function useSyntaxVersion(): number {
  return useSyncExternalStore(onSyntax, () => version);
}

export function askForSyntax(path: string): void {
  const language = languageOf(path);
  if (language === null || asked.has(language)) return;
  asked.add(language);
  void load(language);
}

interface Piece {
  readonly lines: readonly PatchLine[];
  /** Null: not coloured yet. */
  parts: ReadonlyMap<PatchLine, readonly Part[]> | null;
}

const known = new WeakMap<PatchHunk, ReadonlyMap<PatchLine, Piece>>();

/** @returns null: without syntax colours */
export function lineSyntax(path: string, hunk: PatchHunk, line: PatchLine): readonly Part[] | null {
  const language = languageOf(path);
  const lowlight = language === null ? undefined : ready.get(language);
  if (language === null || lowlight === undefined) return null;
  let pieces = known.get(hunk);
  if (pieces === undefined) {
    pieces = piecesOf(hunk);
    known.set(hunk, pieces);
  }
  const piece = pieces.get(line);
  if (piece === undefined) return null;
  piece.parts ??= coloured(piece.lines, language, lowlight);
  return piece.parts.get(line) ?? null;
}

/** @returns the parts of each line; null: without syntax colours */
export function syntaxOfLines(path: string, lines: readonly string[]): readonly (readonly Part[])[] | null {
  const language = languageOf(path);
  const lowlight = language === null ? undefined : ready.get(language);
  return language === null || lowlight === undefined ? null : partsOf(lines, language, lowlight);
}

/** Calls the listener when another language is there. @returns ends that */
export function onSyntax(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The lines of one side are a part of a source file. Lines that are on both sides are coloured with the new ones. */
function piecesOf({ lines }: PatchHunk): ReadonlyMap<PatchLine, Piece> {
  const found = new Map<PatchLine, Piece>();
  for (const other of ['removed', 'added'] as const) {
    const side = lines.filter(({ kind }) => kind === 'same' || kind === other);
    for (const piece of cut(side)) {
      for (const line of piece.lines) found.set(line, piece);
    }
  }
  return found;
}

/** Cuts where a line begins at the margin after an empty one: hardly ever inside of a comment or a string. */
function* cut(lines: readonly PatchLine[]): Generator<Piece> {
  let first = 0;
  for (const [at, { text }] of lines.entries()) {
    const isMargin = /^\S/.test(text) && lines[at - 1]?.text === '';
    if (at - first < (isMargin ? LEAST_LINES : MOST_LINES)) continue;
    yield { lines: lines.slice(first, at), parts: null };
    first = at;
  }
  yield { lines: lines.slice(first), parts: null };
}

function coloured(
  lines: readonly PatchLine[],
  language: string,
  lowlight: Lowlight,
): ReadonlyMap<PatchLine, readonly Part[]> {
  const parts = partsOf(
    lines.map(({ text }) => text),
    language,
    lowlight,
  );
  return new Map(parts === null ? [] : lines.map((line, index) => [line, parts[index] ?? []]));
}

function partsOf(lines: readonly string[], language: string, lowlight: Lowlight): readonly (readonly Part[])[] | null {
  if (lines.some((text) => text.length > MOST_LETTERS)) return null;
  return syntaxLines<Syntax>(lowlight.highlight(language, lines.join('\n')) as SyntaxNode, 'plain', syntaxOf);
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

function syntaxOf(classes: readonly unknown[]): Syntax | null {
  const name = classes.join(' ').replaceAll('hljs-', '');
  return SYNTAX.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
