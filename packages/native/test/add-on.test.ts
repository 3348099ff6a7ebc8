import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadFile, native } from '../../core/src/io/node/native.ts';
import { checkAddOn } from './checks.ts';

const prebuilt = fileURLToPath(new URL('../prebuilt/linux-x64.node', import.meta.url));
const fits = process.platform === 'linux' && process.arch === 'x64';

describe.runIf(fits)('the prebuilt add-on', () => {
  checkAddOn(prebuilt);

  test('is small, and needs nothing but Node-API', () => {
    const bytes = readFileSync(prebuilt);
    expect(bytes.length).toBeLessThan(24_000);
    expect(bytes.includes('libc.so')).toBe(false);
    expect(bytes.includes('GLIBC')).toBe(false);
  });

  test('is used if it works', () => {
    expect(native()).not.toBeNull();
    expect(loadFile(prebuilt)).not.toBeNull();
  });

  test('serves several threads, and outlives each of them', async () => {
    const code = `
      const { workerData, parentPort } = require('node:worker_threads');
      const module = { exports: {} };
      process.dlopen(module, workerData);
      const memory = new Uint8Array(1 << 20);
      for (let turn = 0; turn < 200; turn++) parentPort.postMessage(module.exports.listWithStats(-1, '/usr', memory));
      // Under way when the thread ends.
      for (let turn = 0; turn < 50; turn++) module.exports.listAside('/usr/bin', new Uint8Array(1 << 20));
      if (process.argv.includes('stay')) setInterval(() => module.exports.listWithStats(-1, '/usr', memory), 0);`;
    const memory = new Uint8Array(1 << 20);
    const module: { exports: unknown } = { exports: {} };
    process.dlopen(module, prebuilt);
    const list = () => (module.exports as ReturnType<typeof loadFile>)?.listWithStats(-1, '/usr', memory);
    const expected = list();
    const workers = [0, 1, 2].map(
      (which) => new Worker(code, { eval: true, workerData: prebuilt, argv: which === 0 ? ['stay'] : [] }),
    );
    const answers = await Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0]));
    await Promise.all(workers.map((worker) => worker.terminate()));
    expect(answers).toEqual([expected, expected, expected]);
    expect(list()).toBe(expected);
  });

  test('is not used if it is missing or has another version', () => {
    const { folder } = world(onTestFinished);
    writeFileSync(`${folder}/text.node`, 'no add-on');
    expect(() => loadFile(`${folder}/text.node`)).toThrow();
    const bytes = readFileSync(prebuilt);
    writeFileSync(`${folder}/arm.node`, bytes.fill(0xb7, 18, 19));
    expect(() => loadFile(`${folder}/arm.node`)).toThrow();
    expect(() => loadFile(`${folder}/missing.node`)).toThrow();
  });

  test('is loaded when a folder is first listed, and not with SAVEPOINT_NATIVE=off', () => {
    const { folder, env } = world(onTestFinished);
    copyFileSync(prebuilt, `${folder}/other`);
    const core = pathToFileURL(fileURLToPath(new URL('../../core/dist/node.js', import.meta.url)));
    const code = `
      import { readFileSync } from 'node:fs';
      import { nodePorts } from '${core}';
      const isLoaded = () => readFileSync('/proc/self/maps', 'utf8').includes('linux-x64.node');
      const { fs } = nodePorts();
      const before = isLoaded();
      console.log(before, fs.listWithStats(process.argv[1]).names.join(), isLoaded());`;
    const run = (more: Readonly<Record<string, string>>) =>
      execFileSync(process.execPath, ['--input-type=module', '-e', code, folder], {
        env: { ...env, ...more },
        encoding: 'utf8',
      });
    expect(run({})).toBe('false home,other,user,workspace true\n');
    expect(run({ SAVEPOINT_NATIVE: 'off' })).toBe('false home,other,user,workspace false\n');
  });
});
