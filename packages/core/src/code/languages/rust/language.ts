import type { Language } from '../../language.ts';
import { loadGrammar } from '../tree-sitter/grammar.ts';
import { outlineReader } from '../tree-sitter/outline.ts';
import { rustResolver } from './resolver.ts';
import { RUST_RULES } from './rules.ts';

export const RUST: Language = {
  id: 'rust',
  version: '1',
  patterns: ['*.rs'],
  isMeasured: false,
  load: (readGrammar) => loadGrammar(readGrammar, 'rust', 'rust', outlineReader(RUST_RULES)),
  resolverOf: rustResolver,
};
