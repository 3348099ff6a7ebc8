import type { TreePath } from '../../../model/names.ts';

/** Text for the parser, and the name that tells it the language. */
export interface Source {
  readonly text: string;
  readonly name: string;
}

const SCRIPT = /<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi;

/** Returns the scripts of a component (Vue, Svelte), with everything else as spaces, so that lines stay the same. */
export function scriptsOf(text: string, path: TreePath): Source {
  if (!/\.(?:vue|svelte)$/.test(path)) return { text, name: path };
  let scripts = '';
  let isTyped = false;
  for (const match of text.matchAll(SCRIPT)) {
    const [whole, attributes = '', script = ''] = match;
    const start = match.index + whole.indexOf('>') + 1;
    isTyped ||= /\blang\s*=\s*["']?ts/.test(attributes);
    scripts += blanked(text.slice(scripts.length, start)) + script;
  }
  return { text: scripts, name: isTyped ? 'component.ts' : 'component.js' };
}

function blanked(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
