import type { Language } from '../../language.ts';
import { loadGrammar } from '../tree-sitter/grammar.ts';
import { outlineReader } from '../tree-sitter/outline.ts';
import { rubyResolver } from './resolver.ts';
import { RUBY_RULES } from './rules.ts';

export const RUBY: Language = {
  id: 'ruby',
  version: '1',
  patterns: ['*.rb', '*.rake', '*.gemspec', 'Rakefile', 'Gemfile'],
  isMeasured: false,
  load: (readGrammar) => loadGrammar(readGrammar, 'ruby', 'ruby', outlineReader(RUBY_RULES)),
  resolverOf: rubyResolver,
};
