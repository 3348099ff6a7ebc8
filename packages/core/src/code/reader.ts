/** Reads the facts of files. Parsers are loaded on first use. */

import type { TreePath } from '../model/names.ts';
import type { FileFacts } from './facts.ts';
import type { FactExtractor, Language, ReadGrammar } from './language.ts';

export interface FactJob {
  readonly path: TreePath;
  readonly bytes: Uint8Array;
}

/** A port: the facts may be read in another thread. */
export interface FactReader {
  /**
   * @returns for each job, in order: its facts; null: no parser for its language could be loaded
   * @throws the signal's reason if it is aborted
   */
  read(jobs: readonly FactJob[], signal: AbortSignal | null): Promise<readonly (FileFacts | null)[]>;
}

/** Chooses the language of a file by its name. */
export class LanguageTable {
  readonly all: readonly Language[];
  readonly #byEnding = new Map<string, Language>();
  readonly #byName = new Map<string, Language>();

  constructor(all: readonly Language[]) {
    this.all = all;
    for (const language of all) {
      for (const pattern of language.patterns) {
        if (pattern.startsWith('*.')) this.#byEnding.set(pattern.slice(1), language);
        else this.#byName.set(pattern, language);
      }
    }
  }

  of(path: TreePath): Language | null {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const dot = name.lastIndexOf('.');
    return (dot < 0 ? undefined : this.#byEnding.get(name.slice(dot))) ?? this.#byName.get(name) ?? null;
  }
}

/** Reads facts in this thread. */
export class LocalFactReader implements FactReader {
  readonly #languages: LanguageTable;
  readonly #readGrammar: ReadGrammar;
  readonly #loaded = new Map<string, Promise<FactExtractor | null>>();

  /** @param readGrammar absent: no grammars are installed */
  constructor(languages: LanguageTable, readGrammar: ReadGrammar = async () => null) {
    this.#languages = languages;
    this.#readGrammar = readGrammar;
  }

  async read(jobs: readonly FactJob[], signal: AbortSignal | null): Promise<readonly (FileFacts | null)[]> {
    const facts: (FileFacts | null)[] = [];
    for (const { path, bytes } of jobs) {
      signal?.throwIfAborted();
      const language = this.#languages.of(path);
      const extract = language === null ? null : await this.#load(language);
      facts.push(extract === null ? null : extract(bytes, path));
    }
    return facts;
  }

  #load(language: Language): Promise<FactExtractor | null> {
    let loading = this.#loaded.get(language.id);
    if (loading === undefined) {
      loading = language.load(this.#readGrammar).catch(() => null);
      this.#loaded.set(language.id, loading);
    }
    return loading;
  }
}
