import type { Language } from '../../language.ts';
import { loadGrammar } from '../tree-sitter/grammar.ts';
import { outlineReader } from '../tree-sitter/outline.ts';
import { includeResolver } from './resolver.ts';
import { C_RULES, CPP_RULES } from './rules.ts';

export const C: Language = {
  id: 'c',
  version: '1',
  patterns: ['*.c'],
  isMeasured: false,
  load: (readGrammar) => loadGrammar(readGrammar, 'c', 'c', outlineReader(C_RULES)),
  resolverOf: includeResolver,
};

/** Also headers: those of C are C++ with few exceptions. */
export const CPP: Language = {
  id: 'cpp',
  version: '1',
  patterns: ['*.cc', '*.cpp', '*.cxx', '*.c++', '*.h', '*.hh', '*.hpp', '*.hxx', '*.ipp', '*.inl', '*.tpp'],
  isMeasured: false,
  load: (readGrammar) => loadGrammar(readGrammar, 'cpp', 'cpp', outlineReader(CPP_RULES), withoutMacros),
  resolverOf: includeResolver,
};

/** Macros between `class` and its name, such as for exports from a library. */
function withoutMacros(text: string): string {
  return text.replace(
    /\b((?:class|struct|union)\s+)([A-Z][A-Z0-9_]{2,})(?=\s+[A-Za-z_]\w*\s*(?:final\s*)?[:{;<])/g,
    (_, before: string, macro: string) => before + ' '.repeat(macro.length),
  );
}
