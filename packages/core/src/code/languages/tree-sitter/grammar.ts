import type { Parser } from 'web-tree-sitter';
import type { FileFacts } from '../../facts.ts';
import type { FactExtractor, ReadGrammar } from '../../language.ts';
import { unreadFacts } from '../unread-facts.ts';
import { SyntaxTree } from './syntax-tree.ts';

/** Reads the facts of one file from its tree. */
export type TreeReader = (tree: SyntaxTree, path: string) => FileFacts;

/** Larger files are hardly written by hand, and their facts would cost more than they tell. */
export const LARGEST_FILE = 5 * 1024 * 1024;

/**
 * How many characters the parser gets at once, and in all. It asks for the rest of the file again and again if comments or
 * literals are not closed.
 */
const CHUNK = 4096;
const LEAST_SUPPLY = 2_000_000;
const SUPPLY_PER_CHARACTER = 60;

/** Parsing stops after this number of steps (100 operations of the parser each), and this number more per character. */
const LEAST_STEPS = 10_000;
const STEPS_PER_CHARACTER = 0.5;

/**
 * Loads a grammar, and makes of the language's reader a function of the bytes of a file.
 * @param readerFor called once with the table that each file is read into
 * @param prepare replaces what the grammar cannot read by as many spaces
 * @returns null if the grammar is not installed
 */
export async function loadGrammar(
  readGrammar: ReadGrammar,
  name: string,
  language: string,
  readerFor: (tree: SyntaxTree) => TreeReader,
  prepare: (text: string) => string = (text) => text,
): Promise<FactExtractor | null> {
  const [runtime, grammar] = await Promise.all([readGrammar('web-tree-sitter'), readGrammar(name)]);
  if (runtime === null || grammar === null) return null;
  const { Language, Parser } = await import('web-tree-sitter');
  await Parser.init({ wasmBinary: runtime });
  const loaded = await Language.load(grammar);
  const parser = new Parser();
  parser.setLanguage(loaded);
  const tree = new SyntaxTree(loaded);
  const read = readerFor(tree);
  return (bytes, path) => {
    const source = sourceText(bytes);
    return source !== null && parse(parser, tree, prepare(source)) ? read(tree, path) : unreadFacts(language);
  };
}

/** The text of a file; null: it is too large, or not text. */
export function sourceText(bytes: Uint8Array): string | null {
  if (bytes.length > LARGEST_FILE || bytes.subarray(0, 8192).includes(0)) return null;
  return new TextDecoder('utf-8').decode(bytes);
}

/** @returns false if the parser gave up */
function parse(parser: Parser, into: SyntaxTree, text: string): boolean {
  let steps = LEAST_STEPS + text.length * STEPS_PER_CHARACTER;
  let supply = LEAST_SUPPLY + text.length * SUPPLY_PER_CHARACTER;
  const read = (index: number) => {
    supply -= CHUNK;
    return supply < 0 ? '' : text.slice(index, index + CHUNK);
  };
  const tree = parser.parse(read, null, { progressCallback: () => --steps < 0 || supply < 0 });
  if (tree === null || supply < 0) {
    tree?.delete();
    parser.reset();
    return false;
  }
  // The tree is in the memory of WebAssembly, and is not freed with this object.
  try {
    const cursor = tree.walk();
    try {
      into.fill(text, cursor);
    } finally {
      cursor.delete();
    }
  } finally {
    tree.delete();
  }
  return true;
}
