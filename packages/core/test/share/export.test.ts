import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open, type Savepoint, type TreePath } from '@savepoint/core';
import type { Exporter } from '@savepoint/core/frontend';
import { BundleFolder, type BundleKey, type BundleStore } from '@savepoint/core/ports';
import { bundleStoreConformance, realPorts } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { disk, Machine } from '../bundle/bundle-world.ts';
import { failure } from '../failure.ts';

describe('a folder for bundles', () => {
  const make = (): BundleStore => new BundleFolder(realPorts(), disk(new Machine().at('made/when/needed')));
  for (const { name, run } of bundleStoreConformance(make)) test(name, run);
});

/** The real clock without `sleep`, which tests replace. */
function clockOf({ clock }: ReturnType<typeof realPorts>): Omit<typeof clock, 'sleep'> {
  return { now: () => clock.now(), monotonic: () => clock.monotonic(), turn: () => clock.turn() };
}

/** A machine whose user configuration exports checkpoints to a folder. */
class Exporting extends Machine {
  constructor(readonly to = 'out') {
    super();
    this.configure({ to: this.at(to) });
  }

  configure(given: Readonly<Record<string, unknown>>): void {
    writeFileSync(this.at('home/config.json'), JSON.stringify({ export: given }));
  }

  exporting(exporter?: Exporter): Savepoint {
    return open({
      dir: disk(this.project),
      ports: realPorts(),
      places: this.world.places,
      settings: { savepoint: null },
      ...(exporter === undefined ? {} : { exporter }),
    });
  }

  /** Takes a checkpoint and waits for its export. */
  async exported(): Promise<void> {
    const savepoint = this.exporting();
    await savepoint.checkpoint();
    await savepoint.idle();
  }

  path(name: string): string {
    return `${this.project}/${name}`;
  }

  bundles(suffix = ''): readonly {
    readonly key: string;
    readonly from: string;
    readonly to: string;
    readonly isWhole: boolean;
  }[] {
    const [id = ''] = readdirSync(this.at(this.to));
    return JSON.parse(readFileSync(this.at(`${this.to}/${id}${suffix}/head.json`), 'utf8')).bundles;
  }
}

test('each new checkpoint is exported automatically, and together they recreate the folder elsewhere', async () => {
  const here = new Exporting();
  const there = new Machine();
  const savepoint = here.exporting();
  for (const content of ['one\n', 'two\n', 'three\n']) {
    here.write('a.txt', content);
    await savepoint.checkpoint();
    await savepoint.idle();
  }
  expect(here.bundles().map(({ from, to, isWhole }) => `${from} ${to} ${isWhole}`)).toEqual([
    'cp_1 cp_1 true',
    'cp_2 cp_2 false',
    'cp_3 cp_3 false',
  ]);
  expect((await savepoint.status()).exporting).toMatchObject({ behind: 0, state: { upTo: 'cp_3', failure: null } });
  for (const { key } of here.bundles()) await there.restore(here.at(`out/${key}`));
  expect(readFileSync(there.at('restored/a.txt'), 'utf8')).toBe('three\n');
  here.git(['init', '-q', 'judge']);
  for (const { key } of here.bundles()) {
    here.git(['-C', 'judge', 'fetch', '-q', here.at(`out/${key}`), 'timeline:timeline']);
  }
  expect(here.git(['-C', 'judge', 'rev-list', '--count', 'timeline'])).toBe('3');
});

test('continues the same chain after old checkpoints were dropped here', async () => {
  const here = new Exporting();
  const savepoint = here.exporting();
  for (const content of ['one\n', 'two\n', 'three\n', 'four\n']) {
    here.write('a.txt', content);
    await savepoint.checkpoint();
    await savepoint.idle();
    await savepoint.gc({
      retention: { maxCheckpoints: 1, keepAtLeast: 1, maxAgeDays: null, maxSessions: null, maxStoreBytes: null },
    });
  }
  here.git(['init', '-q', 'judge']);
  for (const { key } of here.bundles()) {
    here.git(['-C', 'judge', 'fetch', '-q', here.at(`out/${key}`), 'timeline:timeline']);
  }
  expect(here.git(['-C', 'judge', 'rev-list', '--count', 'timeline'])).toBe('4');
});

test('what an early version began, with descriptions, goes on without them, for Savepoint and for git', async () => {
  const here = new Exporting();
  const there = new Machine();
  const savepoint = here.exporting();
  here.write('a.txt', 'one\n');
  await savepoint.checkpoint({ message: 'tok-first' });
  await savepoint.idle();
  // The destination as an early version leaves it.
  const [id = ''] = readdirSync(here.at('out'));
  const old = await here.open().createBundle(disk(here.at('old.bundle')), { descriptions: true });
  const key = `${id}/cp_1-cp_1-${old.tip.slice(0, 16)}.bundle`;
  cpSync(here.at('old.bundle'), here.at(`out/${key}`));
  const list = here.at(`out/${id}/head.json`);
  const head = JSON.parse(readFileSync(list, 'utf8'));
  head.bundles[0] = { ...head.bundles[0], key, tip: old.tip };
  writeFileSync(list, JSON.stringify(head));

  here.write('a.txt', 'two\n');
  await savepoint.checkpoint({ message: 'tok-second' });
  await savepoint.idle();
  expect(here.bundles().map(({ from, to, isWhole }) => `${from} ${to} ${isWhole}`)).toEqual([
    'cp_1 cp_1 true',
    'cp_2 cp_2 false',
  ]);
  here.git(['init', '-q', 'judge']);
  for (const bundle of here.bundles()) {
    here.git(['-C', 'judge', 'fetch', '-q', here.at(`out/${bundle.key}`), 'timeline:timeline']);
    await there.restore(here.at(`out/${bundle.key}`));
  }
  expect(here.git(['-C', 'judge', 'log', '--format=%s', 'timeline'])).toBe(
    'cp_2: 1 file, +1 −1: a.txt\ncp_1: tok-first',
  );
  expect(here.git(['-C', 'judge', 'cat-file', '--batch', '--batch-all-objects'])).not.toContain('tok-second');
  expect(readFileSync(there.at('restored/a.txt'), 'utf8')).toBe('two\n');
});

test('two concurrent exports lose nothing of each other', async () => {
  const here = new Exporting();
  here.write('a.txt', 'one\n');
  await here.open().checkpoint();
  const real = new BundleFolder(realPorts(), disk(here.at('bucket')));
  here.configure({ to: 's3://bucket/x' });
  // After this exporter has listed the bundles and before it writes, another one exports everything.
  let other: (() => Promise<unknown>) | null = async () => {
    here.write('a.txt', 'two\n');
    await here.open().checkpoint();
    await anExport(real);
  };
  const meddled: BundleStore = {
    place: 'meddled',
    list: (prefix) => real.list(prefix),
    get: (key, most) => real.get(key, most),
    remove: (key) => real.remove(key),
    put: async (key, bytes, condition) => {
      const first = other;
      other = null;
      if (key.endsWith('head.json')) await first?.();
      else other = first;
      return real.put(key, bytes, condition);
    },
  };
  const machine = new Machine();
  async function anExport(store: BundleStore): Promise<unknown> {
    // As another process would, which does not know of this one.
    const { exportNewCheckpoints: exportNew } = await import('../../src/share/export.ts');
    const { Pace } = await import('../../src/io/pace.ts');
    const { openStore } = await import('../../src/store/layout.ts');
    const { Timeline } = await import('../../src/timeline/record/timeline.ts');
    const [id = ''] = readdirSync(here.at('home/workspaces'));
    const opened = openStore(realPorts(), disk(here.at(`home/workspaces/${id}`)));
    const workspace = { id, store: opened, timeline: new Timeline(opened.objects, opened.refs) };
    const flavour = { private: false, messages: false, name: '' };
    return exportNew(store, workspace as never, flavour, new Pace(machine.world.ports.clock));
  }
  expect(await anExport(meddled)).toMatchObject({ upTo: 'cp_2' });
  const [item] = (await real.list('')).filter(({ key }) => key.endsWith('head.json'));
  const { bundles } = JSON.parse(String((await real.get(item?.key as BundleKey, 1 << 20))?.bytes)) as {
    bundles: { key: BundleKey; to: string }[];
  };
  expect(bundles.map(({ to }) => to)).toEqual(['cp_2']);
  for (const { key } of bundles) expect(await real.get(key, 1 << 20)).not.toBeNull();
});

test('an outdated copy of the timeline writes nothing', async () => {
  const here = new Exporting();
  const savepoint = here.exporting();
  here.write('a.txt', 'one\n');
  await savepoint.checkpoint();
  await savepoint.idle();
  const [id = ''] = readdirSync(here.at('out'));
  const file = here.at(`out/${id}/head.json`);
  const head = JSON.parse(readFileSync(file, 'utf8'));
  head.bundles[0].to = 'cp_9';
  writeFileSync(file, JSON.stringify(head));
  const before = here.state();
  expect(await failure(savepoint.exportBundles())).toMatchObject({ code: 'BUNDLE_DIVERGED' });
  const isState = (line: string): boolean => /export\.json|workspaces\/[0-9a-f]+\/ /.test(line);
  expect(
    here
      .state()
      .split('\n')
      .filter((line) => !isState(line)),
  ).toEqual(before.split('\n').filter((line) => !isState(line)));
  expect((await savepoint.status()).exporting?.state?.failure).toMatchObject({ code: 'BUNDLE_DIVERGED' });
});

describe('a store that was put back from an older copy', () => {
  /** Exports cp_1, copies the store, exports cp_2, and puts the copy back. */
  async function putBack(): Promise<Exporting> {
    const here = new Exporting();
    here.write('a.txt', 'one\n');
    await here.exported();
    cpSync(here.at('home'), here.at('copy'), { recursive: true });
    here.write('a.txt', 'lost\n');
    await here.exported();
    rmSync(here.at('home'), { recursive: true });
    cpSync(here.at('copy'), here.at('home'), { recursive: true });
    return here;
  }

  test('does not pass for the one that was exported, and does not continue its chain', async () => {
    const here = await putBack();
    const before = here.bundles();
    for (const content of ['two\n', 'three\n']) {
      here.write('a.txt', content);
      await here.open().checkpoint();
      expect(await failure(here.exporting().exportBundles())).toMatchObject({
        code: 'BUNDLE_DIVERGED',
        data: { checkpoint: 'cp_2' },
        hint: expect.stringContaining('export.name'),
      });
      expect(here.bundles()).toEqual(before);
    }
    here.configure({ to: here.at('out'), name: 'second' });
    expect(await here.exporting().exportBundles()).toMatchObject({ upTo: 'cp_3', added: { isWhole: true } });
    here.write('a.txt', 'four\n');
    await here.exported();
    const there = new Machine();
    for (const { key } of here.bundles('-second')) await there.restore(here.at(`out/${key}`));
    expect(readFileSync(there.at('restored/a.txt'), 'utf8')).toBe('four\n');
    expect(here.bundles()).toEqual(before);
  });

  test('continues the chain if nothing else was exported since', async () => {
    const here = await putBack();
    here.write('a.txt', 'two\n');
    // The list as it was when the store was copied.
    const [id = ''] = readdirSync(here.at('out'));
    const file = here.at(`out/${id}/head.json`);
    const head = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...head, bundles: head.bundles.slice(0, 1) }));
    await here.exported();
    expect(here.bundles().map(({ from, to, isWhole }) => `${from} ${to} ${isWhole}`)).toEqual([
      'cp_1 cp_1 true',
      'cp_2 cp_2 false',
    ]);
  });
});

test('after a purge, all checkpoints are exported again', async () => {
  const here = new Exporting();
  here.write('a.txt', 'one\n');
  here.write('secret.txt', 'secret\n');
  await here.exported();
  await here.open().purge(['secret.txt' as TreePath]);
  rmSync(here.path('secret.txt'));
  await here.exported();
  const bundles = here.bundles();
  expect(bundles.map(({ from, to, isWhole }) => `${from} ${to} ${isWhole}`)).toEqual([
    'cp_1 cp_1 true',
    'cp_1 cp_2 true',
  ]);
  const there = new Machine();
  await there.restore(here.at(`out/${bundles[1]?.key}`));
  expect(readdirSync(there.at('restored'))).toEqual(['a.txt']);
});

test('unknown files at the place are left alone', async () => {
  const here = new Exporting();
  here.write('a.txt', 'one\n');
  await here.open().checkpoint();
  const savepoint = here.exporting();
  const id = (await savepoint.status()).workspace.id;
  mkdirSync(here.at(`out/${id}`), { recursive: true });
  for (const text of ['{', '[]', '{"format":2}', '{"format":1,"workspace":"x","bundles":[]}', '\0'.repeat(100)]) {
    writeFileSync(here.at(`out/${id}/head.json`), text);
    expect(await failure(savepoint.exportBundles())).toMatchObject({ code: 'BUNDLE_STORE' });
    expect(readFileSync(here.at(`out/${id}/head.json`), 'utf8')).toBe(text);
  }
});

test('a failing place delays no call, is retried, and is reported', async () => {
  const here = new Exporting();
  here.configure({ to: 's3://bucket' });
  const real = new BundleFolder(realPorts(), disk(here.at('bucket')));
  let failing = 2;
  const exporter: Exporter = {
    open: async () => {
      if (failing-- > 0) throw Object.assign(new Error('unreachable'), { code: 'X' });
      return real;
    },
  };
  const waits: number[] = [];
  const ports = realPorts();
  // A capture waits some milliseconds where a file was just written: only the waits of an export count.
  const sleep = async (ms: number) => (ms < 1_000 ? ports.clock.sleep(ms) : void waits.push(ms));
  const savepoint = open({
    dir: disk(here.project),
    ports: { ...ports, clock: { ...clockOf(ports), sleep } },
    places: here.world.places,
    settings: { savepoint: null },
    exporter,
  });
  here.write('a.txt', 'one\n');
  await savepoint.checkpoint();
  await savepoint.idle();
  expect(waits).toEqual([1_000, 5_000]);
  expect((await savepoint.status()).exporting).toMatchObject({ behind: 0, state: { failure: null } });
  failing = 100;
  const warnings: string[] = [];
  savepoint.on('warning', ({ message }) => warnings.push(message));
  here.write('a.txt', 'two\n');
  expect((await savepoint.checkpoint()).made).toBe(true);
  await savepoint.idle();
  expect(warnings).toEqual([expect.stringContaining('Not exported')]);
  expect((await savepoint.status()).exporting).toMatchObject({ behind: 1, state: { upTo: 'cp_1' } });
});

test('the newest export retries, and the one before it ends', async () => {
  const here = new Exporting();
  here.configure({ to: 's3://bucket' });
  here.write('a.txt', 'one\n');
  await here.open().checkpoint();
  const tries: string[] = [];
  const ports = realPorts();
  const patient = (name: string, sleep: () => Promise<void>): Savepoint =>
    open({
      dir: disk(here.project),
      ports: { ...ports, clock: { ...clockOf(ports), sleep } },
      places: here.world.places,
      settings: { savepoint: null },
      exporter: {
        open: async () => {
          tries.push(name);
          throw new Error('unreachable');
        },
      },
    });
  let second: Promise<unknown> | null = null;
  const first = patient('first', async () => {
    second ??= patient('second', async () => undefined).exportWithRetry({ long: true });
    await second;
  });
  expect(await first.exportWithRetry({ long: true })).toBeNull();
  expect(await second).toMatchObject({ code: 'INTERNAL' });
  expect(tries).toEqual(['first', ...Array<string>(6).fill('second')]);
});

test('a process that may end at any moment starts another one for the export', async () => {
  const here = new Exporting();
  const asked: string[] = [];
  const exporter: Exporter = {
    open: async () => expect.fail('not here'),
    startProcess: (dir) => void asked.push(dir),
  };
  here.write('a.txt', 'one\n');
  await here.exporting(exporter).checkpoint();
  expect(asked).toEqual([here.project]);
  expect(readdirSync(here.folder)).not.toContain('out');
});

test('the settings of a project cannot enable an export', async () => {
  const here = new Machine();
  here.write('.savepoint.json', JSON.stringify({ export: { to: here.at('stolen') } }));
  const savepoint = open({
    dir: disk(here.project),
    ports: realPorts(),
    places: here.world.places,
    settings: { savepoint: null },
  });
  await savepoint.checkpoint();
  await savepoint.idle();
  expect(readdirSync(here.folder)).not.toContain('stolen');
  expect(await savepoint.exportBundles()).toBeNull();
});
