import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkDocs } from '../../scripts/check-docs.mjs';
import { checkTable, TABLES } from '../../scripts/docs/rows.mjs';
import { folderOf } from './folder-of.ts';
import { reportOf } from './report-of.ts';

const HEAD = '| id | text | state | proof |\n| --- | --- | --- | --- |\n';

/** Both tables with every row waiting, except the given rows. */
function tables(rows: Readonly<Record<string, string>> = {}): Record<string, string> {
  const table = (ids: readonly string[]) =>
    HEAD + ids.map((id) => rows[id] ?? `| ${id} | what | waits | later |`).join('\n');
  return Object.fromEntries(Object.entries(TABLES).map(([path, ids]) => [path, table(ids)]));
}

const PROOF = '`packages/core/test/a.test.ts › outer › works`';
const FILES = { 'packages/core/test/a.test.ts': '', 'tests/system/b.test.ts': '' };

/** The problems of the tables if their tests ran with these outcomes. */
function checked(
  rows: Record<string, string>,
  outcomes: Record<string, 'passed' | 'failed' | 'skipped'> | null,
): string[] {
  const top = folderOf({ ...tables(rows), ...FILES });
  const reports = outcomes === null ? [] : [reportOf(top, { 'packages/core/test/a.test.ts': outcomes })];
  return checkDocs(top, reports, ['tests/system/']);
}

describe('rows', () => {
  it('are all wanted: 79 features and 69 complaints', () => {
    expect(Object.values(TABLES).map((ids) => ids.length)).toEqual([79, 69]);
    expect(checked({}, {})).toEqual([]);
  });

  it('are each reported if missing', () => {
    for (const [path, ids] of Object.entries(TABLES)) {
      const whole = tables()[path] ?? '';
      for (const id of ids) {
        const without = whole
          .split('\n')
          .filter((line) => !line.startsWith(`| ${id} |`))
          .join('\n');
        expect(checkTable(path, without, ids, { results: null, notRun: [] }, () => true)).toEqual([
          `${path}: row ${id} is missing`,
        ]);
      }
    }
  });

  it.each([
    ['a state of its own', '| B2 | what | ready | later |', 'state "ready" is none of: done, part, waits'],
    [
      'an unknown milestone',
      '| B2 | what | waits | soon |',
      'waits for "soon", which is none of: Atomic edits, History, Repositories, Speed, later',
    ],
    ['a missing cell', '| B2 | what | waits |', 'has 3 cells, wanted: | id | text | state | proof |'],
    ['an open bar in the text', '| B2 | a | b | waits | later |', 'has 5 cells, wanted: | id | text | state | proof |'],
    ['no proof', '| B2 | what | done | |', 'names no test that proves it'],
    [
      'a proof in words',
      '| B2 | what | done | all of it `packages/core/test/a.test.ts › works` |',
      'proof holds more than `file › test`, separated by ;',
    ],
    [
      'a file without a test',
      '| B2 | what | part | `packages/core/test/a.test.ts` |',
      '"packages/core/test/a.test.ts" does not read `path/to/file.test.ts › full test name`',
    ],
    [
      'a file that is gone',
      '| B2 | what | part | `packages/core/test/gone.test.ts › works` |',
      'packages/core/test/gone.test.ts does not exist',
    ],
    ['the same row twice', '| B2 | what | waits | later |\n| B2 | what | waits | later |', 'is there twice'],
    ['an unknown row', '| B2 | what | waits | later |\n| B99 | what | waits | later |', 'no such row is known'],
  ])('fail with %s', (_, row, problem) => {
    expect(checked({ B2: row }, null)).toEqual([expect.stringMatching(/^docs\/features\.md:\d+ row B\d+: /)]);
    expect(checked({ B2: row }, null)[0]).toContain(problem);
  });

  it('may contain a bar in code or after a backslash', () => {
    expect(checked({ B2: '| B2 | `a|b` and a \\| b | waits | later |' }, null)).toEqual([]);
  });
});

describe('proofs', () => {
  const done = { B2: `| B2 | what | done | ${PROOF} |`, 7: `| 7 | what | part | ${PROOF} |` };

  it('are valid if the named test ran and passed', () => {
    expect(checked(done, { 'outer works': 'passed', other: 'failed' })).toEqual([]);
  });

  it.each([
    ['did not run', { 'outer works not': 'passed' as const }, 'no such test ran: '],
    ['failed', { 'outer works': 'failed' as const }, 'did not pass: '],
    ['was skipped', { 'outer works': 'skipped' as const }, 'did not pass: '],
  ])('fail when the named test %s', (_, outcomes, problem) => {
    const test = PROOF.replaceAll('`', '');
    expect(checked(done, outcomes)).toEqual([
      expect.stringMatching(`row B2: ${problem}${test}`),
      expect.stringMatching(`row 7: ${problem}${test}`),
    ]);
  });

  it('fail when one of several tests fails', () => {
    const row = `| B2 | what | done | ${PROOF}; \`packages/core/test/a.test.ts › other\` |`;
    expect(checked({ B2: row }, { 'outer works': 'passed', other: 'passed' })).toEqual([]);
    expect(checked({ B2: row }, { 'outer works': 'passed', other: 'failed' })).toHaveLength(1);
  });

  it('in a folder that was not run need only their file', () => {
    const row = (file: string) => ({ B2: `| B2 | what | done | \`${file} › works\` |` });
    expect(checked(row('tests/system/b.test.ts'), {})).toEqual([]);
    expect(checked(row('tests/system/gone.test.ts'), {})).toHaveLength(1);
  });

  it('fail when the report is missing', () => {
    const top = folderOf(tables());
    expect(checkDocs(top, [join(top, 'none.json')], [])).toEqual([expect.stringContaining('no report: ')]);
  });
});

describe('links', () => {
  it('refer to existing files', () => {
    const text = '[a](docs/a.md#part) [web](https://example.org/x) [up](#here) `[code](gone.md)` [dead](docs/gone.md)';
    const top = folderOf({ ...tables(), 'README.md': text, 'docs/a.md': '[back](../README.md) [dead](../gone.md)' });
    expect(checkDocs(top, [], [])).toEqual([
      'README.md: the link to docs/gone.md leads nowhere',
      'docs/a.md: the link to ../gone.md leads nowhere',
    ]);
  });
});

it('the command fails and names the problems, and succeeds without problems', () => {
  const script = fileURLToPath(new URL('../../scripts/check-docs.mjs', import.meta.url));
  const run = (top: string) => spawnSync(process.execPath, [script, '--top', top], { encoding: 'utf8' });
  const wrong = run(folderOf({ 'docs/features.md': tables()['docs/features.md'] ?? '' }));
  expect([wrong.status, wrong.stderr]).toEqual([1, 'docs/complaints.md is missing\n\ndocs: 1 wrong\n']);
  expect(run(folderOf(tables())).status).toBe(0);
});

describe('the table of CONTRIBUTING.md', () => {
  const row = (name: string): string => `| \`tests/${name}/\` | what it is for |\n`;
  const reported = (text: string): string[] => {
    const top = folderOf({ ...tables(), ...FILES, 'tests/crash/c.test.ts': '', 'CONTRIBUTING.md': text });
    return checkDocs(top, [], []);
  };

  it('has a row for each folder of tests/, and for no other', () => {
    expect(reported(row('system') + row('crash'))).toEqual([]);
    expect(reported(row('crash') + row('gone'))).toEqual([
      'CONTRIBUTING.md: no row says what tests/system/ is for',
      'CONTRIBUTING.md: tests/gone/ has a row and is not there',
    ]);
  });

  it('has a text in each row', () => {
    expect(reported('| `tests/system/` | |\n| `tests/crash/` | deaths |\n')).toEqual([
      'CONTRIBUTING.md: no row says what tests/system/ is for',
    ]);
  });
});
