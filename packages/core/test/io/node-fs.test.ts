import { fsConformance, world } from '@savepoint/testkit';
import { describe, onTestFinished, test } from 'vitest';
import { nodeFs, nodeFsOf } from '../../src/io/node-fs.ts';

const byteNames = process.platform === 'linux';

describe('the node driver', () => {
  for (const { name, run } of fsConformance(() => ({
    fs: nodeFs,
    folder: world(onTestFinished).workspace,
    byteNames,
  }))) {
    test(name, run);
  }
});

describe.skipIf(process.platform === 'win32')('the node driver as it behaves on macOS', () => {
  const make = () => ({ fs: nodeFsOf('darwin'), folder: world(onTestFinished).workspace, byteNames });
  for (const { name, run } of fsConformance(make)) test(name, run);
});
