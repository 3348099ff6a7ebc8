import { open } from '@savepoint/core/node';
import { type CommandOutcome, type Project, project, shell, workingFiles } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { onTerminal } from './pseudo-terminal.ts';

/** Two agents, whose calls the library brackets, and a user. The real command rolls back the work of one agent. */

const numbers = (replace: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 40 }, (_, at) => `${replace[at] ?? `line ${at}`}\n`).join('');

class Work {
  readonly p: Project = project();
  readonly savepoint = open({ dir: this.p.dir, home: this.p.store });
  // The commands of the tests are a person's: not below the agents' process, which is unknown here.
  readonly alpha = this.savepoint.session({ agent: 'alpha', id: 's-alpha', ancestors: [] });
  readonly beta = this.savepoint.session({ agent: 'beta', id: 's-beta', ancestors: [] });

  async start(files: Readonly<Record<string, string>> = { 'a.txt': numbers() }): Promise<this> {
    for (const [name, text] of Object.entries(files)) this.p.write(name, text);
    await this.alpha.start();
    return this;
  }

  async edit(who: 'alpha' | 'beta', file: string, from: string, to: string, id?: string): Promise<void> {
    const paths = [file] as string[] as never;
    const writes = [{ path: file as never, result: [{ old: from, new: to, all: false }] }];
    const call = { tool: 'Edit', kind: 'edit', paths, writes, ...(id === undefined ? {} : { id }) } as const;
    await this[who].call(call, () => this.replace(file, from, to));
  }

  /** A change that belongs to no call. */
  replace(file: string, from: string, to: string): void {
    const text = this.p.read(file);
    if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
    this.p.write(file, text.replace(from, to));
  }

  async shell(who: 'alpha' | 'beta', script: string, id?: string): Promise<void> {
    const call = {
      tool: 'Bash',
      kind: 'shell',
      args: { command: script },
      ...(id === undefined ? {} : { id }),
    } as const;
    await this[who].call(call, () => shell(this.p.dir, script));
  }

  back(...args: readonly string[]): CommandOutcome {
    return this.p.run(['rollback', '--yes', '--likely', ...args]);
  }

  json(
    ...args: readonly string[]
  ): { readonly [key: string]: never } & { readonly results: { path: string; result: string; why: string | null }[] } {
    const { stdout, stderr } = this.p.run(['rollback', '--yes', '--likely', '--json', ...args]);
    return JSON.parse(stdout === '' ? stderr : stdout);
  }
}

const results = (answer: { readonly results: readonly { path: string; result: string }[] }): readonly string[] =>
  answer.results.map(({ path, result }) => `${result} ${path}`);

it('takes lines back that several agents made, with --lines', async () => {
  const work = await new Work().start();
  await work.edit('alpha', 'a.txt', 'line 3\n', 'three\n');
  await work.edit('beta', 'a.txt', 'three\n', 'THREE\n');
  await work.edit('alpha', 'a.txt', 'line 30\n', 'thirty\n');
  const { p } = work;
  expect(p.run(['rollback', '--lines', 'a.txt:4', '--dry-run']).stdout).toContain('would roll back 1 change');
  // A part of a change that stays in effect.
  work.replace('a.txt', 'line 10\nline 11\n', 'ten\neleven\n');
  const preview = p.run(['rollback', '--lines', 'a.txt:11', '--dry-run', '--patch']).stdout;
  expect(preview).toMatch(/^Preview: would roll back 1 line[^\n]*: a\.txt\n/);
  expect(preview).toContain('-ten\n+line 10\n eleven\n');
  const past = p.run(['rollback', '--lines', 'a.txt:9000', '--dry-run']);
  expect([past.status, past.stderr]).toEqual([
    2,
    expect.stringContaining('a.txt has 40 lines, so it has no line 9000'),
  ]);
  work.replace('a.txt', 'ten\neleven\n', 'line 10\nline 11\n');
  p.ok('rollback', '--lines', 'a.txt:4', '--yes');
  expect(p.read('a.txt')).toBe(numbers({ 3: 'three', 30: 'thirty' }));
  p.ok('undo', '--yes');
  const { stdout } = p.ok('rollback', '--lines', 'a.txt:4', '--after', 'cp_1', '--yes');
  expect(stdout).toMatch(/^Rolled back 1 line of alpha, beta: a\.txt/);
  expect(p.read('a.txt')).toBe(numbers({ 30: 'thirty' }));
  const refused = p.run(['rollback', '--lines', 'a.txt', '--yes']);
  expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('names no lines of a file')]);
  expect(p.run(['rollback', '--lines', 'a.txt:4', '--agent', 'alpha', '--yes']).status).toBe(2);
});

describe('rolling back one of three authors of a file', () => {
  async function three(): Promise<Work> {
    const w = await new Work().start();
    await w.edit('alpha', 'a.txt', 'line 3\n', 'alpha 3\n');
    await w.edit('beta', 'a.txt', 'line 17\n', 'beta 17\n');
    w.replace('a.txt', 'line 33\n', 'user 33\n');
    await w.edit('alpha', 'a.txt', 'line 25\n', 'alpha 25\n');
    return w;
  }

  it('reverts only its lines, and the bytes of the two others stay', async () => {
    const w = await three();
    const before = workingFiles(w.p.dir);
    expect(results(w.json('--agent', 'alpha'))).toEqual(['merged a.txt']);
    expect(w.p.read('a.txt')).toBe(numbers({ 17: 'beta 17', 33: 'user 33' }));
    w.p.ok('undo');
    expect(workingFiles(w.p.dir)).toEqual(before);
    w.p.ok('redo');
    expect(w.p.read('a.txt')).toBe(numbers({ 17: 'beta 17', 33: 'user 33' }));
  });

  it('is a conflict if another author changed the same lines, listed three ways, with nothing written', async () => {
    const w = await three();
    w.replace('a.txt', 'alpha 3\n', 'alpha and user 3\n');
    const before = workingFiles(w.p.dir);
    const { status, stderr } = w.back('--agent', 'alpha');
    expect(status).toBe(3);
    for (const line of ['alpha and user 3', 'alpha 3', 'line 3', '--skip-conflicts']) expect(stderr).toContain(line);
    expect(workingFiles(w.p.dir)).toEqual(before);
  });

  it('with --ours or --theirs keeps those lines of that path', async () => {
    const [ours, theirs] = [await three(), await three()];
    for (const w of [ours, theirs]) w.replace('a.txt', 'alpha 3\n', 'both 3\n');
    expect(ours.back('--agent', 'alpha', '--ours', 'a.txt').status).toBe(0);
    expect(ours.p.read('a.txt')).toBe(numbers({ 3: 'both 3', 17: 'beta 17', 33: 'user 33' }));
    expect(theirs.back('--agent', 'alpha', '--theirs', 'a.txt').status).toBe(0);
    expect(theirs.p.read('a.txt')).toBe(numbers({ 17: 'beta 17', 33: 'user 33' }));
  });

  it('with --skip-conflicts leaves such a path alone and reverts the rest', async () => {
    const w = await three();
    await w.edit('alpha', 'b.txt', '', 'new\n').catch(() => w.shell('alpha', 'echo new > b.txt'));
    w.replace('a.txt', 'alpha 3\n', 'both 3\n');
    const text = w.p.read('a.txt');
    expect(results(w.json('--agent', 'alpha', '--skip-conflicts'))).toEqual(['conflict a.txt', 'restored b.txt']);
    expect([w.p.has('b.txt'), w.p.read('a.txt')]).toEqual([false, text]);
  });
});

describe('the selection', () => {
  it('is by change, hunk, session, call, file and time, and all criteria apply together', async () => {
    const w = await new Work().start({ 'a.txt': numbers(), 'b.txt': 'b\n' });
    await w.alpha.call({ tool: 'Edit', kind: 'edit', paths: ['a.txt'] as string[] as never, id: 'c-1' }, () => {
      w.replace('a.txt', 'line 3\n', 'three\n');
      w.replace('a.txt', 'line 30\n', 'thirty\n');
    });
    await w.shell('beta', 'echo more >> b.txt', 'c-2');
    const would = (...args: string[]): unknown => w.json('--dry-run', ...args)['changes'];
    expect(would('--change', 'cp_2.1')).toEqual(['cp_2.1']);
    expect(would('--hunk', 'cp_2.1:2')).toEqual(['cp_2.1:2']);
    expect(would('--session', 's-alpha')).toEqual(['cp_2.1']);
    expect(would('--call', 'c-2')).toEqual(['cp_3.1']);
    expect(would('--file', 'b.txt')).toEqual(['cp_3.1']);
    expect(would('--after', 'cp_2')).toEqual(['cp_3.1']);
    expect(would('--after', '1 hour ago')).toEqual(['cp_2.1', 'cp_3.1']);
    expect(would('--agent', 'beta', '--file', 'a.txt')).toEqual([]);
    const shown = w.p.ok('rollback', '--change', 'cp_2.1', '--dry-run').stdout;
    for (const text of ['cp_2.1:1', 'cp_2.1:2', '-line 30', '+thirty']) expect(shown).toContain(text);
    expect(w.back('--hunk', 'cp_2.1:2', '--dry-run').stdout).toContain('Preview: would roll back 1 hunk\n');
    const back = w.back('--hunk', 'cp_2.1:2');
    expect([back.status, back.stdout]).toEqual([0, expect.stringContaining('Rolled back 1 hunk of ')]);
    expect(w.p.read('a.txt')).toBe(numbers({ 3: 'three' }));
    expect(w.back('--hunk', 'cp_2.1:2').stdout).toMatch(/Nothing to roll back[\s\S]*already reverted by cp_\d+/);
    expect(w.back('--change', 'cp_2.1').status).toBe(0);
    expect(w.p.read('a.txt')).toBe(numbers());
  });

  it('is refused with an explanation if it is empty, or if the change or hunk does not exist', async () => {
    const w = await new Work().start();
    await w.edit('alpha', 'a.txt', 'line 3\n', 'three\n');
    const code = (...args: string[]): unknown => (w.json(...args)['error'] as unknown as { code: string }).code;
    expect(code()).toBe('USAGE');
    expect(code('--change', 'cp_2.9')).toBe('UNKNOWN_CHANGE');
    expect(code('--hunk', 'cp_2.1:9')).toBe('UNKNOWN_CHANGE');
    expect(code('--change', 'nonsense')).toBe('BAD_ID');
    expect(code('--after', 'some day')).toBe('BAD_ID');
  });

  it('is refused if a path is given for both sides of a conflict', async () => {
    const w = await new Work().start();
    await w.edit('alpha', 'a.txt', 'line 3\n', 'three\n');
    const { status, stderr } = w.back('--change', 'cp_2.1', '--ours', 'a.txt', '--theirs', './a.txt');
    expect([status, stderr.split('\n')[0]]).toEqual([2, 'error: Both --ours and --theirs name a.txt.']);
    expect(w.p.read('a.txt')).toBe(numbers({ 3: 'three' }));
  });

  it('skips and names changes that may be by another author, unless they are included', async () => {
    const w = await new Work().start();
    const [one, two] = [
      await w.alpha.begin({ tool: 'Bash', kind: 'shell' }),
      await w.beta.begin({ tool: 'Bash', kind: 'shell' }),
    ];
    w.p.write('whose.txt', 'whose?\n');
    await w.alpha.end(one.id);
    await w.beta.end(two.id);
    const left = w.back('--agent', 'alpha');
    expect([left.status, w.p.has('whose.txt')]).toEqual([5, true]);
    expect(left.stdout).toMatch(/whose\.txt \(it may be from alpha .* or beta/);
    expect(left.stdout).toContain('--include-shared');
    expect(w.back('--agent', 'alpha', '--include-shared').status).toBe(0);
    expect(w.p.has('whose.txt')).toBe(false);
  });

  it('by time or path alone covers only agents: changes by the user stay', async () => {
    const w = await new Work().start();
    w.p.write('mine.txt', 'mine\n');
    await w.shell('alpha', 'echo its > its.txt');
    w.p.write('more.txt', 'mine\n');
    expect(w.back('--after', 'cp_1').status).toBe(0);
    expect(['mine.txt', 'its.txt', 'more.txt'].map((name) => w.p.has(name))).toEqual([true, false, true]);
  });
});

describe('files that were added, removed and moved', () => {
  it('a created file is removed with its folders, only if its content did not change since', async () => {
    const w = await new Work().start();
    await w.shell('alpha', 'mkdir -p d/e f; echo new > d/e/new; echo new > f/new');
    w.p.write('f/mine', 'mine\n');
    expect(w.back('--agent', 'alpha').status).toBe(0);
    expect([w.p.has('d'), w.p.has('f/new'), w.p.read('f/mine')]).toEqual([false, false, 'mine\n']);
    w.p.ok('undo');
    w.replace('d/e/new', 'new', 'changed');
    expect(w.back('--agent', 'alpha').status).toBe(3);
    expect(w.p.read('f/new')).toBe('new\n');
  });

  it('a deleted file is restored, unless its path is occupied', async () => {
    const w = await new Work().start({ 'd/a.txt': 'a\n', 'b.txt': 'b\n' });
    await w.shell('alpha', 'rm -r d b.txt');
    expect(w.back('--agent', 'alpha').status).toBe(0);
    expect([w.p.read('d/a.txt'), w.p.read('b.txt')]).toEqual(['a\n', 'b\n']);
    w.p.ok('undo');
    w.p.write('b.txt', 'mine\n');
    expect(w.back('--agent', 'alpha').status).toBe(3);
    expect([w.p.has('d'), w.p.read('b.txt')]).toEqual([false, 'mine\n']);
  });

  it('a file that another author moved since is found, and a move of its own is reverted', async () => {
    const w = await new Work().start({ 'a.txt': numbers(), 'b.txt': 'b\n' });
    await w.edit('alpha', 'a.txt', 'line 3\n', 'three\n');
    await w.shell('beta', 'mv a.txt moved.txt');
    await w.shell('alpha', 'mv b.txt c.txt');
    w.p.write('c.txt', 'b\nmine\n');
    expect(results(w.json('--agent', 'alpha'))).toEqual(['merged b.txt', 'restored moved.txt']);
    expect([w.p.read('moved.txt'), w.p.read('b.txt'), w.p.has('c.txt')]).toEqual([numbers(), 'b\nmine\n', false]);
  });

  it('permissions are merged like lines', async () => {
    const w = await new Work().start({ 'a.sh': numbers(), 'b.sh': 'b\n' });
    await w.shell('alpha', 'chmod 755 a.sh b.sh');
    w.replace('a.sh', 'line 9\n', 'mine 9\n');
    shell(w.p.dir, 'chmod 700 b.sh');
    expect(w.back('--agent', 'alpha').status).toBe(0);
    const modes = workingFiles(w.p.dir);
    expect(JSON.stringify(modes)).not.toContain('755');
    expect(w.p.read('a.sh')).toBe(numbers({ 9: 'mine 9' }));
  });
});

describe('changes whose author is only likely', () => {
  it('are listed with the option that takes them, and the exit status says that the rollback is done in part', async () => {
    const w = await new Work().start();
    await w.edit('alpha', 'a.txt', 'line 3\n', 'alpha 3\n');
    await w.shell('alpha', 'echo made > made.txt');
    const { status, stdout } = w.p.run(['rollback', '--agent', 'alpha', '--yes']);
    expect([status, w.p.read('a.txt'), w.p.has('made.txt')]).toEqual([5, numbers(), true]);
    expect(stdout).toMatch(
      /--likely includes it\):\n {2}cp_3\.1 {2}made\.txt \(`echo made > made\.txt` names it, and ran while it changed\)/,
    );
    expect(w.p.run(['rollback', '--agent', 'alpha', '--yes', '--likely']).status).toBe(0);
    expect(w.p.has('made.txt')).toBe(false);
  });

  it('are listed in one line per call if they are many, so that none is hidden', async () => {
    const w = await new Work().start();
    await w.shell('alpha', 'for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $n > made-$n; done');
    await w.shell('alpha', 'echo more >> b.txt');
    const { stdout } = w.p.run(['rollback', '--agent', 'alpha', '--yes']);
    expect(stdout).toMatch(/\n {2}cp_2 {2}12 paths: made-1, made-10, made-11, … \(/);
    expect(stdout).toMatch(/\n {2}cp_3\.1 {2}b\.txt \(`echo more >> b\.txt` names it/);
  });

  it('are included after a question at a terminal', async () => {
    const w = await new Work().start();
    await w.shell('alpha', 'echo made > made.txt');
    const { status } = await onTerminal(w.p, ['rollback', '--agent', 'alpha'], {
      typed: [
        [/Include it\?/, 'y\r'],
        [/Roll back 1 path\?/, 'y\r'],
      ],
    });
    expect([status, w.p.has('made.txt')]).toEqual([0, false]);
  });
});

describe('repeated or empty rollbacks', () => {
  it('a second rollback reports that it is already reverted, and after an undo it works again', async () => {
    const w = await new Work().start();
    await w.edit('alpha', 'a.txt', 'line 3\n', 'three\n');
    expect(w.back('--change', 'cp_2.1').stdout).toContain('now cp_3');
    expect(w.back('--change', 'cp_2.1').stdout).toMatch(
      /Nothing to roll back[\s\S]*cp_2\.1 {2}a\.txt \(it was already reverted by cp_3/,
    );
    w.p.ok('undo');
    expect(w.p.read('a.txt')).toBe(numbers({ 3: 'three' }));
    expect(w.back('--change', 'cp_2.1').status).toBe(0);
    expect(w.p.read('a.txt')).toBe(numbers());
  });

  it('a rollback that changes nothing says so', async () => {
    const w = await new Work().start();
    await w.shell('alpha', 'true');
    const { status, stdout } = w.back('--session', 's-alpha');
    expect([status, stdout]).toEqual([0, 'Nothing to roll back.\nNo change matches.\n']);
    expect(w.p.ok('list').stdout).not.toContain('rollback');
  });
});

describe('a rollback during an open call', () => {
  it('of that agent is refused and names the call, unless forced', async () => {
    const w = await new Work().start();
    await w.edit('alpha', 'a.txt', 'line 3\n', 'three\n');
    const { id } = await w.alpha.begin({ tool: 'Bash', kind: 'shell', args: { command: 'npm test' }, id: 'c-9' });
    const refused = w.back('--agent', 'alpha');
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(/alpha has an open call \(Bash: npm test; call c-9\)[\s\S]*--force/);
    expect(w.p.read('a.txt')).toBe(numbers({ 3: 'three' }));
    expect(w.back('--agent', 'alpha', '--force').status).toBe(0);
    expect(w.p.read('a.txt')).toBe(numbers());
    await w.alpha.end(id);
  });

  it('of another agent is refused only if the call may write the same files', async () => {
    const w = await new Work().start({ 'a.txt': numbers(), 'b.txt': 'b\n' });
    await w.edit('alpha', 'a.txt', 'line 3\n', 'three\n');
    const paths = (name: string) => [name] as string[] as never;
    await w.beta.begin({ tool: 'Edit', kind: 'edit', paths: paths('a.txt'), id: 'here' });
    expect(w.back('--agent', 'alpha').status).toBe(1);
    await w.beta.end('here');
    await w.beta.begin({ tool: 'Edit', kind: 'edit', paths: paths('b.txt'), id: 'elsewhere' });
    expect(w.back('--agent', 'alpha').status).toBe(0);
  });
});

describe('confirmation', () => {
  it('shows the preview first; without a terminal --yes is required', async () => {
    const w = await new Work().start();
    await w.edit('alpha', 'a.txt', 'line 3\n', 'three\n');
    expect(w.p.run(['rollback', '--agent', 'alpha']).stderr).toContain('--yes');
    expect(w.p.read('a.txt')).toBe(numbers({ 3: 'three' }));
    const { status, screen } = await onTerminal(w.p, ['rollback', '--agent', 'alpha'], {
      typed: [[/\[y\/N\] /, 'y\r']],
    });
    expect(status).toBe(0);
    expect(screen.slice(0, screen.indexOf('[y/N]'))).toContain('a.txt');
    expect(w.p.read('a.txt')).toBe(numbers());
  });
});

describe('a restore after changes by agents and others', () => {
  async function two(): Promise<Work> {
    const w = await new Work().start({ 'a.txt': numbers(), 'b.txt': 'b\n' });
    await w.edit('alpha', 'a.txt', 'line 3\n', 'three\n');
    w.replace('a.txt', 'line 33\n', 'mine 33\n');
    w.p.write('mine.txt', 'mine\n');
    return w;
  }

  it('requires a choice of whose work is reverted, and names the files', async () => {
    const w = await two();
    const before = workingFiles(w.p.dir);
    const { status, stderr } = w.p.run(['restore', 'cp_1', '--yes']);
    expect(status).toBe(3);
    for (const text of ['a.txt', 'mine.txt', '--keep-outside', '--exact']) expect(stderr).toContain(text);
    expect(workingFiles(w.p.dir)).toEqual(before);
  });

  it('--keep-outside reverts only work of agents, --exact everything', async () => {
    const [keep, exact] = [await two(), await two()];
    keep.p.restore('cp_1', '--keep-outside');
    expect([keep.p.read('a.txt'), keep.p.has('mine.txt')]).toEqual([numbers({ 33: 'mine 33' }), true]);
    const again = keep.p.run(['restore', 'cp_1', '--keep-outside', '--yes']).stdout;
    expect(again).toContain('there is no change since cp_1 that --keep-outside would revert');
    expect(again).not.toContain('match');
    exact.p.restore('cp_1', '--exact');
    expect([exact.p.read('a.txt'), exact.p.has('mine.txt')]).toEqual([numbers(), false]);
  });

  it.each([
    ['y', [/\[y\/N\] /, 'y\r'], true],
    ['n, then y', [/\[y\/N\] /, 'n\r'], false],
  ] as const)('at a terminal it asks: %s', async (_name, first, keeps) => {
    const w = await two();
    const typed = [
      first,
      [keeps ? /Restore 1 path\? / : /exactly[\s\S]*\[y\/N\] /, 'y\r'],
      ...(keeps ? [] : [[/Restore 2 paths\? /, 'y\r'] as const]),
    ] as const;
    const { status, screen } = await onTerminal(w.p, ['restore', 'cp_1'], { typed });
    expect(status, screen).toBe(0);
    expect(w.p.has('mine.txt')).toBe(keeps);
    expect(w.p.read('a.txt')).toBe(numbers(keeps ? { 33: 'mine 33' } : {}));
  });

  it('needs no choice if only one of them changed files', async () => {
    const w = await new Work().start({ 'a.txt': numbers() });
    await w.edit('alpha', 'a.txt', 'line 3\n', 'three\n');
    w.p.restore('cp_1');
    expect(w.p.read('a.txt')).toBe(numbers());
    w.p.write('mine.txt', 'mine\n');
    w.p.restore('cp_1');
    expect(w.p.has('mine.txt')).toBe(false);
  });
});

it('emits an event for each change and for the batch', async () => {
  const w = await new Work().start({ 'a.txt': numbers() });
  await w.shell('alpha', 'echo b > b.txt; echo c > c.txt');
  const reported: string[] = [];
  w.savepoint.on('change:rolled-back', ({ change }) => void reported.push(change));
  w.savepoint.on('rollback:completed', ({ checkpoint, paths }) => void reported.push(`${checkpoint.id}: ${paths}`));
  await w.savepoint.rollback({ agent: 'alpha' }, { least: 'likely' });
  expect(reported).toEqual(['cp_2.1', 'cp_2.2', 'cp_3: 2']);
});
