/** Machines on which no overlay can be mounted: the reason says what is missing. */

import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { whyNoOverlays } from '@savepoint/testkit';
import { test as always, expect } from 'vitest';
import { ENV, scene } from './scene.ts';

const test = always.skipIf(whyNoOverlays() !== null);
const UID = process.getuid?.() ?? 0;

/** A folder of programs that has everything that the PATH has, except this one. */
function without(folder: string, name: string): string {
  mkdirSync(folder);
  for (const from of ENV.PATH.split(delimiter)) {
    let names: readonly string[] = [];
    try {
      names = readdirSync(from);
    } catch {
      continue;
    }
    for (const one of names) {
      if (one === name) continue;
      try {
        symlinkSync(join(from, one), join(folder, one));
      } catch {
        // An earlier folder has it.
      }
    }
  }
  return folder;
}

test.each(['unshare', 'nsenter', 'setpriv', 'mount'])('no %s', async (name) => {
  const s = scene(UID, {});
  expect(await s.open(without(join(s.top, 'bin'), name))).toEqual({
    why: `the program ${name} is missing; it is part of util-linux or coreutils`,
  });
  expect(readdirSync(join(s.home, 'copies'))).toHaveLength(1);
});

test('no new user namespaces', async () => {
  const s = scene(UID, {});
  const bin = without(join(s.top, 'bin'), 'unshare');
  writeFileSync(
    join(bin, 'unshare'),
    '#!/bin/sh\necho "unshare: unshare failed: Operation not permitted" >&2\nexit 1\n',
  );
  chmodSync(join(bin, 'unshare'), 0o755);
  expect(await s.open(bin)).toEqual({
    why: 'this system does not allow new user namespaces (unshare: unshare failed: Operation not permitted)',
  });
  expect(readdirSync(join(s.home, 'copies'))).toHaveLength(1);
});

test('programs in the workspace are not used', async () => {
  const s = scene(UID, {});
  mkdirSync(join(s.root, 'bin'));
  writeFileSync(join(s.root, 'bin/unshare'), '#!/bin/sh\nexit 1\n');
  chmodSync(join(s.root, 'bin/unshare'), 0o755);
  expect(await s.open(`${join(s.root, 'bin')}:${ENV.PATH}`)).toHaveProperty('overlay');
});
