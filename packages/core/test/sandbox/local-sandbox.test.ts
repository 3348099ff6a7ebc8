import { type DiskPath, localSandbox } from '@savepoint/core';
import { realPorts, sandboxConformance, world } from '@savepoint/testkit';
import { describe, onTestFinished, test } from 'vitest';

describe.skipIf(process.platform === 'win32')('a local sandbox', () => {
  const make = () => {
    const { workspace } = world(onTestFinished);
    const env = { PATH: process.env['PATH'] ?? '' };
    const sandbox = localSandbox({ ports: realPorts(), env, cwd: '/' as DiskPath });
    const byteNames = process.platform === 'linux';
    return { sandbox, folder: workspace, byteNames, isRoot: process.getuid?.() === 0 };
  };
  for (const { name, run } of sandboxConformance(make)) test(name, run);
});
