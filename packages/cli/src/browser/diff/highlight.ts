/**
 * Syntax colours for the lines of a diff. The highlighter is loaded in the background when the first diff is shown; until
 * then, and for long lines, large files and unknown languages, lines have no syntax colours.
 */
import { type SyntaxNode, type SyntaxPart, syntaxLines } from '@savepoint/core/text';
import type { PatchFile, PatchLine } from './patch-file.ts';

/** What a part of a line is. */
export type Syntax = 'plain' | 'keyword' | 'literal' | 'string' | 'comment' | 'call';
export type Part = SyntaxPart<Syntax>;

/** Both are called while a line is drawn, so this much text must be fast. */
const MOST_LINES = 2_000;
const MOST_LETTERS = 1_000;

type Lowlight = ReturnType<typeof import('lowlight')['createLowlight']>;

let lowlight: Lowlight | null = null;

/** @param onLoaded called once, when lines can be drawn with colours */
export async function loadHighlighter(): Promise<void> {
  if (lowlight !== null) return;
  const { common, createLowlight } = await import('lowlight');
  lowlight = createLowlight(common);
}

const known = new WeakMap<PatchFile, ReadonlyMap<PatchLine, readonly Part[]> | null>();

/** @returns null: without syntax colours */
export function partsOf(file: PatchFile, line: PatchLine): readonly Part[] | null {
  if (lowlight === null) return null;
  let parts = known.get(file);
  if (parts === undefined) {
    parts = highlighted(file, lowlight);
    known.set(file, parts);
  }
  return parts?.get(line) ?? null;
}

function highlighted(file: PatchFile, highlighter: Lowlight): ReadonlyMap<PatchLine, readonly Part[]> | null {
  const language = languageOf(file.path);
  if (language === null || !highlighter.registered(language) || file.lines.length > MOST_LINES) return null;
  const found = new Map<PatchLine, readonly Part[]>();
  // The lines of one side of a hunk are a piece of a source file.
  for (const hunk of hunksOf(file.lines)) {
    for (const other of ['removed', 'added'] as const) {
      const side = hunk.filter(({ kind }) => kind === 'context' || kind === other);
      if (side.some(({ text }) => text.length > MOST_LETTERS)) continue;
      const tree = highlighter.highlight(language, side.map(({ text }) => text).join('\n')) as SyntaxNode;
      const lines = syntaxLines<Syntax>(tree, 'plain', syntaxOf);
      for (const [index, line] of side.entries()) found.set(line, lines[index] ?? []);
    }
  }
  return found;
}

function hunksOf(lines: readonly PatchLine[]): readonly (readonly PatchLine[])[] {
  const hunks: PatchLine[][] = [];
  for (const line of lines) {
    if (line.kind === 'hunk') hunks.push([]);
    else if (line.kind !== 'note') hunks.at(-1)?.push(line);
  }
  return hunks;
}

function syntaxOf([first]: readonly unknown[]): Syntax | null {
  return SYNTAX[String(first ?? '').replace('hljs-', '')] ?? null;
}

const SYNTAX: Readonly<Record<string, Syntax>> = {
  keyword: 'keyword',
  built_in: 'call',
  type: 'call',
  literal: 'literal',
  number: 'literal',
  symbol: 'literal',
  string: 'string',
  regexp: 'string',
  subst: 'plain',
  comment: 'comment',
  doctag: 'comment',
  quote: 'comment',
  title: 'call',
  section: 'keyword',
  attr: 'call',
  attribute: 'call',
  name: 'keyword',
  tag: 'plain',
  selector: 'keyword',
  'selector-tag': 'keyword',
  'selector-class': 'call',
  variable: 'plain',
  meta: 'keyword',
  link: 'string',
  bullet: 'literal',
  code: 'string',
};

function languageOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const ending = name.slice(name.lastIndexOf('.') + 1);
  return NAMES[name] ?? ENDINGS[ending] ?? (/^[a-z0-9+#]+$/.test(ending) ? ending : null);
}

const NAMES: Readonly<Record<string, string>> = { makefile: 'makefile', dockerfile: 'bash', '.gitignore': 'ini' };

/** Endings that are not also the name of a language. */
const ENDINGS: Readonly<Record<string, string>> = {
  mts: 'typescript',
  cts: 'typescript',
  mjs: 'javascript',
  cjs: 'javascript',
  yml: 'yaml',
  htm: 'xml',
  vue: 'xml',
  toml: 'ini',
  h: 'c',
  hpp: 'cpp',
};
