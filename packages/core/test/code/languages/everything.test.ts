import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../src/code/languages/table.ts';
import type { TreePath } from '../../../src/model/names.ts';
import { extractorOf, summary } from './summary.ts';

const SAMPLES: Readonly<Record<string, string>> = {
  go: 'everything.go',
  rust: 'everything.rs',
  java: 'everything.java',
  c: 'everything.c',
  cpp: 'everything.cpp',
  csharp: 'everything.cs',
  ruby: 'everything.rb',
  php: 'everything.php',
  'common-lisp': 'everything.lisp',
  'emacs-lisp': 'everything.el',
};

/** All facts of a file with what a language has, as they were checked by eye: `fixtures/NAME.facts`. */
describe.each(Object.entries(SAMPLES))('%s', (id, name) => {
  it('says all of a file', async () => {
    const language = LANGUAGES.find((each) => each.id === id)!;
    const extract = await extractorOf(language);
    const facts = extract(readFileSync(new URL(`fixtures/${name}`, import.meta.url)), name as TreePath);
    expect(facts.language).toBe(id);
    const lines = Object.entries(summary(facts)).map(([part, all]) => [`${part}:`, ...all.map((each) => `  ${each}`)]);
    await expect(`${lines.flat().join('\n')}\n`).toMatchFileSnapshot(`fixtures/${name}.facts`);
  });
});
