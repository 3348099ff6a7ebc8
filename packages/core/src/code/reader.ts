/** Reads the facts of files. Parsers are loaded on first use. */

import { baseName, type TreePath } from '../model/names.ts';
import type { FileFacts } from './facts.ts';
import type { FactExtractor, Language, ReadGrammar } from './language.ts';

export interface FactJob {
  readonly path: TreePath;
  /** What identifies the contents. */
  readonly id: string;
  /** Returns the contents; null: they cannot be read. Not called if the facts are known. */
  read(): Uint8Array | null;
}

/** A port: the facts may be read in other processes. */
export interface FactReader {
  /**
   * @returns for each job, in order: its facts; null: they cannot be read, or no parser for its language is installed
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
    const dot = path.lastIndexOf('.');
    return (dot < 0 ? undefined : this.#byEnding.get(path.slice(dot))) ?? this.#byName.get(baseName(path)) ?? null;
  }
}

/** Reads facts in this process. Code that is nested very deeply ends it. */
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
    for (const job of jobs) {
      signal?.throwIfAborted();
      const language = this.#languages.of(job.path);
      const extract = language === null ? null : await this.#load(language);
      const bytes = extract === null ? null : job.read();
      facts.push(extract === null || bytes === null ? null : extract(bytes, job.path));
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
