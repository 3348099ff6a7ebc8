/**
 * The program of a process that reads facts. Parsers are native code, and code that is nested deeply enough overflows their
 * stack, which ends the whole process. So it is another one than the engine's.
 */

import { encodeFacts } from '../../../code/codec.ts';
import { LANGUAGES } from '../../../code/languages/table.ts';
import { LanguageTable, LocalFactReader } from '../../../code/reader.ts';
import type { TreePath } from '../../../model/names.ts';
import { readGrammar } from './grammars.ts';

/** What the process is asked: the facts of some files. */
export interface FactRequest {
  readonly job: number;
  readonly files: readonly { readonly path: TreePath; readonly bytes: Uint8Array }[];
}

export interface FactAnswer {
  readonly job: number;
  /** Encoded; null: no parser for the language is installed. */
  readonly facts: readonly (string | null)[];
}

const reader = new LocalFactReader(new LanguageTable(LANGUAGES), readGrammar);

process.on('message', ({ job, files }: FactRequest) => {
  const jobs = files.map(({ path, bytes }) => ({ path, id: '', read: () => bytes }));
  void reader.read(jobs, null).then((facts) => {
    const answer: FactAnswer = { job, facts: facts.map((one) => (one === null ? null : encodeFacts(one))) };
    process.send?.(answer);
  });
});
process.on('disconnect', () => process.exit());
