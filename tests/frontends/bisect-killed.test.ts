/** What is left when `savepoint bisect` or `savepoint replay` is killed, and how it goes away. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { whyNoOverlays } from '@savepoint/testkit';
import { main, type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it, onTestFinished } from 'vitest';

const STATES = 4;
const FILES = 200;

/** How copies are made. Without the tools for an overlay, they are folders. */
const KINDS = [
  { kind: 'an overlay', tools: null },
  { kind: 'a folder', tools: ['sh', 'sleep', 'setsid'] },
] as const;

function withCheckpoints(): Project {
  const p = project();
  onTestFinished(() => {
    for (const file of ['../pid', '../pid.0']) if (p.has(file)) endIfAlive(Number(p.read(file)));
  });
  for (let file = 0; file < FILES; file++) p.write(`folder/${file}.txt`, `${file}\n`);
  for (let state = 1; state <= STATES; state++) {
    p.write('count.txt', `${state}\n`);
    p.checkpoint();
  }
  p.write('not-captured.txt', 'mine\n');
  // Waits at a state for as long as the test wants, with a process in the background that has left its group.
  writeFileSync(
    p.at('../wait.sh'),
    `setsid sh -c 'echo $$ > "$1".0; exec sleep 600' sh "$1" & echo $$ > "$1"; while [ ! -e "$2" ]; do sleep 0.02; done; read -r other < "$1".0; kill "$other"\n`,
  );
  return p;
}

function endIfAlive(pid: number): void {
  try {
    if (pid > 0) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended, as it should.
  }
}

/** The contents of the real folder. */
function contents(p: Project): Readonly<Record<string, string>> {
  const names = readdirSync(p.dir, { recursive: true, encoding: 'utf8', withFileTypes: true });
  const files = names.filter((one) => one.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(files.map((file) => [file, readFileSync(file, 'latin1')]));
}

function pathWith(p: Project, tools: readonly string[] | null): string {
  const all = process.env['PATH'] ?? '';
  if (tools === null) return all;
  const folder = p.at('../tools');
  mkdirSync(folder);
  for (const tool of tools) {
    const found = all.split(':').find((one) => existsSync(join(one, tool)));
    symlinkSync(realpathSync(join(found ?? '/bin', tool)), join(folder, tool));
  }
  return folder;
}

/** Starts a command in the project, and kills it at a moment. @param moment looks at what it has printed */
async function killedWhen(
  p: Project,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  moment: (printed: string) => boolean,
): Promise<void> {
  const child = spawn(process.execPath, [main, ...args], { cwd: p.dir, env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (printed += part));
  const exited = new Promise((resolve) => child.on('exit', resolve));
  while (child.exitCode === null && !moment(printed)) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(child.exitCode, printed).toBeNull();
  child.kill('SIGKILL');
  await exited;
}

/** Processes that work for this project: by their environment, or by a mount that they see. */
function living(p: Project): readonly string[] {
  const pids = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid);
  return pids.flatMap((pid) => {
    const read = (file: string): string => {
      try {
        return readFileSync(`/proc/${pid}/${file}`, 'latin1');
      } catch {
        return '';
      }
    };
    const isOurs = read('environ').includes(p.base) || read('mountinfo').includes(`${p.store}/copies`);
    return isOurs ? [`${pid}: ${read('cmdline').replaceAll('\0', ' ')}`] : [];
  });
}

const listed = (p: Project): { readonly copies: readonly { state: string }[]; readonly leftovers: readonly string[] } =>
  JSON.parse(p.ok('copies', '--json').stdout);

const copyFolders = (p: Project): readonly string[] => {
  const folder = join(p.store, 'copies');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('copy_')) : [];
};

const isWaiting = (p: Project): boolean =>
  ['../pid', '../pid.0'].every((file) => p.has(file) && p.read(file).endsWith('\n'));

const MOMENTS: Readonly<
  Record<string, { readonly args: readonly string[]; readonly at: (p: Project) => (printed: string) => boolean }>
> = {
  'bisect, while it makes a copy': {
    args: ['bisect', '--good', 'cp_1', '--bad', `cp_${STATES}`],
    at: (p) => () => copyFolders(p).length > 0,
  },
  'bisect, while a command runs': {
    args: ['bisect', '--good', 'cp_1', '--bad', `cp_${STATES}`],
    at: (p) => () => isWaiting(p),
  },
  'bisect, between two states': {
    args: ['bisect', '--good', 'cp_1', '--bad', `cp_${STATES}`],
    at: (p) => (printed) => {
      if (isWaiting(p)) p.write('../go', '');
      return printed.includes('left)');
    },
  },
  'replay, while a command runs': { args: ['replay', 'cp_1..'], at: (p) => () => isWaiting(p) },
};

describe.runIf(process.platform === 'linux').each(KINDS)('killed with $kind as its copy:', ({ tools }) => {
  it.skipIf(tools === null && whyNoOverlays() !== null).each(Object.keys(MOMENTS))('%s', async (moment) => {
    const { args, at } = MOMENTS[moment]!;
    const p = withCheckpoints();
    const before = contents(p);
    const env = { ...p.environment(), PATH: pathWith(p, tools) };
    const command = ['--', 'sh', p.at('../wait.sh'), p.at('../pid'), p.at('../go')];
    await killedWhen(p, [...args, ...command], env, at(p));
    // Only a whole copy counts as one, and it is known that nobody uses it.
    await expect.poll(() => listed(p).copies.filter(({ state }) => state !== 'stale')).toEqual([]);
    expect(listed(p).copies.length + listed(p).leftovers.length).toBeGreaterThan(0);
    p.ok('copies', '--clean');
    expect(copyFolders(p)).toEqual([]);
    expect(p.ok('copies').stdout).toBe('No copies.\n');
    await expect.poll(() => living(p), { timeout: 30_000 }).toEqual([]);
    expect(contents(p)).toEqual(before);
  });
});

it.runIf(process.platform === 'linux')(
  'the next bisect ends what a killed one left, and removes its copies',
  async () => {
    const p = withCheckpoints();
    const env = { ...p.environment(), PATH: pathWith(p, KINDS[1].tools) };
    const bisect = ['bisect', '--good', 'cp_1', '--bad', `cp_${STATES}`, '--'];
    const wait = ['sh', p.at('../wait.sh'), p.at('../pid'), p.at('../go')];
    await killedWhen(p, [...bisect, ...wait], env, () => isWaiting(p));
    expect(living(p)).not.toEqual([]);
    const next = p.run([...bisect, 'sh', '-c', 'read -r count < count.txt; test "$count" -lt 3'], { env });
    expect(next.stdout).toContain('cp_3 is the first bad state');
    await expect.poll(() => living(p)).toEqual([]);
    expect(copyFolders(p)).toEqual([]);
  },
);
