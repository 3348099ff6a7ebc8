import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { blocksOf, TOP } from './document-blocks.ts';

/**
 * The programs in the documents, as a reader pastes them, and the examples: they compile against the built packages,
 * without casts.
 */

interface Block {
  readonly page: string;
  readonly text: string;
}

function blocks(): readonly Block[] {
  const docs = readdirSync(join(TOP, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`);
  return ['README.md', ...docs.filter((name) => name.endsWith('.md'))].sort().flatMap((page) => {
    return blocksOf(page, 'js', 'ts', 'mjs', 'javascript', 'typescript').map((text) => ({ page, text }));
  });
}

/** A project of a reader, with the packages installed. */
function project(): string {
  const dir = mkdtempSync(join(tmpdir(), 'savepoint-blocks-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  symlinkSync(join(TOP, 'node_modules'), join(dir, 'node_modules'));
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'reader', type: 'module' }));
  return dir;
}

test.each(['node16', 'bundler'])(
  'every program in the documents and every example compiles with moduleResolution %s',
  (resolution) => {
    const dir = project();
    const all = blocks();
    expect(all.length).toBeGreaterThanOrEqual(5);
    for (const [index, { page, text }] of all.entries()) {
      expect(`${page}: ${/\bas (?:any|never|unknown|[a-z]+\.)\b/.exec(text)?.[0] ?? ''}`).toBe(`${page}: `);
      writeFileSync(join(dir, `${page.replaceAll(/[^a-z]+/gi, '-')}-${index}.ts`), `${text}\nexport {};\n`);
    }
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      target: 'es2023',
      lib: ['es2023', 'dom'],
      types: ['node'],
      skipLibCheck: true,
      allowJs: true,
      checkJs: true,
      module: resolution === 'node16' ? 'node16' : 'esnext',
      moduleResolution: resolution,
    };
    cpSync(join(TOP, 'examples'), join(dir, 'examples'), { recursive: true });
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', 'examples'] }));
    expect(run(dir, [join(TOP, 'node_modules/typescript/bin/tsc'), '-p', dir])).toBe('');
  },
);

test.each([
  ['README.md', ['a.txt', 'agent.txt']],
  ['docs/reference/library.md', ['a.txt']],
] as const)('the program in %s runs when it is pasted', (page, files) => {
  const dir = project();
  const [block] = blocks().filter((one) => one.page === page);
  const work = join(dir, 'work');
  mkdirSync(work);
  writeFileSync(join(work, 'a.txt'), 'one\n');
  // Types only, which TypeScript removes.
  const text = (block?.text ?? '').replaceAll(/type Edit, type FileRequest, |: readonly (?:Edit|FileRequest)\[\]/g, '');
  writeFileSync(join(dir, 'program.mjs'), text);
  const printed = run(work, [join(dir, 'program.mjs')], { SAVEPOINT_HOME: join(dir, 'home') });
  expect([printed, ...readdirSync(work)]).toEqual([expect.not.stringMatching(/Error|CONFLICT/), ...files]);
  if (page !== 'README.md') {
    expect(printed).toContain('café.txt my-agent sure');
    expect(printed).toContain('true true undefined');
  }
});

/** @returns what it prints, also if it fails */
function run(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  try {
    return execFileSync(process.execPath, args, {
      cwd,
      encoding: 'utf8',
      stdio: 'pipe',
      env: { ...process.env, ...env },
    });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    return `${stdout}${stderr}` || String(error);
  }
}
