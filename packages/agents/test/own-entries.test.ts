import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bytesFromText, type DiskPath, open, type Savepoint, type TreePath } from '@savepoint/core';
import { type SeededRandom, seededRandom, testEffort, world } from '@savepoint/testkit';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  AGENTS,
  type InstallEnvironment,
  ownEntries,
  planInstall,
  planUninstall,
  settingsPath,
  writeChanges,
} from '../src/index.ts';
import { parseJsonText, plainValueOf } from '../src/settings/json-text.ts';
import { findInstalled } from '../src/settings/plan.ts';

/** Operations of the engine change an agent's settings, and Savepoint's hooks in them stay as they are. */

type AgentName = keyof typeof AGENTS;

/** Where `install` lists the folders that it creates. */
const STORES = mkdtempSync(path.join(tmpdir(), 'savepoint-test-'));
afterAll(() => rmSync(STORES, { recursive: true }));

/** A project whose settings of one agent change in many ways. */
class Project {
  readonly world = world(onTestFinished);
  readonly dir = Buffer.from(this.world.workspace, 'latin1').toString();
  readonly around: InstallEnvironment;
  readonly savepoint: Savepoint = this.open(this.world.workspace);
  readonly settings: string;

  constructor(readonly agent: AgentName) {
    this.around = {
      project: this.dir,
      env: this.world.env,
      program: { node: '/opt/node', script: '/opt/savepoint.js', hookScript: null, path: '/nowhere', windows: false },
    };
    this.settings = settingsPath(AGENTS[agent], 'project', this.around);
  }

  open(dir: DiskPath): Savepoint {
    const { ports, places } = this.world;
    return open({ dir, ports, places, ownEntries: async () => ownEntries });
  }

  get isJson(): boolean {
    return AGENTS[this.agent].integration.form.kind === 'json';
  }

  get path(): TreePath {
    return AGENTS[this.agent].integration.project.join('/') as string as TreePath;
  }

  install(node = '/opt/node'): void {
    const around = { ...this.around, program: { ...this.around.program, node } };
    writeChanges(planInstall(AGENTS[this.agent], 'project', around), STORES);
  }

  uninstall(): void {
    writeChanges(planUninstall(AGENTS[this.agent], 'project', this.around), STORES);
  }

  isHooked(): boolean {
    return findInstalled(AGENTS[this.agent], 'project', this.around)?.state === 'hooked';
  }

  write(name: string, content: string): void {
    mkdirSync(path.dirname(path.join(this.dir, name)), { recursive: true });
    writeFileSync(path.join(this.dir, name), content);
  }

  read(name: string): string | null {
    return existsSync(path.join(this.dir, name)) ? readFileSync(path.join(this.dir, name), 'utf8') : null;
  }

  /** The user's settings, without our hooks; null if there is no file. */
  mine(): unknown {
    const text = this.read(this.path);
    if (text === null) return null;
    const { hooks: _, version: __, ...mine } = plainValueOf(parseJsonText(text)) as Record<string, unknown>;
    return mine;
  }

  /** Changes the text of the settings in place, as a person does in an editor. */
  replace(from: string, to: string): void {
    this.write(this.path, (this.read(this.path) ?? '').replace(from, to));
  }

  async checkpoint(): Promise<string> {
    return (await this.savepoint.checkpoint()).checkpoint.id;
  }

  async agentDoes(session: string, work: () => void): Promise<void> {
    await this.savepoint
      .session({ agent: 'tester', id: session })
      .call({ tool: 'Bash', kind: 'shell' }, async () => work());
  }
}

const NAMES = Object.keys(AGENTS) as AgentName[];
const JSON_NAMES = NAMES.filter((name) => AGENTS[name].integration.form.kind === 'json');
const TEXT = '{\n  "theme": "dark", // mine\n  "limit": 1,\n  "list": [1, 2]\n}\n';

describe.each(NAMES)('%s', (name) => {
  test('hooks installed after a checkpoint stay when it is restored, and the operation is undone and redone', async () => {
    const p = new Project(name);
    p.write('a.txt', '1\n');
    const first = await p.checkpoint();
    p.install();
    const installed = readFileSync(p.isJson ? p.settings : path.join(p.settings, hookFile(name)), 'utf8');
    expect((await p.savepoint.previewRestore('last')).plan).toMatchObject({
      paths: [],
      notes: expect.arrayContaining([expect.objectContaining({ why: "keeps Savepoint's hooks" })]),
    });
    await p.savepoint.restore('last', { mode: 'exact' });
    expect(p.isHooked()).toBe(true);
    await p.agentDoes('s', () => p.write('a.txt', '2\n'));
    await p.savepoint.restore(first, { mode: 'exact' });
    expect([p.isHooked(), p.read('a.txt')]).toEqual([true, '1\n']);
    await p.savepoint.undo();
    expect([p.isHooked(), p.read('a.txt')]).toEqual([true, '2\n']);
    await p.savepoint.redo();
    expect([p.isHooked(), p.read('a.txt')]).toEqual([true, '1\n']);
    await p.savepoint.undo();
    await p.savepoint.rollback({ session: 's' as never }, { least: 'likely' });
    expect([p.isHooked(), p.read('a.txt')]).toEqual([true, '1\n']);
    expect(readFileSync(p.isJson ? p.settings : path.join(p.settings, hookFile(name)), 'utf8')).toBe(installed);
  });

  test('removed hooks do not come back', async () => {
    const p = new Project(name);
    p.install();
    const first = await p.checkpoint();
    await p.savepoint.recordOwnEntries(uninstallation(p));
    p.write('a.txt', '1\n');
    await p.savepoint.restore(first, { mode: 'exact' });
    expect([findInstalled(AGENTS[name], 'project', p.around), p.read('a.txt')]).toEqual([null, null]);
  });

  test('hooks that were lost with the folder come back byte for byte', async () => {
    const p = new Project(name);
    p.install();
    p.write('a.txt', '1\n');
    await p.checkpoint();
    rmSync(p.dir, { recursive: true });
    await p.savepoint.restore('last', { mode: 'exact' });
    expect([p.isHooked(), p.read('a.txt')]).toEqual([true, '1\n']);
  });

  test('hooks that an agent removed come back with its rollback', async () => {
    const p = new Project(name);
    p.install();
    await p.checkpoint();
    await p.agentDoes('s', () => rmSync(path.join(p.dir, p.path), { recursive: true }));
    expect(p.isHooked()).toBe(false);
    await p.savepoint.rollback({ session: 's' as never }, { least: 'likely' });
    expect(p.isHooked()).toBe(true);
  });
});

/** One agent for each form of settings. */
const FORMS: readonly AgentName[] = ['claude', 'copilot'];

describe.each(JSON_NAMES)('%s: settings of the user', (name) => {
  test('are those of the target, in their own layout, with the present hooks', async () => {
    const p = new Project(name);
    p.write(p.path, TEXT);
    const first = await p.checkpoint();
    p.install();
    const installed = p.read(p.path);
    p.replace('"dark"', '"light"');
    await p.savepoint.restore(first, { mode: 'exact' });
    expect(p.read(p.path)).toBe(installed);
    await p.savepoint.undo();
    expect([p.isHooked(), p.mine()]).toEqual([true, { theme: 'light', limit: 1, list: [1, 2] }]);
    await p.savepoint.redo();
    expect(p.read(p.path)).toBe(installed);
  });

  test('are rolled back, although the hooks were installed into the same lines since', async () => {
    const p = new Project(name);
    p.write(p.path, '{"theme":"dark"}');
    await p.checkpoint();
    await p.agentDoes('s', () => p.write(p.path, '{"theme":"light","more":true}'));
    p.install();
    const { plan } = await p.savepoint.previewRollback({ session: 's' as never }, { least: 'likely' });
    expect(plan.conflicts).toEqual([]);
    const { details } = await p.savepoint.rollback({ session: 's' as never }, { least: 'likely' });
    expect(details.rolledBack).toHaveLength(1);
    expect([p.isHooked(), p.mine()]).toEqual([true, { theme: 'dark' }]);
    await p.savepoint.undo();
    expect([p.isHooked(), p.mine()]).toEqual([true, { theme: 'light', more: true }]);
  });

  test('hooks of another installation are no conflict of an undo', async () => {
    const p = new Project(name);
    p.write(p.path, TEXT);
    const first = await p.checkpoint();
    p.install('/old/node');
    p.replace('"limit": 1', '"limit": 2');
    await p.checkpoint();
    await p.savepoint.restore(first, { mode: 'exact' });
    p.install('/new/node');
    await p.savepoint.undo();
    expect([p.isHooked(), p.mine()]).toEqual([true, { theme: 'dark', limit: 2, list: [1, 2] }]);
    expect(p.read(p.path)).toContain('/new/node');
    expect(p.read(p.path)).not.toContain('/old/node');
  });

  test('are not mixed up with changes by others, so a restore needs no choice', async () => {
    const p = new Project(name);
    p.write(p.path, '{"theme":"dark"}');
    const first = await p.checkpoint();
    await p.agentDoes('s', () => p.write(p.path, '{"theme":"light"}'));
    p.install();
    await p.savepoint.restore(first);
    expect([p.isHooked(), p.mine()]).toEqual([true, { theme: 'dark' }]);
  });

  test('a deleted file that comes back keeps hooks that were installed meanwhile', async () => {
    const p = new Project(name);
    p.write(p.path, TEXT);
    await p.checkpoint();
    await p.agentDoes('s', () => rmSync(path.join(p.dir, p.path)));
    p.install();
    await p.savepoint.rollback({ session: 's' as never }, { least: 'likely' });
    expect([p.isHooked(), p.mine()]).toEqual([true, { theme: 'dark', limit: 1, list: [1, 2] }]);
    expect(p.read(p.path)).toContain('// mine');
  });

  test('hooks that a person removed from the file stay out of it, and those that an agent removed come back', async () => {
    const p = new Project(name);
    p.write(p.path, TEXT);
    p.install();
    const hooked = p.read(p.path);
    const first = await p.checkpoint();
    p.write(p.path, TEXT.replace('dark', 'light'));
    await p.savepoint.restore(first, { mode: 'exact' });
    expect(p.read(p.path)).toBe(TEXT);
    await p.savepoint.restore(first, { mode: 'exact' });
    p.install();
    await p.checkpoint();
    await p.agentDoes('s', () => p.write(p.path, '{}'));
    await p.savepoint.restore(first, { mode: 'exact' });
    expect(p.read(p.path)).toBe(hooked);
  });

  test('that are frozen are reverted, with their hooks, if an agent changes them anyway', async () => {
    const p = new Project(name);
    p.write(p.path, TEXT);
    p.install();
    const hooked = p.read(p.path);
    await p.checkpoint();
    await p.savepoint.freeze([p.path]);
    await p.agentDoes('s', () => p.write(p.path, '{}'));
    expect(p.read(p.path)).toBe(hooked);
  });
});

describe.each(FORMS)('%s: contents that cannot have the hooks', (name) => {
  const HOSTILE: readonly (readonly [string, string | Buffer])[] = [
    ['broken JSON', '{"hooks": '],
    ['not an object', '[1, 2]'],
    ['a list of hooks', '{"hooks": []}'],
    ['hooks that are no lists', '{"hooks": 5}'],
    ['deep nesting', `${'['.repeat(2_000)}${']'.repeat(2_000)}`],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['a huge file', `{"a": "${'x'.repeat(300_000)}"}`],
    ['very many hooks', hooksOf(name, 10_000)],
  ];

  test.each(HOSTILE)(
    '%s is restored byte for byte, and the preview says that the hooks are lost',
    async (_, content) => {
      const p = new Project(name);
      mkdirSync(path.dirname(p.settings), { recursive: true });
      writeFileSync(p.settings, content);
      const first = await p.checkpoint();
      writeFileSync(p.settings, '{}');
      p.install();
      const { plan } = await p.savepoint.previewRestore(first, { mode: 'exact' });
      expect(hookNotes(plan)).toEqual([expect.stringMatching(/^loses Savepoint's hooks, because/)]);
      await p.savepoint.restore(first, { mode: 'exact' });
      expect(readFileSync(p.settings).equals(Buffer.from(content as string))).toBe(true);
      await p.savepoint.undo();
      expect(p.isHooked()).toBe(true);
    },
  );

  test('a link in the place of the settings is restored', async () => {
    const p = new Project(name);
    mkdirSync(path.dirname(p.settings), { recursive: true });
    symlinkSync('elsewhere', p.settings);
    const linked = await p.checkpoint();
    rmSync(p.settings);
    p.install();
    const { plan } = await p.savepoint.restore(linked, { mode: 'exact' });
    expect(lstatSync(p.settings).isSymbolicLink()).toBe(true);
    expect(hookNotes(plan)).toEqual([expect.stringContaining("loses Savepoint's hooks")]);
  });

  test('a file in the place of their folder is restored', async () => {
    const p = new Project(name);
    const folder = AGENTS[name].integration.project[0] as string;
    p.write(folder, 'a file');
    const first = await p.checkpoint();
    rmSync(path.join(p.dir, folder));
    p.install();
    const { plan } = await p.savepoint.restore(first, { mode: 'exact' });
    expect(p.read(folder)).toBe('a file');
    expect(hookNotes(plan)).toEqual([expect.stringContaining("loses Savepoint's hooks")]);
  });
});

/** The notes about hooks, without those about commands. */
function hookNotes({ notes = [] }: { readonly notes?: readonly { readonly why: string }[] }): readonly string[] {
  return notes.map(({ why }) => why).filter((why) => !why.endsWith("Savepoint's command"));
}

test('commands stay and do not come back, like hooks, and a changed one is restored', async () => {
  const p = new Project('claude');
  const before = await p.checkpoint();
  p.install();
  const [rewind, undo] = ['rewind', 'undo'].map((name) => `.claude/commands/savepoint/${name}.md`) as [string, string];
  const own = p.read(undo);
  p.write(rewind, 'mine\n');
  const changed = await p.checkpoint();
  p.write(rewind, 'mine, too\n');
  const { plan } = await p.savepoint.restore(before, { mode: 'exact' });
  expect(plan.notes).toContainEqual({ path: undo, why: "keeps Savepoint's command" });
  expect([p.read(undo), existsSync(path.join(p.dir, rewind))]).toEqual([own, false]);
  await p.savepoint.recordOwnEntries({
    what: 'uninstall',
    paths: [path.join(p.dir, undo)],
    description: 'Removed',
    write: () => p.uninstall(),
  });
  await p.savepoint.restore(changed, { mode: 'exact' });
  expect([p.read(rewind), existsSync(path.join(p.dir, undo))]).toEqual(['mine\n', false]);
});

test('the installation itself is not rolled back', async () => {
  const p = new Project('claude');
  p.write(p.path, TEXT);
  await p.checkpoint();
  await p.agentDoes('s', () => p.install());
  const { details, plan } = await p.savepoint.rollback({ session: 's' as never }, { least: 'likely' });
  expect([details.rolledBack, plan.paths, p.isHooked()]).toEqual([[], [], true]);
});

test('settings in a subfolder, and permissions of the target', async () => {
  const p = new Project('claude');
  p.write('.claude/settings.local.json', '{"a":1}');
  chmodSync(p.settings, 0o640);
  const first = await p.checkpoint();
  chmodSync(p.settings, 0o600);
  p.install();
  mkdirSync(path.join(p.dir, 'sub'));
  writeChanges(planInstall(AGENTS.gemini, 'project', { ...p.around, project: path.join(p.dir, 'sub') }), STORES);
  p.write('sub/b.txt', 'b');
  await p.savepoint.restore(first, { mode: 'exact' });
  expect(p.isHooked()).toBe(true);
  expect(lstatSync(p.settings).mode & 0o777).toBe(0o640);
  expect([p.read('sub/b.txt'), p.read('sub/.gemini/settings.json')]).toEqual([
    null,
    expect.stringContaining('savepoint'),
  ]);
});

test('an edit through Savepoint writes what it was given', async () => {
  const p = new Project('claude');
  p.install();
  await p.checkpoint();
  const edits = [{ op: 'write', content: '{}' }] as const;
  await p.savepoint.edit([{ given: p.path, path: p.path, edits, expectedHash: null, force: false } as never]);
  expect(p.read(p.path)).toBe('{}');
  await p.savepoint.undo();
  expect(p.isHooked()).toBe(true);
});

test('a bundle that continues the timeline of a folder with hooks is imported, and they stay', async () => {
  const p = new Project('claude');
  p.write(p.path, TEXT);
  p.write('a.txt', '1\n');
  await p.checkpoint();
  const [full, next] = ['full', 'next'].map((name) => bytesFromText(`${p.world.folder}/${name}.bundle`) as DiskPath);
  const folder = bytesFromText(`${p.world.folder}/copy`) as DiskPath;
  await p.savepoint.createBundle(full as DiskPath, {});
  await p.savepoint.restoreBundle(full as DiskPath, folder);
  p.write('a.txt', '2\n');
  p.replace('"limit": 1', '"limit": 9');
  await p.checkpoint();
  await p.savepoint.createBundle(next as DiskPath, {});
  const there = { ...p.around, project: `${p.world.folder}/copy` };
  writeChanges(planInstall(AGENTS.claude, 'project', there), STORES);
  await p.savepoint.restoreBundle(next as DiskPath, folder);
  expect(readFileSync(`${p.world.folder}/copy/a.txt`, 'utf8')).toBe('2\n');
  const text = readFileSync(settingsPath(AGENTS.claude, 'project', there), 'utf8');
  expect(text).toContain('"limit": 9,\n');
  expect(findInstalled(AGENTS.claude, 'project', there)).toMatchObject({ state: 'hooked' });
});

test('in random settings, the user has what the target has, and the hooks are the present ones', () => {
  const seed = Number(process.env['SAVEPOINT_SEED'] ?? (process.env['CI'] ? 1 : Date.now() % 2 ** 31));
  console.log(`seed ${seed}`);
  const random = seededRandom(seed);
  for (let rounds = testEffort({ quick: 60, ci: 300, long: 3_000 }); rounds > 0; rounds--) {
    const name = JSON_NAMES[random.integer(JSON_NAMES.length)] as AgentName;
    const at = AGENTS[name].integration.project.join('/') as string as TreePath;
    const [one, two] = [randomSettings(random), randomSettings(random)];
    const [current, target] = [
      withHooks(name, one, random),
      random.integer(2) === 0 ? two : withHooks(name, two, random),
    ];
    const merged = ownEntries.merge(at, Buffer.from(current), Buffer.from(target));
    const text = Buffer.isBuffer(merged.content) ? merged.content.toString() : target;
    const clean = ownEntries.merge(at, null, Buffer.from(text)).content;
    const users = Buffer.isBuffer(clean) ? clean.toString() : clean === null ? '{}' : text;
    expect(settingsIn(users)).toEqual(settingsIn(two));
    expect(hooksIn(text)).toEqual(hooksIn(current));
    // Once more changes nothing, and the way back gives what was there.
    expect(ownEntries.merge(at, Buffer.from(current), Buffer.from(text)).content).toBe('target');
    const back = ownEntries.merge(at, Buffer.from(text), Buffer.from(one)).content;
    expect(settingsIn(Buffer.isBuffer(back) ? back.toString() : one)).toEqual(settingsIn(current));
  }
});

function hookFile(name: AgentName): string {
  return name === 'cline' ? 'PreToolUse' : 'savepoint.js';
}

function uninstallation(p: Project) {
  const changes = planUninstall(AGENTS[p.agent], 'project', p.around);
  const paths = changes.map(({ path }) => path);
  return { what: 'uninstall' as const, paths, write: () => p.uninstall() };
}

function hooksOf(name: AgentName, count: number): string {
  const hook = { hooks: [{ type: 'command', command: `savepoint hook ${name}` }] };
  return JSON.stringify({ hooks: { SessionStart: Array.from({ length: count }, () => hook) } });
}

function settingsIn(text: string): unknown {
  return plainValueOf(parseJsonText(text));
}

function hooksIn(text: string): unknown {
  const { hooks } = settingsIn(text) as { hooks?: Record<string, unknown[]> };
  return Object.entries(hooks ?? {})
    .flatMap(([event, list]) => list.map((each) => JSON.stringify([event, each])))
    .filter((text) => text.includes('savepoint'))
    .sort();
}

/** Settings with keys, comments and layouts of any kind, and hooks of others. */
function randomSettings(random: SeededRandom): string {
  const value: Record<string, unknown> = {};
  for (let count = random.integer(4); count > 0; count--) {
    value[['a', 'b c', '"', 'hooks?', '__proto__', 'ü'][random.integer(6)] as string] = [
      1,
      'savepoint',
      null,
      [],
      { x: [1, { y: '}' }] },
    ][random.integer(5)];
  }
  if (random.integer(3) === 0) {
    const others = [{ hooks: [{ type: 'command', command: 'other' }] }];
    value['hooks'] = random.integer(2) === 0 ? { Stop: others, Mine: [] } : { SessionStart: others };
  }
  const text = JSON.stringify(value, null, [undefined, 2, '\t'][random.integer(3)]);
  const layouts = [text, `${text}\n`, `// first\n${text}`, text.replaceAll('\n', '\r\n'), `\ufeff${text}`];
  return layouts[random.integer(layouts.length)] as string;
}

function withHooks(name: AgentName, text: string, random: SeededRandom): string {
  const p = world(onTestFinished);
  const around: InstallEnvironment = {
    project: Buffer.from(p.workspace, 'latin1').toString(),
    env: p.env,
    program: {
      node: `/opt/node${random.integer(3)}`,
      script: '/opt/savepoint.js',
      hookScript: null,
      path: undefined,
      windows: false,
    },
  };
  const at = settingsPath(AGENTS[name], 'project', around);
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(at, text);
  writeChanges(planInstall(AGENTS[name], 'project', around), STORES);
  return readFileSync(at, 'utf8');
}
