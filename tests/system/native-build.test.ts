import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { buildNative } from '../../packages/native/build.mjs';
import { checkAddOn } from '../../packages/native/test/checks.ts';
import { TOP } from '../../scripts/steps.mjs';

const committed = join(TOP, 'packages/native/prebuilt/linux-x64.node');

function compilerOf(bytes: Buffer): string | null {
  return /GCC: \(.*?\) [\d.]+/.exec(bytes.toString('latin1'))?.[0] ?? null;
}

function outputOf(program: string, ...args: readonly string[]): string | null {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return null;
  }
}

const possible = process.platform === 'linux' && process.arch === 'x64' && outputOf('gcc', '--version') !== null;

describe.skipIf(!possible)('the native add-on, rebuilt', () => {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-native-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const built = join(folder, 'built.node');
  if (possible) buildNative(built);
  const sameCompiler = possible && compilerOf(readFileSync(built)) === compilerOf(readFileSync(committed));

  checkAddOn(built);

  test.skipIf(!sameCompiler)('equals the committed one, byte for byte', () => {
    expect(readFileSync(built).equals(readFileSync(committed))).toBe(true);
  });

  test('is the same wherever it is built', () => {
    const elsewhere = join(folder, 'again.node');
    buildNative(elsewhere);
    expect(readFileSync(elsewhere).equals(readFileSync(built))).toBe(true);
  });

  test('imports only functions of Node-API', () => {
    for (const file of [built, committed]) {
      const symbols = outputOf('nm', '--dynamic', '--undefined-only', '--format=posix', file) ?? '';
      const names = symbols
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0]);
      expect(names.length).toBeGreaterThan(4);
      expect(names.filter((name) => !/^napi_[a-z0-9_]+$/.test(name ?? ''))).toEqual([]);
      expect(outputOf('readelf', '--dynamic', '--wide', file)).not.toMatch(/NEEDED|TEXTREL|RPATH|RUNPATH/);
    }
  });
});
