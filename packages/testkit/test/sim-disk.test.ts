import type { DiskPath } from '@savepoint/core';
import { describe, test } from 'vitest';
import { fsConformance, SimDisk } from '../src/index.ts';

describe('the simulated disk is a driver like any other', () => {
  const make = () => {
    const fs = new SimDisk();
    fs.makeFolder('/work' as DiskPath, 0o755);
    return { fs, folder: '/work' as DiskPath, byteNames: true };
  };
  for (const { name, run } of fsConformance(make)) test(name, run);
});
