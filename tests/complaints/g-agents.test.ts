import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type CommandOutcome, explain, type Project, project, shell } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';

/**
 * Complaints of docs/complaints.md about agents, tested with the built command. The agent reports to its hook in the
 * format of Claude Code's events, and users use the command line.
 */
class Agent {
  #calls = 0;

  constructor(
    readonly project: Project,
    private readonly mode = 'default',
  ) {}

  /** @returns the hook's answer */
  tell(event: object): string {
    const reported = { session_id: 's-1', cwd: this.project.dir, permission_mode: this.mode, ...event };
    const outcome = this.project.run(['hook', 'claude'], { input: JSON.stringify(reported) });
    if (outcome.status !== 0 || outcome.stderr !== '') throw new Error(explain(['hook', 'claude'], outcome));
    return outcome.stdout;
  }

  start(): void {
    this.tell({ hook_event_name: 'SessionStart', source: 'startup' });
  }

  prompt(prompt: string): string {
    return this.tell({ hook_event_name: 'UserPromptSubmit', prompt });
  }

  /** Runs a command like the agent's shell tool. @param more fields of its events */
  bash(command: string, more: object = {}): void {
    const about = this.begin(command, more);
    shell(this.project.dir, command);
    this.tell({ ...about, hook_event_name: 'PostToolUse', tool_response: {} });
  }

  begin(command: string, more: object = {}): object {
    this.#calls += 1;
    const about = { tool_name: 'Bash', tool_input: { command }, tool_use_id: `t-${this.#calls}`, ...more };
    this.tell({ ...about, hook_event_name: 'PreToolUse' });
    return about;
  }
}

function json<T>(outcome: CommandOutcome): T {
  return JSON.parse(outcome.stdout) as T;
}

interface Listed {
  readonly id: string;
  readonly trigger: string;
}

function all(p: Project): readonly Listed[] {
  return json<{ checkpoints: Listed[] }>(p.ok('list', '--all', '--json')).checkpoints;
}

function last(p: Project, trigger: string): string {
  const found = all(p).find((one) => one.trigger === trigger);
  if (found === undefined) throw new Error(`no checkpoint by ${trigger}`);
  return found.id;
}

describe('26 · no approval, and sub-agents', () => {
  it.each(['default', 'acceptEdits', 'bypassPermissions'])('%s: captured and reverted in the same way', (mode) => {
    const p = project();
    p.write('a.txt', 'one\n');
    const agent = new Agent(p, mode);
    agent.start();
    agent.bash('echo two > a.txt');
    agent.bash('echo sub > sub.txt', { agent_id: 'sub-1', agent_type: 'general-purpose' });
    p.ok('rollback', '--agent', 'claude/sub-1', '--likely', '--yes');
    expect([p.has('sub.txt'), p.read('a.txt')]).toEqual([false, 'two\n']);
    p.ok('rollback', '--session', 's-1', '--likely', '--yes');
    expect(p.read('a.txt')).toBe('one\n');
  });
});

describe('28 · many files', () => {
  it('a turn of an agent over many files is one step, and can be reverted completely', () => {
    const p = project();
    for (let n = 0; n < 40; n++) p.write(`d${n % 4}/f${n}.txt`, `${n}\n`);
    const agent = new Agent(p);
    agent.start();
    agent.prompt('Change them all.');
    agent.bash('for f in d0/* d1/* d2/*; do echo x >> $f; done');
    agent.bash('rm -r d3; mkdir e; echo new > e/new.txt');
    const preview = p.ok('rollback', '--session', 's-1', '--likely', '--dry-run').stdout;
    for (let n = 0; n < 40; n++) expect(preview).toContain(`d${n % 4}/f${n}.txt`);
    p.ok('rollback', '--session', 's-1', '--likely', '--yes');
    for (let n = 0; n < 40; n++) expect(p.read(`d${n % 4}/f${n}.txt`)).toBe(`${n}\n`);
    expect(p.has('e')).toBe(false);
  });
});

describe('38 · secrets', () => {
  it('a captured secret is purged from the entire store, and remaining copies are named', () => {
    const p = project();
    p.write('.env', 'TOKEN=sk-first-and-secret\n', 0o600);
    p.write('copy.txt', 'TOKEN=sk-first-and-secret\n');
    p.write('a.txt', 'a\n');
    const agent = new Agent(p);
    agent.start();
    agent.bash("sed -i 's/first/other/' .env; echo 'TOKEN=sk-other-and-secret' > /dev/null");
    const asked = p.run(['purge', '.env']);
    expect([asked.status, asked.stderr]).toEqual([1, expect.stringContaining('--yes')]);
    const purged = p.ok('purge', '.env', '--yes').stdout;
    expect(purged).toMatch(/nothing is left/);
    expect(purged).toMatch(/exported or made elsewhere are not purged/);
    expect(purged).toMatch(/same content is kept at 1 other path:\n {2}copy\.txt/);
    expect(purged).toMatch(/still exists in the workspace.*\n {2}\.env/);
    expect(contents(p).filter((text) => text.includes('sk-other-and-secret'))).toEqual([]);
    p.ok('purge', '.env', 'copy.txt', '--yes');
    expect(contents(p).filter((text) => text.includes('and-secret'))).toEqual([]);
    p.delete('a.txt');
    p.restore('cp_1');
    expect([p.read('a.txt'), p.read('.env')]).toEqual(['a\n', 'TOKEN=sk-other-and-secret\n']);
  });
});

/** Every object of every store as git reads it, and every other file. */
function contents(p: Project): readonly string[] {
  const files = fs
    .readdirSync(p.store, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const repositories = new Set(files.flatMap((file) => /^.*\/objects\.git(?=\/)/.exec(file)?.[0] ?? []));
  const objects = [...repositories].flatMap((repository) => {
    const git = (...args: string[]): string =>
      execFileSync('git', ['--git-dir', repository, ...args], { encoding: 'latin1' });
    const list = git('cat-file', '--batch-all-objects', '--batch-check=%(objecttype) %(objectname)').trim().split('\n');
    return list.map((line) => git('cat-file', ...line.split(' ')));
  });
  expect(objects.length).toBeGreaterThan(3);
  return [...objects, ...files.map((file) => fs.readFileSync(file, 'latin1'))];
}

describe('39 · a cancelled turn', () => {
  it('its changes until then can be reverted', () => {
    const p = project();
    p.write('a.txt', 'one\n');
    const agent = new Agent(p);
    agent.start();
    agent.prompt('Do it.');
    agent.begin('echo two > a.txt; echo more > b.txt');
    shell(p.dir, 'echo two > a.txt; echo more > b.txt');
    // The user interrupts it, so no event reports the end. The next prompt ends it.
    agent.prompt('No, stop.');
    expect(p.ok('history').stdout).toMatch(/a\.txt/);
    p.ok('rollback', '--session', 's-1', '--include-shared', '--yes');
    expect([p.read('a.txt'), p.has('b.txt')]).toEqual(['one\n', false]);
    p.ok('undo', '--yes');
    expect(p.read('b.txt')).toBe('more\n');
    p.restore(last(p, 'session'), '--exact');
    expect([p.read('a.txt'), p.has('b.txt')]).toEqual(['one\n', false]);
  });
});

describe('40 · before a prompt and after its last edit', () => {
  it('both can be restored, also if other changes were made in between and after', () => {
    const p = project();
    p.write('a.txt', 'one\n');
    const agent = new Agent(p);
    agent.start();
    p.write('a.txt', 'by a person before\n');
    agent.prompt('Do it.');
    const before = last(p, 'prompt');
    agent.bash('echo first > a.txt');
    agent.bash('echo second > a.txt');
    const after = last(p, 'call');
    p.write('a.txt', 'by a person after\n');
    p.restore(before, '--exact');
    expect(p.read('a.txt')).toBe('by a person before\n');
    p.restore(after, '--exact');
    expect(p.read('a.txt')).toBe('second\n');
  });
});

describe('48 · a limit for the store', () => {
  it('old checkpoints are dropped, then operations are refused before they begin; the size is shown', () => {
    const p = project();
    fs.mkdirSync(p.store, { mode: 0o700 });
    fs.writeFileSync(path.join(p.store, 'config.json'), '{ "max_store_mb": 2, "keep_at_least": 1 }');
    for (let n = 0; n < 6; n++) {
      p.write('a.bin', randomBytes(600_000));
      p.checkpoint();
    }
    const kept = all(p).map(({ id }) => id);
    expect(kept[0]).toBe('cp_6');
    expect(kept).not.toContain('cp_1');
    const { storage } = json<{ storage: { packs: number; total: number } }>(p.ok('stats', '--json'));
    expect(storage.packs).toBeGreaterThan(500_000);
    expect(storage.packs).toBeLessThan(3_000_000);
    p.ok('pin', 'cp_6');
    p.write('a.bin', randomBytes(1_900_000));
    p.checkpoint();
    p.write('a.bin', 'small\n');
    const refused = p.run(['checkpoint']);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('the limit')]);
    expect(p.read('a.bin')).toBe('small\n');
  });
});

describe('52 · retention', () => {
  it('is set by number and age, pinned checkpoints stay, and so does the newest', () => {
    const p = project();
    fs.mkdirSync(p.store, { mode: 0o700 });
    fs.writeFileSync(
      path.join(p.store, 'config.json'),
      '{ "max_checkpoints": 3, "keep_at_least": 2, "retention_hours": 48 }',
    );
    for (let n = 1; n <= 3; n++) {
      p.write('a.txt', `${n}\n`);
      p.checkpoint();
    }
    p.ok('pin', 'cp_1');
    for (let n = 4; n <= 8; n++) {
      p.write('a.txt', `${n}\n`);
      p.checkpoint();
    }
    p.ok('gc', '--yes');
    const listed = all(p).map(({ id }) => id);
    // The changes of cp_6 are relative to cp_5.
    expect(listed).toEqual(['cp_8', 'cp_7', 'cp_6', 'cp_5', 'cp_1']);
    for (const id of ['cp_1', 'cp_8']) {
      // Who made the changes from cp_2 to cp_4 is no longer recorded.
      p.restore(id, '--exact');
      expect(p.read('a.txt')).toBe(`${id.slice(3)}\n`);
    }
  });
});

describe('64 · the model', () => {
  it('is informed once of reverted changes', () => {
    const p = project();
    p.write('a.txt', 'one\n');
    const agent = new Agent(p);
    agent.start();
    agent.prompt('Do it.');
    agent.bash('echo two > a.txt');
    p.ok('rollback', '--session', 's-1', '--likely', '--yes');
    const said = agent.prompt('Go on.');
    expect(said).toMatch(/additionalContext/);
    expect(said).toMatch(/rollback by user.*a\.txt/);
    expect(agent.prompt('And now?')).toBe('');
  });
});

describe('67 · off for a repository', () => {
  it('its settings file turns Savepoint off only there; size and coverage are shown', () => {
    const p = project();
    p.write('a.txt', 'one\n');
    p.write('.savepoint.json', '{ "enabled": false }');
    const agent = new Agent(p);
    agent.start();
    agent.bash('echo two > a.txt');
    expect(p.ok('list').stdout).toContain('No checkpoints yet.');
    expect(p.ok('status').stdout).toMatch(/Recording of agents is turned off here/);
    const other = project();
    other.write('a.txt', 'one\n');
    other.write('.savepoint.json', '{ "max_file_mb": 1 }');
    other.write('big.bin', randomBytes(1_100_000));
    new Agent(other).start();
    expect(other.ok('show', 'cp_1').stdout).toMatch(/content: +2 files/);
    expect(other.ok('stats').stdout).toMatch(/\d.*[KM]?B/);
    expect(other.ok('status').stdout).toMatch(/big\.bin \(larger than the limit/);
  });
});
