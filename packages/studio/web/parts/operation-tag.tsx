import type { Change } from '../data/authors.ts';

const WORDS: Readonly<Record<Change['operation'], string>> = {
  create: 'new',
  write: '',
  patch: '',
  delete: 'deleted',
  rename: 'renamed',
  mode: 'permissions',
  kind: 'replaced',
};

/** What happened to a file, unless only its lines changed. */
export function OperationTag({ operation }: { readonly operation: Change['operation'] }) {
  const word = WORDS[operation];
  return word === '' ? null : <span className={`tag ${operation}`}>{word}</span>;
}
