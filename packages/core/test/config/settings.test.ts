import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { open, type Savepoint, SavepointError } from '@savepoint/core';
import { realPorts, type World, world } from '@savepoint/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';

/** The two settings files on disk, and how they affect a capture. */
class Place {
  readonly world: World = world(onTestFinished);

  open(): Savepoint {
    const { workspace, places } = this.world;
    return open({ dir: workspace, ports: realPorts(), places, settings: { savepoint: null } });
  }

  at(of: 'user' | 'project', name: string): string {
    const { workspace, places } = this.world;
    return join(Buffer.from(of === 'user' ? places.home : workspace, 'latin1').toString(), name);
  }

  /** @param content bytes, text, or a value to be written as JSON */
  set(of: 'user' | 'project', content: unknown): string {
    const file = this.at(of, of === 'user' ? 'config.json' : '.savepoint.json');
    const isRaw = typeof content === 'string' || content instanceof Buffer;
    writeFileSync(file, isRaw ? (content as string) : JSON.stringify(content));
    return file;
  }

  write(file: string, content: string): void {
    mkdirSync(dirname(this.at('project', file)), { recursive: true });
    writeFileSync(this.at('project', file), content);
  }
}

async function refusal(p: Place): Promise<SavepointError> {
  const failed = await p
    .open()
    .checkpoint()
    .catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(SavepointError);
  expect((failed as SavepointError).code).toBe('BAD_CONFIG');
  return failed as SavepointError;
}

describe('a file that cannot be used is an error, and never the default', () => {
  const BAD: readonly (readonly [string, unknown, string])[] = [
    ['no JSON', '{', 'is not valid JSON'],
    ['a key twice', '{"auto":true,"auto":false}', 'twice'],
    ['no object', '[1]', 'is not a JSON object'],
    ['an unknown key', { max_checkpoint: 5 }, 'max_checkpoint is not an option; did you mean max_checkpoints?'],
    [
      'a wrong type',
      { max_checkpoints: '5' },
      'max_checkpoints must be a whole number of checkpoints, from 1 to 1000000; it is "5"',
    ],
    ['out of range', { retention_hours: 0 }, 'retention_hours must be a whole number of hours, from 1'],
    ['an unknown trigger', { triggers: ['before_lunch'] }, 'triggers has "before_lunch"; there are before_write'],
    ['a negated pattern', { exclude: ['!a'] }, 'exclude must be a list of patterns as in .gitignore, without "!"'],
    ['a command to run', { checks: ['make'] }, 'checks is not an option'],
    ['a prototype', '{"__proto__": {"enabled": false}}', '__proto__ is not an option'],
  ];
  it.each(BAD)('%s', async (_, content, message) => {
    // Unknown options of a project are ignored with a warning.
    const files = message.includes('is not an option') ? (['user'] as const) : (['user', 'project'] as const);
    for (const of of files) {
      const p = new Place();
      const file = p.set(of, content);
      const { message: reported } = await refusal(p);
      expect(reported).toContain(message);
      expect(reported).toContain(file);
      const { problem } = await p.open().config();
      expect(problem?.message).toBe(reported);
    }
  });

  it('a link, a folder, a file that is too large or not UTF-8', async () => {
    const p = new Place();
    const file = p.at('project', '.savepoint.json');
    symlinkSync('a.txt', file);
    expect((await refusal(p)).message).toContain('is a link, but must be a regular file');
    rmSync(file);
    mkdirSync(file);
    expect((await refusal(p)).message).toContain('is not a file');
    rmSync(file, { recursive: true });
    p.set('project', ' '.repeat(300_000));
    expect((await refusal(p)).message).toContain('is larger than 256 kB');
    p.set('project', Buffer.from([0x22, 0xff, 0x22]));
    expect((await refusal(p)).message).toContain('is not UTF-8');
  });
});

it('mistakes in the checks of a project are warnings: they must not prevent protection', async () => {
  const p = new Place();
  p.set('project', { checks: { own: { command: ['make'] }, bad: { command: 'make' } } });
  const savepoint = p.open();
  const warnings: string[] = [];
  savepoint.on('warning', ({ message }) => warnings.push(message));
  await savepoint.checkpoint();
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('checks.bad = ');
  expect(warnings[0]).toContain('it must have a command');
});

describe('what is captured', () => {
  const FILES = ['a.txt', 'a.bin', 'secret/key', 'build/out.js', 'build/keep/x.js', 'node_modules/mine/i.js'];

  function filled(): Place {
    const p = new Place();
    p.write('.gitignore', 'build/\nnode_modules/\n');
    for (const file of FILES) p.write(file, 'first\n');
    return p;
  }

  /** The files whose changes a checkpoint shows. */
  async function held(p: Place): Promise<readonly string[]> {
    await p.open().checkpoint();
    for (const file of FILES) p.write(file, 'second, and longer\n');
    const { checkpoint } = await p.open().checkpoint();
    const changed = new Set(checkpoint.changes?.map(({ path }) => path as string));
    return FILES.filter((file) => changed.has(file));
  }

  it('without a file', async () => {
    expect(await held(filled())).toEqual(['a.txt', 'a.bin', 'secret/key']);
  });

  it('include and exclude', async () => {
    const p = filled();
    p.set('user', { include: ['/build/', 'node_modules/'] });
    p.set('project', { exclude: ['*.bin', '/secret/', '/build/out.js'] });
    expect(await held(p)).toEqual(['a.txt', 'build/keep/x.js', 'node_modules/mine/i.js']);
    const { rules } = await p.open().show('last');
    expect(rules.exclude).toEqual(['*.bin', '/secret/', '/build/out.js']);
  });

  it('a change of the lists applies from the next capture on', async () => {
    const p = filled();
    await p.open().checkpoint();
    p.set('user', { include: ['/build/'], exclude: ['*.bin'] });
    const { checkpoint } = await p.open().checkpoint();
    // A path that was skipped on either side is not a change: it is not known what happened to it.
    expect(checkpoint.changes).toEqual([]);
    expect(checkpoint.counts.files).toBe(5);
  });

  it('an excluded file is left alone by a restore, and captured before an operation that names it', async () => {
    const p = filled();
    await p.open().checkpoint();
    p.set('user', { exclude: ['*.bin'] });
    p.write('a.bin', 'other\n');
    p.write('a.txt', 'other\n');
    await p.open().checkpoint();
    p.write('a.bin', 'third\n');
    await p.open().restore('cp_2', { mode: 'exact' });
    const { plan } = await p.open().restore('cp_1', { mode: 'exact' });
    expect(plan.paths.map(({ path }) => path)).toEqual(['a.bin', 'a.txt']);
    await p.open().undo();
    const { readFileSync } = await import('node:fs');
    expect(readFileSync(p.at('project', 'a.bin'), 'latin1')).toBe('third\n');
  });
});

describe('limits of retention', () => {
  const limitsOf = async (user: object, project: object = {}) => {
    const p = new Place();
    p.set('user', user);
    p.set('project', project);
    const { retention, settings } = await p.open().config();
    return { chosen: [...retention.chosen], said: settings.ignored.map(({ key, why }) => `${key}: ${why}`) };
  };
  const KEPT = 'keep_at_least always keeps the newest 50 checkpoints';

  it.each([
    [{}, {}, [], []],
    [{ max_checkpoints: 3 }, {}, ['maxCheckpoints'], []],
    [{ max_checkpoints: 50, retention_hours: 24 }, {}, ['maxCheckpoints', 'maxAgeDays'], []],
    // Both are the user's: the contradiction is reported.
    [{ max_checkpoints: 3, keep_at_least: 50 }, {}, [], [`max_checkpoints: ${KEPT}`]],
    [
      { max_checkpoints: 50, retention_hours: 24, keep_at_least: 50 },
      {},
      [],
      [`retention_hours: ${KEPT}, and max_checkpoints keeps no more than 50`],
    ],
    // A project cannot empty the timeline.
    [{}, { max_checkpoints: 3 }, [], [`max_checkpoints: ${KEPT}`]],
    [{ retention_hours: 24 }, { max_checkpoints: 3 }, ['maxAgeDays'], [`max_checkpoints: ${KEPT}`]],
  ])('user %j, project %j', async (user, project, chosen, said) => {
    expect(await limitsOf(user, project)).toEqual({ chosen, said });
  });
});
