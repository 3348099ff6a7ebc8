/** What a language has to provide, so that its files are understood. */

import type { TreePath } from '../model/names.ts';
import type { FileFacts } from './facts.ts';

/** The files of a state of the workspace, whether or not they are on disk. */
export interface CodeTree {
  /** All files, with what identifies their contents. */
  readonly files: ReadonlyMap<TreePath, string>;
  hasFolder(path: TreePath): boolean;
  /** Whether the state before this one has a folder. Absent: there is none. */
  hadFolder?(path: TreePath): boolean;
  /** The contents of a file; null: there is none, or it cannot be read. For configuration such as `tsconfig.json`. */
  read(path: TreePath): Uint8Array | null;
}

/**
 * Where an import leads.
 * - `files`: to these files of the workspace. Several: any of them, or all (a package of Go, Java, …).
 * - `outside`: out of the workspace, such as to an installed package
 * - `missing`: it should lead to a file of the workspace, which is not there
 * - `unknown`: it cannot be said
 */
export type Resolution =
  | { readonly to: 'files'; readonly paths: readonly TreePath[] }
  | { readonly to: 'outside' | 'missing' | 'unknown' };

export interface Resolver {
  resolve(importer: TreePath, from: string): Resolution;
  /**
   * The file of a name that is a module of its own, such as in `from package import module`. Absent: the language has no
   * such names. Ask only if the file that `from` leads to does not define the name.
   */
  resolveName?(importer: TreePath, from: string, name: string): Resolution;
  /**
   * Where a dotted name in a string leads (an import of the kind `text`). Null: to nothing in the workspace. Absent: such
   * names are not imports.
   */
  resolveText?(importer: TreePath, text: string): TextResolution | null;
}

/** The module that the beginning of a dotted name leads to. */
export interface TextResolution {
  readonly paths: readonly TreePath[];
  /** What follows the module: a name in it, then members. Empty: the module itself. */
  readonly rest: readonly string[];
}

/** Reads the grammar of a language, or the program that runs grammars (`web-tree-sitter`). Null: it is not installed. */
export type ReadGrammar = (name: string) => Promise<Uint8Array | null>;

export interface Language {
  /** As in `FileFacts.language`. */
  readonly id: string;
  /** Changes when the same bytes give other facts. */
  readonly version: string;
  /** File names, such as `*.py` or `Rakefile`. */
  readonly patterns: readonly string[];
  /** Whether findings of the class `breaks` are emitted: only with measured figures (docs/plan-accuracy.md). */
  readonly isMeasured: boolean;
  /**
   * Members that things have which no file of the workspace defines, such as `encode` of a string. That a file uses one of
   * these names proves nothing. Absent: not known.
   */
  readonly ownMembers?: ReadonlySet<string>;
  /** Names that code uses without a definition or an import, such as `URL`. Absent: extractors leave them out. */
  readonly ownNames?: ReadonlySet<string>;
  /** Loads the parser. Called once, in the thread that reads facts. Null: its grammar is not installed. */
  load(readGrammar: ReadGrammar): Promise<FactExtractor | null>;
  /** Called once per tree. It must not read more files than it needs. */
  resolverOf(tree: CodeTree): Resolver;
}

/** Never throws for the contents of a file: what cannot be understood is a problem in the facts, or is left out. */
export type FactExtractor = (bytes: Uint8Array, path: TreePath) => FileFacts;
