import { CODEC_VERSION, decodeFacts, encodeFacts } from './codec.ts';
import type { FileFacts } from './facts.ts';
import type { FactJob, FactReader, LanguageTable } from './reader.ts';

/** Texts by key. What it loses is read again. */
export interface FactCache {
  get(key: string): string | null;
  put(key: string, text: string): void;
}

/** Reads facts that are not in a cache with another reader, and adds them to the cache. */
export class CachedFactReader implements FactReader {
  readonly #languages: LanguageTable;
  readonly #cache: FactCache;
  readonly #reader: FactReader;
  readonly #fewest: number;

  /** @param fewest files for which the cache is used: it is read, and written, as a whole */
  constructor(languages: LanguageTable, cache: FactCache, reader: FactReader, fewest = 0) {
    this.#languages = languages;
    this.#cache = cache;
    this.#reader = reader;
    this.#fewest = fewest;
  }

  async read(jobs: readonly FactJob[], signal: AbortSignal | null): Promise<readonly (FileFacts | null)[]> {
    if (jobs.length < this.#fewest) return this.#reader.read(jobs, signal);
    const keys = jobs.map((job) => this.#keyOf(job));
    const facts = keys.map((key): FileFacts | null => {
      const text = key === null ? null : this.#cache.get(key);
      return text === null ? null : decodeFacts(text);
    });
    const missing = jobs.flatMap((job, nth) => (facts[nth] === null ? [{ job, nth }] : []));
    if (missing.length === 0) return facts;
    const read = await this.#reader.read(
      missing.map(({ job }) => job),
      signal,
    );
    for (const [at, { nth }] of missing.entries()) {
      const found = read[at] ?? null;
      const key = keys[nth] ?? null;
      facts[nth] = found;
      if (found !== null && key !== null) this.#cache.put(key, encodeFacts(found));
    }
    return facts;
  }

  /** The same contents have other facts under another ending, such as `.ts` and `.tsx`. */
  #keyOf({ path, id }: FactJob): string | null {
    const language = this.#languages.of(path);
    const ending = /(?:\.[A-Za-z]{1,8}){1,2}$/.exec(path)?.[0] ?? '';
    return language === null ? null : `${CODEC_VERSION} ${language.id} ${language.version} ${ending} ${id}`;
  }
}
