/** What is left when `savepoint run` itself is killed, or its terminal is closed, while an agent works in it. */
import fs from 'node:fs';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { HostedTerminal, until } from './hosted-terminal.ts';
import { innerEvent } from './inner-agent.ts';

/** A program that tells the hooks of one call, and then waits for a hang-up. */
function agentProject(): Project {
  const p = project();
  p.write('a.txt', 'one\n');
  const command = [process.execPath, fs.realpathSync('packages/cli/bundle/savepoint.js'), 'hook', 'claude'];
  p.write(
    'agent.mjs',
    `import { spawnSync } from 'node:child_process';
    import fs from 'node:fs';
    const [file, ...args] = ${JSON.stringify(command)};
    const tell = (input) => spawnSync(file, args, { input });
    // It takes a moment to end, as a busy machine does.
    process.on('SIGHUP', () => setTimeout(() => { fs.writeFileSync('heard.txt', 'x'); process.exit(); }, 200));
    tell(${JSON.stringify(innerEvent(p, 'SessionStart'))});
    tell(${JSON.stringify(innerEvent(p, 'PreToolUse'))});
    fs.writeFileSync('made.txt', 'made');
    tell(${JSON.stringify(innerEvent(p, 'PostToolUse'))});
    setInterval(() => undefined, 1000);
    console.log('parent ' + fs.readFileSync('/proc/' + process.ppid + '/stat', 'utf8').split(') ')[1].split(' ')[1] + '.');`,
  );
  return p;
}

/** The grade and the authors of each path's newest change. */
function changes(p: Project): Readonly<Record<string, readonly string[]>> {
  const { changes: all } = JSON.parse(p.ok('history', '--json').stdout) as {
    readonly changes: readonly { path: string; grade: string; authors: { actor: { name: string } }[] }[];
  };
  return Object.fromEntries(
    all.map(({ path, grade, authors }) => [path, [grade, ...authors.map(({ actor }) => actor.name)]]),
  );
}

function canSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

async function heard(p: Project): Promise<void> {
  await until(
    () => p.has('heard.txt'),
    () => 'a hang-up',
  );
}

describe('the program gets a hang-up, and the calls of its agent are recorded', () => {
  it('when run is killed; the shell has a terminal as before', async () => {
    const p = agentProject();
    const terminal = new HostedTerminal(p, 'exec bash --norc --noprofile -i');
    terminal.type(`stty -a > before.txt; $SAVEPOINT_COMMAND run -- '${process.execPath}' agent.mjs\r`);
    const [, pid] = await terminal.shows(/parent (\d+)\./);
    process.kill(Number(pid), 'SIGKILL');
    await heard(p);
    terminal.type('\rstty -a > new.txt; mv new.txt after.txt\r');
    await until(
      () => p.has('after.txt'),
      () => `a shell that takes input: ${terminal.text}`,
    );
    expect(p.read('after.txt')).toBe(p.read('before.txt'));
    p.write('later.txt', 'by a person');
    p.ok('checkpoint');
    // It is not known when the program ended.
    expect(changes(p)).toMatchObject({
      'made.txt': ['likely', 'claude'],
      'heard.txt': ['open', 'node', 'outside'],
      'later.txt': ['open', 'node', 'outside'],
    });
  });

  it('when the terminal is closed; run records what the program still did', async () => {
    const p = agentProject();
    const terminal = new HostedTerminal(p, `$SAVEPOINT_COMMAND run -- '${process.execPath}' agent.mjs`);
    const [, pid] = await terminal.shows(/parent (\d+)\./);
    terminal.hangUp();
    await heard(p);
    // Shells send more of them.
    await until(
      () => !canSignal(Number(pid), 'SIGHUP'),
      () => 'the end of `run`',
    );
    p.write('later.txt', 'by a person');
    p.ok('checkpoint');
    expect(changes(p)).toMatchObject({
      'made.txt': ['likely', 'claude'],
      'heard.txt': ['likely', 'node'],
      'later.txt': ['sure', 'outside'],
    });
  });
});
