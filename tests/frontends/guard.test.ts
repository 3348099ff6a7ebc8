import { main, Project } from '@savepoint/testkit/command';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';

/** `savepoint guard`: a command whose changes go back if they break a check, and the guard of agents' turns. */

const CHECKS = { sums: { command: ['sh', 'sums.sh'], kind: 'tests', format: 'lines' } };
const TEST = '. ./lib.sh\nsum=$(add 1 2)\n[ "$sum" = 3 ] || { echo "FAIL add: $sum is not 3"; exit 1; }\n';
const LIB = 'add() { echo $(($1 + $2)); }\n\n# one\n# two\n# three\n\n# notes\n';

let project: Project;
afterEach(() => project.remove());

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function guardedProject(): Project {
  project = new Project();
  project.write('.savepoint.json', JSON.stringify({ checks: CHECKS }));
  project.write('sums.sh', TEST);
  project.write('lib.sh', LIB);
  project.ok('checkpoint', '-m', 'start');
  project.ok('trust', '--yes');
  return project;
}

describe('savepoint guard -- COMMAND', () => {
  it('keeps what breaks nothing, with the exit status of the command', () => {
    guardedProject();
    const done = project.run(['guard', '--check', 'sums', '--', 'sh', '-c', 'echo more >> lib2.sh; exit 7']);
    expect(done).toMatchObject({ status: 7 });
    expect(done.stderr).toContain('nothing is worse');
    expect(project.read('lib2.sh')).toBe('more\n');
  });

  it('takes back what breaks a check, and names the failure; changes of others stay', () => {
    guardedProject();
    project.write('lib.sh', LIB.replace('# notes', '# notes of a person'));
    const broken = "sed -i 's/1 + /1 - /' lib.sh; echo new > new.txt";
    const done = project.run(['guard', '--check', 'sums', '--', 'sh', '-c', broken]);
    expect(done.stderr).toContain('sums: FAIL add: -1 is not 3');
    expect(done).toMatchObject({ status: 3 });
    expect(project.read('lib.sh')).toBe(LIB.replace('# notes', '# notes of a person'));
    expect(project.has('new.txt')).toBe(false);
    project.ok('undo', '--yes');
    expect(project.read('lib.sh')).toContain('$1 - $2');
  });

  it('runs the command again after it was taken back', () => {
    guardedProject();
    const luck = `if [ -e '${project.home}/second' ]; then echo good > good.txt; else touch '${project.home}/second'; echo 'add() { echo 9; }' > lib.sh; fi`;
    const done = project.run(['guard', '--check', 'sums', '--attempts', '2', '--', 'sh', '-c', luck]);
    expect(done.stderr).toContain('attempt 2 of 2');
    expect(done).toMatchObject({ status: 0 });
    expect(project.read('lib.sh')).toBe(LIB);
    expect(project.read('good.txt')).toBe('good\n');
  });

  it.runIf(process.platform === 'linux')('ends the command, with what it started, if it is killed itself', async () => {
    guardedProject();
    const pids = (): readonly number[] =>
      ['../outer', '../inner'].map((file) => (project.has(file) ? Number(project.read(file)) : 0));
    onTestFinished(() => {
      for (const pid of pids()) if (pid > 0 && isAlive(pid)) process.kill(pid, 'SIGKILL');
    });
    const inner = "setsid sh -c 'echo $$ > ../inner; while :; do sleep 0.05; done'";
    const script = `trap '' TERM; echo $$ > ../outer; ${inner}; true`;
    const guard = project.start(['guard', '--check', 'sums', '--', 'sh', '-c', script]);
    await expect.poll(() => pids().every((pid) => pid > 0), { timeout: 60_000 }).toBe(true);
    process.kill(guard.pid, 'SIGKILL');
    await expect.poll(() => pids().filter(isAlive), { timeout: 30_000 }).toEqual([]);
    await guard.done;
  });

  it.each([
    ['changes', 'sed -i "s/sums.sh/lib.sh/" .savepoint.json', 'what it runs was changed, and is not trusted'],
    ['removes', 'rm .savepoint.json', 'the check no longer exists'],
  ])('takes back what %s the check', (_, damage, why) => {
    guardedProject();
    const before = project.read('.savepoint.json');
    const command = `sed -i 's/1 + /1 - /' lib.sh; ${damage}`;
    const done = project.run(['guard', '--check', 'tests', '--', 'sh', '-c', command]);
    expect(done.stderr).toContain(`sums: ${why}`);
    expect(done.stderr).not.toContain('Nothing was run');
    expect(done).toMatchObject({ status: 3 });
    expect(project.read('.savepoint.json')).toBe(before);
    expect(project.read('lib.sh')).toBe(LIB);
  });

  it('names the checkpoint to go back to if it fails after the command', () => {
    guardedProject();
    const damage = `echo new > new.txt; find '${project.base}' -name trust.json -exec sh -c 'echo "{" > "$1"' - {} ';'`;
    const done = project.run(['guard', '--check', 'sums', '--', 'sh', '-c', damage]);
    expect(done.stderr).toContain('After the guarded work: ');
    expect(done.stderr).not.toContain('Nothing was run');
    const [, before = ''] = /`savepoint restore (cp_\d+)` goes back to the state before/.exec(done.stderr) ?? [];
    project.ok('restore', before, '--yes');
    expect(project.has('new.txt')).toBe(false);
  });

  it('does not run the command if the checks are not trusted, or do not exist', () => {
    guardedProject();
    const run = (check: string) => project.run(['guard', '--check', check, '--', 'touch', 'ran.txt']);
    expect(run('nothing')).toMatchObject({ status: 2 });
    project.write(
      '.savepoint.json',
      JSON.stringify({ checks: { sums: { ...CHECKS.sums, command: ['sh', 'other.sh'] } } }),
    );
    expect(run('sums').stderr).toContain('trust');
    expect(project.has('ran.txt')).toBe(false);
  });
});

describe('savepoint guard -- COMMAND in the shell of an agent', () => {
  it('takes back what the command did as a step of the call', () => {
    guardedProject();
    const call = { tool_name: 'Bash', tool_input: { command: 'savepoint guard' }, tool_use_id: 't1' };
    const event = { session_id: 's', cwd: project.dir, hook_event_name: 'PreToolUse', ...call };
    const env = { SAVEPOINT_HOOK_PARENT: String(process.pid) };
    project.run(['hook', 'claude'], { input: JSON.stringify(event), env });
    const broken = "sed -i 's/1 + /1 - /' lib.sh";
    const done = project.run(['guard', '--check', 'sums', '--', 'sh', '-c', broken], { env: { CLAUDECODE: '1' } });
    expect(done.stderr).toContain('sums: FAIL add: -1 is not 3');
    expect(done).toMatchObject({ status: 3 });
    expect(project.read('lib.sh')).toBe(LIB);
    const { checkpoints } = JSON.parse(project.ok('list', '--json').stdout);
    expect(checkpoints[0]).toMatchObject({ trigger: 'rollback', actor: { name: 'claude' }, session: 's' });
  });
});

/** A program that reports what it does as Claude Code does. Each step is a turn. */
function agent(...steps: readonly string[]): readonly string[] {
  const hook = (event: object) => {
    const json = JSON.stringify({ session_id: 's', cwd: project.dir, ...event });
    return `printf '%s' '${json}' | SAVEPOINT_HOOK_PARENT=$$ '${process.execPath}' '${main}' hook claude > /dev/null`;
  };
  const turns = steps.flatMap((_step, index) => {
    const call = { tool_name: 'Bash', tool_input: { command: 'work' }, tool_use_id: `t${index}` };
    return [
      hook({ hook_event_name: 'PreToolUse', ...call }),
      `sh '../step${index}'`,
      hook({ hook_event_name: 'PostToolUse', ...call }),
      hook({ hook_event_name: 'Stop' }),
    ];
  });
  for (const [index, step] of steps.entries()) project.write(`../step${index}`, step);
  project.write('../agent', turns.join('\n'));
  return ['guard', '--check', 'sums', '--every', 'turn', '--', 'sh', '../agent'];
}

describe('savepoint guard -- AGENT', () => {
  const broken = "sed -i 's/1 + /1 - /' lib.sh";

  it('says what was taken back and why, with the exit status of that', () => {
    guardedProject();
    const done = project.run(agent(broken));
    expect(done.stderr).toMatch(/changes of a turn were taken back \(cp_\d+\): sums: FAIL add: -1 is not 3/);
    expect(done).toMatchObject({ status: 3 });
    expect(project.read('lib.sh')).toBe(LIB);
    expect(project.ok('guard', 'status').stdout).toContain('Nothing is guarded.');
  });

  it('succeeds if the last turn was a repair', () => {
    guardedProject();
    const done = project.run(agent(broken, 'echo more > more.txt'));
    expect(done.stderr).toContain('nothing is worse after the repair');
    expect(done).toMatchObject({ status: 0 });
  });

  it('is off once it was killed', async () => {
    guardedProject();
    const guard = project.start(agent('echo > ../ready; while :; do sleep 0.05; done'));
    await expect.poll(() => project.has('../ready'), { timeout: 60_000 }).toBe(true);
    expect(project.ok('guard', 'status').stdout).toContain('Guarded: sums');
    process.kill(guard.pid, 'SIGKILL');
    await guard.done;
    expect(project.ok('guard', 'status').stdout).toContain('Nothing is guarded.');
    expect(project.ok('guard', 'on', '--check', 'sums').stdout).toContain('Guarded: sums');
  });
});

describe('savepoint guard on', () => {
  it('says how often the command runs by default', () => {
    project = new Project();
    expect(project.ok('guard', '--help').stdout).toMatch(/runs at most \(default:\s+1\)/);
  });

  it('has options of its own, and status and off show it', () => {
    guardedProject();
    expect(project.ok('guard', 'on', '--check', 'sums', '--attempts', '2', '--every', '5').stdout).toMatch(
      /^Guarded: sums, after each turn, and after 5 calls\.\nWork is taken back at most 2 times/,
    );
    expect(JSON.parse(project.ok('guard', 'status', '--json').stdout)).toMatchObject({
      guard: { checks: ['sums'], every: 5, attempts: 2, timeoutSeconds: 300, outsideSandbox: false },
      events: [],
    });
    expect(project.ok('guard', 'off').stdout).toBe('The guard is off.\n');
    expect(project.ok('guard', 'status').stdout).toBe('Nothing is guarded.\n');
  });
});
