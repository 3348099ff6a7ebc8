import type { Language } from '../../language.ts';
import { loadGrammar } from '../tree-sitter/grammar.ts';
import { outlineReader } from '../tree-sitter/outline.ts';
import { phpResolver } from './resolver.ts';
import { PHP_RULES } from './rules.ts';

export const PHP: Language = {
  id: 'php',
  version: '1',
  patterns: ['*.php', '*.phtml', '*.inc'],
  isMeasured: false,
  load: (readGrammar) => loadGrammar(readGrammar, 'php', 'php', outlineReader(PHP_RULES)),
  resolverOf: phpResolver,
};
