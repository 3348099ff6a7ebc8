import type { Language } from '../../language.ts';
import { loadGrammar } from '../tree-sitter/grammar.ts';
import { outlineReader } from '../tree-sitter/outline.ts';
import { javaResolver } from './resolver.ts';
import { JAVA_RULES } from './rules.ts';

export const JAVA: Language = {
  id: 'java',
  version: '1',
  patterns: ['*.java'],
  isMeasured: false,
  load: (readGrammar) => loadGrammar(readGrammar, 'java', 'java', outlineReader(JAVA_RULES)),
  resolverOf: javaResolver,
};
