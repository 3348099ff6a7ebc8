import { randomBytes } from 'node:crypto';
import { project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { onTerminal } from './pseudo-terminal.ts';

/** What the command says to people who have not read its help. */

it.each([
  [['restore', 'src/a.ts'], 1, '"src/a.ts" is not a valid checkpoint', '`savepoint restore last -- src/a.ts`'],
  [['restore', 'last', 'src/a.ts'], 2, 'Too many arguments', 'Did you mean `savepoint restore last -- src/a.ts`?'],
  [['diff', 'nosuch.txt'], 1, '"nosuch.txt" is not a valid checkpoint', '`savepoint diff -- nosuch.txt`'],
  [['diff', 'last', 'it is.txt'], 1, '"it is.txt" is not', "`savepoint diff -- 'it is.txt'`"],
  [['checkpoint', 'before lunch'], 2, 'Too many arguments', "Did you mean `savepoint checkpoint -m 'before lunch'`?"],
  [['restore', 'cp1'], 1, '"cp1" is not a valid checkpoint', '\n  Did you mean cp_1?\n'],
  [['show', '#1'], 1, '"#1" is not a valid checkpoint', '\n  Did you mean cp_1?\n'],
  [['restore', 'prompt'], 1, '"prompt" is not a valid checkpoint', '\n  Did you mean @prompt?\n'],
  [['history', 'src/a.ts'], 2, 'Too many arguments', 'Did you mean `savepoint history -- src/a.ts`?'],
  [['undo', 'cp_1'], 2, 'Too many arguments', 'Did you mean `savepoint restore cp_1`?'],
  [['undo', 'cp_1.1'], 2, 'Too many arguments', 'Did you mean `savepoint rollback --change cp_1.1`?'],
  [['redo', 'src/a.ts'], 2, 'Too many arguments', 'Did you mean `savepoint restore last -- src/a.ts`?'],
  [['list', '3'], 2, 'Too many arguments', 'Did you mean `savepoint list --limit 3`?'],
  [['log', 'src/a.ts'], 2, 'Too many arguments', 'Did you mean `savepoint history -- src/a.ts`?'],
  [['list', '-n'], 2, "'-n, --limit <number>' argument missing", '`savepoint list --help`'],
  [
    ['plan', 'apply', 'last', '--override'],
    2,
    "'--override <reason>' argument missing",
    '`savepoint plan apply --help`',
  ],
  [['plan', 'apply', 'last', '--nosuch'], 2, "nknown option '--nosuch'", '`savepoint plan apply --help`'],
  [['plan', 'revise', 'last'], 2, 'needs words or changes', '`savepoint plan revise --help`'],
  [['plan', 'nosuch'], 2, "'nosuch'", '`savepoint plan --help`'],
  [['plan', 'approve', 'last'], 2, "Unknown command 'approve'", 'Did you mean plan review?'],
  [['plan', 'new', '--from-branch', 'nosuch'], 2, 'has a branch "nosuch"', '`git branch --all` lists'],
  [['nosuch', 'list'], 2, "Unknown command 'nosuch'", 'Run `savepoint help` for the list'],
  [['hist'], 2, "Unknown command 'hist'", 'Did you mean history?'],
  [['daemon'], 2, '`savepoint daemon` needs a command: status, stop.', '`savepoint daemon --help`'],
  [['history', '--', 'a', 'b'], 2, 'history takes one path', ''],
  [
    ['diff', '--', 'nosuch.txt'],
    1,
    'nosuch.txt is neither in cp_1 nor in the workspace',
    'savepoint history -- <path>',
  ],
  [['diff', 'cp_1', 'cp_1', '--', 'a', 'src'], 1, 'a is neither in cp_1 nor in cp_1', 'savepoint history'],
])('%s says what was probably meant', (args, status, what, hint) => {
  const p = project();
  p.write('src/a.ts', 'a\n');
  p.checkpoint();
  const outcome = p.run(args);
  expect(outcome.status).toBe(status);
  expect(outcome.stderr).toContain(what);
  expect(outcome.stderr).toContain(hint);
});

it('a plan without words says how to give them', () => {
  const p = project();
  p.write('../edits.json', '{"files":[]}');
  p.checkpoint();
  const { status, stderr } = p.run(['plan', 'new', '../edits.json']);
  expect([status, stderr]).toEqual([2, expect.stringMatching(/needs words that say what it is for[\s\S]*`-m TEXT`/)]);
});

describe('gc', () => {
  const LIMITS = ['--max-checkpoints', '1', '--keep-at-least', '1'];

  function withFour() {
    const p = project();
    for (let at = 0; at < 4; at++) {
      p.write('a.txt', `${at}\n`);
      p.checkpoint();
    }
    return p;
  }

  it('shows what it would drop, and drops nothing without a terminal or --yes', () => {
    const p = withFour();
    expect(p.ok('gc', ...LIMITS, '--dry-run').stdout).toBe(
      'Clean-up would drop 2 checkpoints (cp_1, cp_2) and keep 2.\n',
    );
    for (const args of [
      ['gc', ...LIMITS],
      ['gc', ...LIMITS, '--json'],
    ]) {
      const { status, stderr } = p.run(args);
      expect(status).toBe(1);
      expect(stderr).toContain('drop 2 checkpoints (cp_1, cp_2)');
    }
    expect(JSON.parse(p.run(['gc', ...LIMITS, '--json']).stderr).error.code).toBe('NEEDS_CONFIRMATION');
    expect(p.ok('list').stdout.match(/^cp_\d+/gm)).toHaveLength(4);
    expect(p.ok('gc', ...LIMITS, '--yes').stdout).toContain('Dropped 2 checkpoints (cp_1 to cp_2), kept 2.');
    expect(p.ok('list').stdout.match(/^cp_\d+/gm)).toEqual(['cp_4', 'cp_3']);
  });

  it('needs no confirmation if it drops nothing', () => {
    const p = withFour();
    expect(p.ok('gc').stdout).toContain('Dropped 0 checkpoints, kept 4.');
    expect(p.ok('gc', '--dry-run').stdout).toContain('Nothing to drop');
  });

  it('says that a store over its limit may lose more', () => {
    const p = withFour();
    p.write('big.bin', randomBytes(2 * 1024 * 1024));
    p.checkpoint();
    const { dropped, tooLarge } = JSON.parse(p.ok('gc', '--dry-run', '--max-store-mb', '1', '--json').stdout);
    expect([dropped, tooLarge]).toEqual([[], true]);
  });

  it('asks on a terminal', async () => {
    const p = withFour();
    const no = await onTerminal(p, ['gc', ...LIMITS], { typed: [[/\[y\/N\] /, 'n\r']] });
    expect(no.status).toBe(1);
    expect(no.screen).toContain('Nothing was dropped');
    const yes = await onTerminal(p, ['gc', ...LIMITS], { typed: [[/\[y\/N\] /, 'y\r']] });
    expect(yes.status).toBe(0);
    expect(yes.screen).toContain('Dropped 2 checkpoints');
  });
});

it('help shows the page of a command of two words', () => {
  const p = project();
  expect(p.ok('help', 'bundle', 'create').stdout).toBe(p.ok('bundle', 'create', '--help').stdout);
  expect(p.ok('-C', '.', 'help', 'sessions', 'delete').stdout).toContain('Usage: savepoint sessions delete');
  expect(p.ok('help', 'sessions').stdout).toContain('Usage: savepoint sessions ');
  expect(p.run(['help', 'bundle', 'nonsense']).stdout).not.toContain('--overwrite');
});

it('a bundle that is written into the workspace is warned about', () => {
  const p = project();
  p.write('a.txt', 'a\n');
  p.checkpoint();
  const warning = 'warning: The bundle is in the workspace, so later checkpoints may contain it.';
  expect(p.ok('bundle', 'create', 'in.bundle').stdout).toContain(warning);
  expect(p.ok('bundle', 'create', '../out.bundle').stdout).not.toContain('warning');
  expect(JSON.parse(p.ok('bundle', 'create', '../more.bundle', '--json').stdout).insideWorkspace).toBe(false);
});
