import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeRepository } from '../../bench/repository.mjs';
import { ROWS } from '../../bench/speed/rows.mjs';
import { folderOf } from './folder-of.ts';

const RUN = fileURLToPath(new URL('../../bench/run.mjs', import.meta.url));

function git(dir: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', dir, ...args], { encoding: 'utf8' }).trim();
}

describe('the made-up repository', () => {
  it('has a history as people have: commits, deltas, several packs, loose objects, tracked node_modules', () => {
    const dir = join(folderOf({}), 'made');
    makeRepository(dir, 1_000);
    expect(git(dir, 'status', '--porcelain')).toBe('');
    expect(git(dir, 'fsck', '--strict')).toBe('');
    expect(git(dir, 'rev-list', '--count', 'HEAD')).toBe('100');
    const tracked = git(dir, 'ls-files').split('\n');
    expect(tracked).toHaveLength(1_001);
    expect(tracked.some((path) => path.includes('/node_modules/'))).toBe(true);
    const packs = join(dir, '.git/objects/pack');
    const indexes = readdirSync(packs).filter((name) => name.endsWith('.idx'));
    expect(indexes).toHaveLength(3);
    const packed = indexes.flatMap((name) => git(dir, 'verify-pack', '-v', join(packs, name)).split('\n'));
    // An object that is a delta has its depth and its base at the end of its line.
    expect(packed.filter((line) => / \d+ [0-9a-f]{40}$/.test(line)).length).toBeGreaterThan(100);
    expect(git(dir, 'count-objects')).not.toMatch(/^0 /);
  });

  it('is the same for the same seed, and another one for another', () => {
    const top = folderOf({});
    const headOf = (name: string, options?: { readonly seed: number }) => {
      makeRepository(join(top, name), 100, options);
      return git(join(top, name), 'rev-parse', 'HEAD');
    };
    const head = headOf('one');
    expect(headOf('again')).toBe(head);
    expect(headOf('other', { seed: 7 })).not.toBe(head);
  });
});

describe('the bench of a clone', () => {
  it('measures a copy of what is committed, beside git, and changes nothing in the clone', () => {
    const top = folderOf({});
    const clone = join(top, 'clone');
    makeRepository(clone, 200);
    const before = statsBelow(clone);
    const printed = execFileSync(
      process.execPath,
      [RUN, '--repo', `some/name=${clone}`, '--sizes', '', '--runs', '1'],
      {
        encoding: 'utf8',
        env: { ...process.env, TMPDIR: top },
      },
    );
    expect(statsBelow(clone)).toEqual(before);
    expect(readdirSync(top).filter((name) => name.startsWith('savepoint-bench-'))).toEqual([]);
    const table = printed.slice(printed.indexOf('| | '));
    const cells = new Map(table.split('\n').map((line) => [line.split(' | ')[0], line.split(' | ')[1]]));
    expect(cells.get('|')).toBe('some/name');
    expect(cells.get('| commit')).toBe(git(clone, 'rev-parse', '--short=12', 'HEAD'));
    expect(cells.get('| files')).toBe('201');
    expect(cells.get('| commits')).toBe('20');
    expect(cells.get('| packs')).toMatch(/^2, /);
    for (const { what } of Object.values(ROWS)) {
      expect(cells.get(`| ${what}`), what).toMatch(/^(?:\*\*)?[\d.,]+(?:\*\*)? : [\d.,]+ \([\d.,]+ ×\)$/);
    }
  }, 120_000);

  it('refuses a part that it does not have', () => {
    const top = folderOf({});
    const env = { ...process.env, TMPDIR: top };
    expect(() => execFileSync(process.execPath, [RUN, '--only', 'all'], { env, stdio: 'pipe' })).toThrow(
      /--only takes of speed, .*: not all/,
    );
    expect(readdirSync(top)).toEqual([]);
  });
});

/** What a process would change by working in the folder: names, contents of small files, times. */
function statsBelow(dir: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((name) => {
      const { mtimeNs, ctimeNs, size, nlink } = lstatSync(join(dir, name), { bigint: true });
      return [name, `${size} ${nlink} ${mtimeNs} ${ctimeNs}`];
    }),
  );
}
