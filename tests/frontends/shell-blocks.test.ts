import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { blocksOf, pathWithCommand } from './document-blocks.ts';

/** The commands of the README, as a reader pastes them. */

/** Its blocks of commands that need no agent and no clone of this project. */
const BLOCKS = blocksOf('README.md', 'sh').filter(
  (block) => /^[^#\n]*\bsavepoint /m.test(block) && !/\b(?:npm|alias|install)\b/.test(block),
);

/** What a reader replaces or answers. */
function filledIn(block: string): string {
  return block
    .replaceAll('cp_12', 'cp_1')
    .replace(/^# ….*…$/m, 'echo work > src/work.txt')
    .replaceAll('DIR', '../restored')
    .replaceAll(/^(savepoint (?:restore|undo)(?:(?! --dry-run)[^#\n])*?) *(#.*)?$/gm, '$1 --yes');
}

test('the README has commands to paste', () => {
  expect(BLOCKS.length).toBe(4);
});

test.each(BLOCKS)('these commands of the README run:\n%s', (block) => {
  const top = mkdtempSync(join(tmpdir(), 'savepoint-readme-'));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const at = (path: string) => join(top, path);
  for (const folder of ['my-project/src', 'my-project/backend-api']) mkdirSync(at(folder), { recursive: true });
  writeFileSync(at('my-project/src/price.js'), 'export const price = 1.19;\n');
  const env = { ...process.env, HOME: top, PATH: pathWithCommand(at('bin')), SAVEPOINT_HOME: at('home') };
  const sh = (line: string, cwd: string) => execFileSync('sh', ['-ec', line], { cwd, env, stdio: 'pipe' }).toString();
  for (const repository of ['my-project', 'my-project/backend-api']) {
    sh('git init -q && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one', at(repository));
  }
  const starts = block.startsWith('cd ');
  if (!starts) sh('savepoint checkpoint', at('my-project'));
  sh(filledIn(block), starts ? top : at('my-project'));
  // Nothing is left behind in the workspace, such as a bundle.
  expect(readdirSync(at('my-project')).sort()).toEqual(['.git', 'backend-api', 'src']);
});
