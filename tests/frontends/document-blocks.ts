/** The code blocks of the documents, and the command under its name, for tests that run what a reader pastes. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main } from '@savepoint/testkit/command';

/** The folder of this project. */
export const TOP = fileURLToPath(new URL('../../', import.meta.url));

/** @param page path in this project */
export function blocksOf(page: string, ...languages: readonly string[]): readonly string[] {
  const block = new RegExp(`^\`\`\`(?:${languages.join('|')})\\n(.*?)^\`\`\`$`, 'gms');
  return [...readFileSync(join(TOP, page), 'utf8').matchAll(block)].map(([, text = '']) => text);
}

/** @returns a value for PATH with which `savepoint` is the built command */
export function pathWithCommand(bin: string): string {
  mkdirSync(bin, { recursive: true });
  const file = join(bin, 'savepoint');
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  chmodSync(file, 0o755);
  return `${bin}:${process.env['PATH']}`;
}
