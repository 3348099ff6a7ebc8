import type { Language } from '../../language.ts';
import { loadGrammar } from '../tree-sitter/grammar.ts';
import { pythonReader } from './read-facts.ts';
import { pythonResolver } from './resolver.ts';

export const PYTHON: Language = {
  id: 'python',
  version: '1',
  patterns: ['*.py', '*.pyi', '*.pyw'],
  isMeasured: true,
  load: (readGrammar) => loadGrammar(readGrammar, 'python', 'python', pythonReader),
  resolverOf: pythonResolver,
};
