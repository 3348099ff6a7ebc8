/** Machines on which no overlay can be mounted: the reason says what is missing. */

import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { DiskPath } from '@savepoint/core';
import { whyNoOverlays } from '@savepoint/testkit';
import { test as always, describe, expect } from 'vitest';
import { ENV, type Scene, scene } from './scene.ts';

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

/**
 * A machine with settings of its own: a program says what the real one says there, and files are there.
 * @param place in a scene, the PATH of the program
 */
function refusing(s: Scene, name: string, says: string, files: Readonly<Record<string, string>> = {}): string {
  const bin = without(join(s.top, 'bin'), name);
  writeFileSync(join(bin, name), `#!/bin/sh\necho '${says}' >&2\nexit 1\n`);
  chmodSync(join(bin, name), 0o755);
  const { lstat, openRead } = s.ports.fs;
  const moved = (path: DiskPath): DiskPath => {
    const content = files[path];
    if (content === undefined) return path;
    writeFileSync(join(s.top, 'file'), content);
    return join(s.top, 'file') as DiskPath;
  };
  Object.assign(s.ports.fs, {
    lstat: (path: DiskPath) => lstat.call(s.ports.fs, moved(path)),
    openRead: (path: DiskPath) => openRead.call(s.ports.fs, moved(path)),
  });
  return bin;
}

const APPARMOR = { '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1\n' };
/** Root may always. */
const ORDINARY = UID === 0 ? 12345 : UID;

describe.each([
  [
    'unshare',
    'unshare: unshare failed: Operation not permitted',
    { '/.dockerenv': '' },
    'this system does not allow new user namespaces (unshare: unshare failed: Operation not permitted); ' +
      'containers often forbid it, by their seccomp profile',
  ],
  [
    'unshare',
    'unshare: write failed /proc/self/uid_map: Operation not permitted',
    APPARMOR,
    'this system does not allow new user namespaces (unshare: write failed /proc/self/uid_map: Operation not permitted); ' +
      'the setting kernel.apparmor_restrict_unprivileged_userns is 1',
  ],
  [
    'unshare',
    'unshare: cannot change root filesystem propagation: Permission denied',
    APPARMOR,
    'this system does not allow mounts in new user namespaces (unshare: cannot change root filesystem propagation: ' +
      'Permission denied); the setting kernel.apparmor_restrict_unprivileged_userns is 1',
  ],
  [
    'mount',
    'mount: /x: permission denied.',
    APPARMOR,
    'an overlay cannot be mounted here (mount: /x: permission denied.); ' +
      'the setting kernel.apparmor_restrict_unprivileged_userns is 1',
  ],
] as const)('%s says: %s', (name, says, files, why) => {
  test('the reason names what forbids it', async () => {
    const s = scene(ORDINARY, {});
    expect(await s.open(refusing(s, name, says, files))).toEqual({ why });
    expect(readdirSync(join(s.home, 'copies'))).toHaveLength(1);
  });
});

test('programs in the workspace are not used', async () => {
  const s = scene(UID, {});
  mkdirSync(join(s.root, 'bin'));
  writeFileSync(join(s.root, 'bin/unshare'), '#!/bin/sh\nexit 1\n');
  chmodSync(join(s.root, 'bin/unshare'), 0o755);
  expect(await s.open(`${join(s.root, 'bin')}:${ENV.PATH}`)).toHaveProperty('overlay');
});
