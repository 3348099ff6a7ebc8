/**
 * Analysis of source code. A script analyses a change like this:
 *
 *     const languages = new LanguageTable(LANGUAGES);
 *     const base = codeTree(files, read); // and `proposed` in the same way
 *     const { findings } = await analyse({ base, proposed, languages, reader: new LocalFactReader(languages) });
 *
 * `base` of the result is a graph. The next analysis with the same base takes it as `graph`, and reads changed files only.
 */
export { type Analysis, type AnalysisInput, analyse, graphAfter, graphOf, graphsOf } from './analyse.ts';
export { CachedFactReader } from './cache.ts';
export type * from './facts.ts';
export type * from './finding.ts';
export { type CodeSplit, splitCode } from './groups/split.ts';
export type { CodeTree } from './language.ts';
export { LANGUAGES } from './languages/table.ts';
export { type FactJob, type FactReader, LanguageTable, LocalFactReader } from './reader.ts';
export { codeTree } from './tree.ts';
