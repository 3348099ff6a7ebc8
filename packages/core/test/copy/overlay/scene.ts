/** A folder with an overlay over it, as the user who runs the tests, and as an ordinary user. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DiskPath } from '@savepoint/core';
import type { Ports } from '@savepoint/core/ports';
import { realPorts } from '@savepoint/testkit';
import { onTestFinished } from 'vitest';
import type { OverlayRequest } from '../../../src/copy/overlay/launch.ts';
import { type OpenedOverlay, openOverlay } from '../../../src/copy/overlay/open-overlay.ts';
import type { Overlay } from '../../../src/copy/overlay/overlay.ts';

/** The uid and gid of the ordinary user; root needs no account for them. */
const ORDINARY = 12345;

export const USERS: readonly { readonly user: string; readonly uid: number }[] = [
  { user: 'this user', uid: process.getuid?.() ?? 0 },
  ...(process.getuid?.() === 0 ? [{ user: 'an ordinary user', uid: ORDINARY }] : []),
];

/** The machine as this user has it. */
export function portsOf(uid: number): Ports {
  const ports = realPorts();
  if (uid === process.getuid?.()) return ports;
  const own = ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', '--'];
  const { run, hold } = ports.programs;
  const fs: Ports['fs'] = new Proxy(ports.fs, {
    get: (target, name: keyof Ports['fs']) => {
      const method = target[name];
      if (typeof method !== 'function') return method;
      return (...args: readonly unknown[]) => {
        const result = Reflect.apply(method, target, args);
        if (name === 'makeFolder' || name === 'openNew') chownSync(Buffer.from(`${args[0]}`, 'latin1'), uid, uid);
        return result;
      };
    },
  });
  return {
    ...ports,
    uid,
    fs,
    programs: {
      run: (program) => run({ ...program, file: 'setpriv', args: [...own, program.file, ...program.args] }),
      hold: (program, ms) => hold({ ...program, file: 'setpriv', args: [...own, program.file, ...program.args] }, ms),
    },
  };
}

export interface Scene {
  readonly ports: Ports;
  readonly top: string;
  readonly root: string;
  readonly home: string;
  readonly place: string;
  open(searchPath?: string, more?: Partial<OverlayRequest>): Promise<OpenedOverlay | { readonly why: string }>;
  /** As `open`, and fails if that does not work. */
  opened(more?: Partial<OverlayRequest>): Promise<Overlay>;
  /** Runs a script in the overlay, in its folder. */
  run(overlay: Overlay, script: string): Promise<{ readonly exit: number | null; readonly out: string }>;
}

export const ENV = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' };

/** @param files by path: their contents */
export function scene(
  uid: number,
  files: Readonly<Record<string, string>>,
  names = { root: 'root', home: 'home' },
): Scene {
  const top = mkdtempSync(join(tmpdir(), 'savepoint-overlay-'));
  const ports = portsOf(uid);
  const [root, home] = [join(top, names.root), join(top, names.home)];
  const id = `copy_${ports.random.hex(4)}`;
  const place = join(home, 'copies', id);
  for (const folder of [root, place]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  if (uid !== process.getuid?.()) execFileSync('chown', ['-R', `${uid}:${uid}`, top]);
  chmodSync(top, 0o755);
  const opened: Overlay[] = [];
  onTestFinished(async () => {
    for (const overlay of opened) await overlay.close();
    rmSync(top, { recursive: true, force: true });
  });
  const bytes = (path: string): DiskPath => Buffer.from(path).toString('latin1') as DiskPath;
  const open: Scene['open'] = async (searchPath = ENV.PATH, more = {}) => {
    const request = { id, root: bytes(root), place: bytes(place), home: bytes(home), ...more };
    const result = await openOverlay(ports, searchPath, bytes(dirname(place)), request);
    if ('overlay' in result) opened.push(result.overlay);
    return result;
  };
  return {
    ports,
    top,
    root,
    home,
    place,
    open,
    opened: async (more) => {
      const result = await open(ENV.PATH, more);
      if ('why' in result) throw new Error(result.why);
      return result.overlay;
    },
    run: async (overlay, script) => {
      const command = overlay.enter(bytes(root), { file: 'sh', args: ['-c', script] });
      const result = await ports.programs.run({ ...command, cwd: '/' as DiskPath, env: ENV, timeoutMs: 60_000 });
      return { exit: result.exit, out: `${result.stdout}${result.stderr}` };
    },
  };
}
