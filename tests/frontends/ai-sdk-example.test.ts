import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const top = fileURLToPath(new URL('../..', import.meta.url));
const with6 = ['--import', new URL('./with-ai-6.mjs', import.meta.url).href];

function node(...args: readonly string[]): string {
  return execFileSync(process.execPath, args, { cwd: top, encoding: 'utf8', stdio: 'pipe' });
}

describe.each([
  { version: 6, options: with6 },
  { version: 7, options: [] },
])('examples/ai-sdk on version $version', ({ version, options }) => {
  it('edits several files in one call, corrects a refused edit, and undoes it', () => {
    expect(node(...options, 'examples/ai-sdk/agent.mjs').split('\n')).toEqual([
      '> Raise the price to 1.29 everywhere.',
      expect.stringMatching(/^multi_edit_files was refused: .*2 of 3.*"README\.md".*"prices\.js"/),
      'multi_edit_files did it',
      'Both files say 1.29.',
      '  price.js: export const price = 1.29;',
      '  README.md: One bun is 1.29.',
      '> No, take that back.',
      'undo did it',
      'undo did it',
      'Both files are as they were.',
      '  price.js: export const price = 1.19;',
      '  README.md: One bun is 1.19.',
      '',
    ]);
  });

  it('records each call of its own tools', () => {
    expect(node(...options, 'examples/ai-sdk/history.mjs').split('\n')).toEqual([
      'The note is written, and the draft is final.',
      'cp_1  Prompt: Note that we need buns, and finish the draft.',
      'cp_2  write_note today.md (new, +1 \u22120)',
      '      create today.md, by example',
      'cp_3  shell: mv draft.md final.md; echo Done. >> final.md (1 file)',
      '      rename final.md, by example',
      'cp_4  my own',
      '      create mine.md, by outside',
      '',
    ]);
  });

  it('uses that version', () => {
    const ask = "const t = await import('ai/test'); console.log('MockLanguageModelV4' in t)";
    expect(node(...options, '--input-type=module', '-e', ask).trim()).toBe(String(version === 7));
  });
});
