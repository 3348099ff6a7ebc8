import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DiskPath, TreePath } from '@savepoint/core';
import { open } from '@savepoint/core/node';
import { GIT_ENV } from '@savepoint/testkit';
import { Project } from '@savepoint/testkit/command';
import { describe, expect, onTestFinished, test } from 'vitest';
import { call, connect } from '../frontends/mcp-server.ts';

/**
 * Five repositories and seven messages to an agent. After the fifth, a user goes back to the second, and the agent
 * continues. The library, the command line and an MCP client must give the same result.
 */

const REPOSITORIES = ['frontend', 'backend-api', 'shared-components', 'deployment-config', 'documentation'] as const;

/** The work on each message: whole files. */
const WORK: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  m1: {},
  m2: { 'backend-api/src/user.js': 'export class User {}\n', 'backend-api/src/index.js': 'import "./user.js";\n' },
  m3: { 'shared-components/src/ProfileCard.jsx': 'export const ProfileCard = () => null;\n' },
  m4: { 'frontend/src/app.jsx': 'import { ProfileCard } from "shared-components";\n' },
  m5: { 'deployment-config/api.yaml': 'routes: [users, profiles]\n', 'documentation/api.md': '# Profiles\n' },
  m6: { 'shared-components/src/UserInfo.jsx': 'export const UserInfo = () => null;\n' },
  m7: { 'frontend/src/dashboard.jsx': 'import { UserInfo } from "shared-components";\n' },
};

/** A front end of Savepoint, as far as this test needs it. */
interface FrontEnd {
  /** Starts the message, and then runs `work`. */
  message(id: string, work: () => void): Promise<void>;
  /** Goes to the state after the work on a message and before the next one. */
  goBackTo(id: string): Promise<void>;
  close?(): Promise<void>;
}

type Files = Readonly<Record<string, string>>;

function filesIn(dir: string, inside = '', into: Record<string, string> = {}): Files {
  for (const entry of readdirSync(join(dir, inside), { withFileTypes: true })) {
    const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
    if (entry.name === '.git') continue;
    if (entry.isDirectory()) filesIn(dir, path, into);
    else into[path] = readFileSync(join(dir, path), 'utf8');
  }
  return into;
}

/** Every byte of every `.git`. */
function gitFolders(dir: string): string {
  const hash = createHash('sha256');
  const walk = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      hash.update(entry.name);
      if (entry.isDirectory()) walk(join(path, entry.name));
      else hash.update(readFileSync(join(path, entry.name)));
    }
  };
  for (const name of REPOSITORIES) walk(join(dir, name, '.git'));
  return hash.digest('hex');
}

function put(dir: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
}

function projects(): Project {
  const p = new Project('projects');
  onTestFinished(() => p.remove());
  for (const name of REPOSITORIES) {
    const dir = p.at(name);
    put(dir, { 'README.md': `# ${name}\n`, 'src/app.jsx': '// nothing yet\n' });
    const git = (...args: readonly string[]): void =>
      void execFileSync('git', ['-C', dir, ...args], { env: { PATH: process.env['PATH'], ...GIT_ENV } });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'first');
  }
  return p;
}

/** Through the library, with its own support for this. */
async function library(p: Project): Promise<FrontEnd> {
  const savepoint = open({ dir: p.dir, home: p.store });
  const session = savepoint.session({ agent: 'mine' });
  return {
    message: async (id, work) => {
      await session.message(id, `Message ${id}`);
      await session.call({ tool: 'shell', kind: 'shell' }, work);
    },
    goBackTo: async (id) => void (await session.rollbackTo(id)),
    close: () => savepoint.idle(),
  };
}

/** By hand: a checkpoint before each message. Goes back to the one before the next message. */
async function commandLine(p: Project): Promise<FrontEnd> {
  const taken = new Map<string, string>();
  let last = '';
  return {
    message: async (id, work) => {
      const { stdout } = p.ok('checkpoint', '--json', '-m', id);
      const { id: made } = (JSON.parse(stdout) as { checkpoint: { id: string } }).checkpoint;
      if (last !== '') taken.set(last, made);
      last = id;
      work();
    },
    goBackTo: async (id) => {
      p.ok('restore', taken.get(id) as string, '--yes');
      last = '';
    },
  };
}

async function mcp(p: Project): Promise<FrontEnd> {
  const client = await connect(p, '2025-11-25');
  const taken = new Map<string, string>();
  let last = '';
  return {
    message: async (id, work) => {
      const { data } = await call(client, 'checkpoint_create', { message: id });
      if (last !== '') taken.set(last, (data as { checkpoint: { id: string } }).checkpoint.id);
      last = id;
      work();
    },
    goBackTo: async (id) => {
      const checkpoint = taken.get(id) as string;
      const { data } = await call(client, 'checkpoint_restore', { checkpoint });
      const done = await call(client, 'checkpoint_restore', { checkpoint, preview_id: data['preview_id'] });
      expect(done.isError, done.text).toBeUndefined();
      last = '';
    },
  };
}

describe.each([
  { name: 'the library', through: library },
  { name: 'the command line', through: commandLine },
  { name: 'MCP', through: mcp },
])('five repositories through $name', ({ through }) => {
  test('all go back together and the agent continues; the abandoned path can be restored', async () => {
    const p = projects();
    const frontEnd = await through(p);
    const git = gitFolders(p.dir);
    const say = (id: string): Promise<void> => frontEnd.message(id, () => put(p.dir, WORK[id] as Files));
    const after: Record<string, Files> = { m0: filesIn(p.dir) };
    for (const id of ['m1', 'm2', 'm3', 'm4', 'm5']) {
      await say(id);
      after[id] = { ...after[`m${Number(id.slice(1)) - 1}`], ...WORK[id] };
      expect(filesIn(p.dir)).toEqual(after[id]);
    }

    await frontEnd.goBackTo('m2');
    expect(filesIn(p.dir)).toEqual(after['m2']);
    for (const path of ['shared-components/src/ProfileCard.jsx', 'deployment-config/api.yaml']) {
      expect(existsSync(p.at(path))).toBe(false);
    }

    await say('m6');
    await say('m7');
    const end = { ...after['m2'], ...WORK['m6'], ...WORK['m7'] };
    expect(filesIn(p.dir)).toEqual(end);

    await frontEnd.goBackTo('m4');
    expect(filesIn(p.dir)).toEqual(after['m4']);
    p.ok('undo');
    expect(filesIn(p.dir)).toEqual(end);
    expect(gitFolders(p.dir)).toBe(git);
    const { stdout } = p.ok('list', '--all', '--json');
    const { checkpoints } = JSON.parse(stdout) as { checkpoints: { roots: { path: TreePath; commit: string }[] }[] };
    for (const { roots } of checkpoints) {
      expect(roots.map(({ path }) => path as string as DiskPath)).toEqual(['', ...[...REPOSITORIES].sort()]);
      expect(new Set(roots.slice(1).map(({ commit }) => commit?.length))).toEqual(new Set([40]));
    }
    await frontEnd.close?.();
  });
});

test('the example prints the same steps', () => {
  const top = fileURLToPath(new URL('../..', import.meta.url));
  const printed = execFileSync(process.execPath, ['examples/repositories/rollback.mjs'], {
    cwd: top,
    encoding: 'utf8',
  });
  expect(printed.split('\n').slice(6, 12)).toEqual([
    expect.stringMatching(/^Went back over 6 roots: cp_\d+ \(Restored cp_4\)\.$/),
    'Back at message 2, with 2 messages left:',
    '  frontend: README.md',
    '  backend-api: README.md user.js',
    '  shared-components: README.md',
    '  deployment-config: README.md',
  ]);
});
