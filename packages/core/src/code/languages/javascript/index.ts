import type { Language } from '../../language.ts';
import { extractor } from './extract.ts';
import { JAVASCRIPT_MEMBERS } from './own-members.ts';
import { JAVASCRIPT_NAMES } from './own-names.ts';
import { javascriptResolver } from './resolver/resolver.ts';

/** JavaScript and TypeScript, with JSX, and the scripts of Vue's and Svelte's components. */
export const javascript: Language = {
  id: 'javascript',
  version: 'oxc-0.159.0-4',
  patterns: ['*.js', '*.mjs', '*.cjs', '*.jsx', '*.ts', '*.mts', '*.cts', '*.tsx', '*.vue', '*.svelte'],
  isMeasured: true,
  ownMembers: JAVASCRIPT_MEMBERS,
  ownNames: JAVASCRIPT_NAMES,
  load: async () => extractor(await import('oxc-parser')),
  resolverOf: javascriptResolver,
};
