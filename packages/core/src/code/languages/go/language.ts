import type { Language } from '../../language.ts';
import { loadGrammar } from '../tree-sitter/grammar.ts';
import { outlineReader } from '../tree-sitter/outline.ts';
import { goResolver } from './resolver.ts';
import { GO_RULES } from './rules.ts';

export const GO: Language = {
  id: 'go',
  version: '1',
  patterns: ['*.go'],
  isMeasured: false,
  load: (readGrammar) => loadGrammar(readGrammar, 'go', 'go', outlineReader(GO_RULES)),
  resolverOf: goResolver,
};
