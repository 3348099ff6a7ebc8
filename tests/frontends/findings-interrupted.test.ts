/** What happens while the facts of many files are read. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';

const FILES = 2_500;
const SECRET = 'hiddenFunctionName';

/** Many files, whose facts are read in other processes for a while. */
function large(): Project {
  const p = project();
  const body = Array.from({ length: 60 }, (_, nth) => `export const f${nth} = (a: number) => a + ${nth};\n`).join('');
  for (let nth = 0; nth < FILES; nth++)
    p.write(`src/m${nth}.ts`, `import { f1 as next } from './m${(nth + 1) % FILES}';\n${body}next(1);\n`);
  p.write('secret.ts', `export function ${SECRET}() {}\n`);
  p.checkpoint();
  p.write('src/m0.ts', 'export const nothing = 1;\n');
  return p;
}

/** Starts it, and waits until its readers run. */
async function startFindings(p: Project) {
  const running = p.start(['findings', '--json']);
  let readers: readonly string[] = [];
  const look = () => {
    readers = childrenOf(running.pid).filter(isFactReader);
    return readers.length;
  };
  await expect.poll(look, { timeout: 30_000, interval: 5 }).toBeGreaterThan(0);
  return { ...running, readers };
}

function childrenOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean);
  } catch {
    return [];
  }
}

const isFactReader = (pid: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('fact');
  } catch {
    return false;
  }
};

describe.skipIf(process.platform !== 'linux')('while facts are read', () => {
  it('Ctrl-C ends the command and its readers, and the next one finds everything', async () => {
    const p = large();
    const { pid, done, readers } = await startFindings(p);
    process.kill(pid, 'SIGINT');
    expect((await done).status).toBe(130);
    await expect.poll(() => readers.filter(isFactReader)).toEqual([]);
    expect(JSON.parse(p.ok('findings', '--json').stdout).findings).toMatchObject([
      { class: 'breaks', rule: 'removed-export', path: `src/m${FILES - 1}.ts` },
    ]);
  });

  it('a purge leaves nothing of what it removes, though it was read before', async () => {
    const p = large();
    const { done } = await startFindings(p);
    p.ok('purge', 'secret.ts', '--yes');
    expect((await done).status).toBe(0);
    expect(filesWith(p.store, SECRET)).toEqual([]);
    // It is in the folder, so what is read from now on may name it.
    p.ok('findings', '--json');
    expect(filesWith(p.store, SECRET)).toHaveLength(1);
  });
});

function filesWith(folder: string, words: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files
    .map((one) => join(one.parentPath, one.name))
    .filter((file) => readFileSync(file, 'latin1').includes(words));
}
