import type { Language } from '../../language.ts';
import { loadGrammar } from '../tree-sitter/grammar.ts';
import { outlineReader } from '../tree-sitter/outline.ts';
import { CSHARP_RULES } from './rules.ts';

export const CSHARP: Language = {
  id: 'csharp',
  version: '1',
  patterns: ['*.cs', '*.csx'],
  isMeasured: false,
  load: (readGrammar) => loadGrammar(readGrammar, 'c-sharp', 'csharp', outlineReader(CSHARP_RULES)),
  // A namespace is not a file or folder: only the facts of all files say what is in it.
  resolverOf: () => ({
    resolve: (_, from) => ({ to: /^(?:System|Microsoft)(?:\.|$)/.test(from) ? 'outside' : 'unknown' }),
  }),
};
