import type { Language } from '../../language.ts';
import { loadGrammar } from '../tree-sitter/grammar.ts';
import { PYTHON_MEMBERS } from './own-members.ts';
import { pythonReader } from './read-facts.ts';
import { pythonResolver } from './resolver.ts';

export const PYTHON: Language = {
  id: 'python',
  version: '1',
  patterns: ['*.py', '*.pyi', '*.pyw'],
  isMeasured: true,
  ownMembers: PYTHON_MEMBERS,
  load: (readGrammar) => loadGrammar(readGrammar, 'python', 'python', pythonReader),
  resolverOf: pythonResolver,
};
