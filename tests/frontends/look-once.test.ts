import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it, onTestFinished } from 'vitest';

/** A hook looks up its workspace once. The cost of an event depends neither on other workspaces nor on rereads. */

/** Node's functions that take a path. */
const CALLS = [
  ...['access', 'chmod', 'exists', 'link', 'lstat', 'lutimes', 'mkdir', 'open', 'opendir', 'readdir', 'readlink'],
  ...['realpath', 'rename', 'rm', 'rmdir', 'stat', 'symlink', 'unlink', 'utimes'],
].map((name) => `${name}Sync`);

/**
 * Upper bounds, measured in a repository of three files. Lower them when an event needs fewer calls. On a fast machine
 * a few files are too young for their times to be trusted, and are read again. Node from 22 on needs two calls more,
 * for its cache of compiled code.
 */
const MOST = { began: 193, ended: 232 };

interface Counts {
  readonly began: number;
  readonly ended: number;
}

/** Path-based calls of the two hooks of one call, each in its own process. Only node's own functions are counted. */
function countsOf(p: Project, id: string): Counts {
  const call = { tool_name: 'Edit', tool_input: { file_path: p.at('a.ts') }, tool_use_id: id };
  const began = countOf(p, { hook_event_name: 'PreToolUse', ...call });
  p.write('a.ts', `${id}\n`);
  const ended = countOf(p, { hook_event_name: 'PostToolUse', ...call, tool_response: {} });
  return { began, ended };
}

function countOf(p: Project, event: object): number {
  // Outside the counted folders.
  const record = path.join(os.tmpdir(), `calls-${path.basename(p.base)}`);
  onTestFinished(() => fs.rmSync(record, { force: true }));
  fs.writeFileSync(record, '');
  hook(p, event, { calls: JSON.stringify({ below: p.base, calls: CALLS, record }) });
  return fs.readFileSync(record, 'utf8').split('\n').length - 1;
}

function hook(p: Project, event: object, preload: { readonly calls?: string } = {}): void {
  const { status, stderr } = p.run(['hook', 'claude'], {
    input: JSON.stringify({ session_id: 's', cwd: p.dir, ...event }),
    env: { SAVEPOINT_NATIVE: 'off', SAVEPOINT_WATCH: 'off', SAVEPOINT_DAEMON: 'off' },
    preload,
  });
  expect([status, stderr]).toEqual([0, '']);
}

/** Records of other workspaces, as Savepoint writes them. */
function addWorkspaces(p: Project, count: number): void {
  const folder = path.join(p.store, 'workspaces');
  const [own = ''] = fs.readdirSync(folder);
  const record = JSON.parse(fs.readFileSync(path.join(folder, own, 'workspace.json'), 'utf8')) as object;
  for (let at = 0; at < count; at++) {
    const id = at.toString(16).padStart(32, '0');
    fs.mkdirSync(path.join(folder, id), { mode: 0o700 });
    const other = { ...record, id, path: `/nowhere/${at}`, inode: 1e9 + at };
    fs.writeFileSync(path.join(folder, id, 'workspace.json'), JSON.stringify(other), { mode: 0o600 });
  }
}

/** A scan reads files again that were young in the scan before. */
async function untilOld(p: Project): Promise<void> {
  const changed = Math.max(...['a.ts', 'b.ts', 'src/c.ts'].map((file) => fs.statSync(p.at(file)).ctimeMs));
  while (Date.now() - changed < 2_500) await new Promise((resolve) => setTimeout(resolve, 50));
}

function repository(): Project {
  const p = project();
  for (const file of ['a.ts', 'b.ts', 'src/c.ts']) p.write(file, 'one\n');
  p.commitAll();
  hook(p, { hook_event_name: 'SessionStart', source: 'startup' });
  return p;
}

describe('the cost of an event', () => {
  it('is the same with one workspace as with 1,000', async () => {
    const [one, many] = [repository(), repository()];
    addWorkspaces(many, 999);
    await untilOld(many);
    for (const p of [one, many]) hook(p, { hook_event_name: 'UserPromptSubmit', prompt: 'Go.' });
    const counts = countsOf(one, 'first');
    expect(countsOf(many, 'first')).toEqual(counts);
    expect(counts.began).toBeGreaterThan(20);
    expect(counts.began).toBeLessThanOrEqual(MOST.began);
    expect(counts.ended).toBeLessThanOrEqual(MOST.ended);
  });

  it('is the same for the second call', () => {
    const p = repository();
    hook(p, { hook_event_name: 'UserPromptSubmit', prompt: 'Go.' });
    const first = countsOf(p, 'first');
    const second = countsOf(p, 'second');
    // The timeline has one more checkpoint: a ref and a pack that are not merged yet.
    expect(Math.abs(second.began - first.began)).toBeLessThanOrEqual(15);
  });
});

describe('the index of workspaces', () => {
  const found = (p: Project): number => JSON.parse(p.ok('list', '--json').stdout).checkpoints.length as number;

  it('that is missing, garbage or of other stores affects only the cost', () => {
    const p = repository();
    const index = path.join(p.store, 'workspaces.json');
    let expected = found(p);
    for (const content of ['', '{', '[]', '{"format":1,"folder":[1,2,3,4],"workspaces":[]}', null]) {
      if (content === null) fs.rmSync(index);
      else fs.writeFileSync(index, content);
      expect(found(p)).toBe(expected);
      p.checkpoint();
      expected += 1;
      expect(JSON.parse(fs.readFileSync(index, 'utf8')).workspaces).toHaveLength(1);
    }
  });

  it('is not trusted if it contradicts the stores', () => {
    const p = repository();
    const index = path.join(p.store, 'workspaces.json');
    const sound = JSON.parse(fs.readFileSync(index, 'utf8'));
    const [[id]] = sound.workspaces;
    const expected = found(p);
    for (const wrong of ['/a\0b', { b64: Buffer.from('/a\0b').toString('base64') }, { b64: 7 }]) {
      fs.writeFileSync(index, JSON.stringify({ ...sound, workspaces: [[id, wrong, null, null, null]] }));
      expect(found(p)).toBe(expected);
    }
    for (const folder of [[], [1], ['1', '2', '3', '4']]) {
      fs.writeFileSync(index, JSON.stringify({ ...sound, folder, workspaces: [] }));
      expect(found(p)).toBe(expected);
    }
  });

  it('is also created next to an incomplete store', () => {
    const p = repository();
    fs.mkdirSync(path.join(p.store, 'workspaces', '0123456789abcdef'.repeat(2)), { mode: 0o700 });
    p.checkpoint();
    expect(JSON.parse(fs.readFileSync(path.join(p.store, 'workspaces.json'), 'utf8')).workspaces).toHaveLength(1);
  });

  it('is updated for a workspace that moved, and for one that is linked', () => {
    const p = repository();
    const before = found(p);
    const moved = path.join(p.base, 'elsewhere');
    fs.renameSync(p.dir, moved);
    p.run(['checkpoint'], { cwd: moved });
    expect(fs.readFileSync(path.join(p.store, 'workspaces.json'), 'utf8')).toContain('elsewhere');
    expect(JSON.parse(p.run(['list', '--json'], { cwd: moved }).stdout).checkpoints).toHaveLength(before + 1);
  });
});
