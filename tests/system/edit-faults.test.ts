import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type Manifest, manifest } from '@savepoint/testkit';
import { type CommandOutcome, explain, main, Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';

/**
 * The real command edits 20 files, and the system refuses the k-th of them, for every k. Afterwards all files are old,
 * nothing is pending, and no staging folder is left. Two of the faults need root to set up. The third does not affect
 * root, so the command runs as another user.
 */
const FILES = 20;
const KS = Array.from({ length: FILES }, (_, index) => index + 1);
const NOBODY = 65534;

/** Each in its own folder, so that a fault in one does not affect the others. */
const nameOf = (k: number): string => `d${k}/f${k}.txt`;

interface Fault {
  readonly name: string;
  /** The user that runs the command. */
  readonly uid: number;
  /** Error codes that the caller may get. */
  readonly codes: readonly string[];
  readonly put: (p: Project, k: number) => void;
  readonly takeAway: (p: Project, k: number) => void;
}

const FAULTS: readonly Fault[] = [
  {
    name: 'an immutable file',
    uid: 0,
    codes: ['IO'],
    put: (p, k) => tool('chattr', '+i', p.at(nameOf(k))),
    takeAway: (p, k) => tool('chattr', '-i', p.at(nameOf(k))),
  },
  {
    name: 'an immutable folder',
    uid: 0,
    codes: ['IO'],
    put: (p, k) => tool('chattr', '+i', p.at(`d${k}`)),
    takeAway: (p, k) => tool('chattr', '-i', p.at(`d${k}`)),
  },
  {
    name: 'a read-only mount',
    uid: 0,
    codes: ['IO'],
    put: (p, k) => {
      tool('mount', '--bind', p.at(`d${k}`), p.at(`d${k}`));
      tool('mount', '-o', 'remount,bind,ro', p.at(`d${k}`));
    },
    takeAway: (p, k) => tool('umount', p.at(`d${k}`)),
  },
  {
    name: 'a folder that may not be written',
    uid: NOBODY,
    codes: ['IO'],
    put: (p, k) => {
      fs.chownSync(p.at(`d${k}`), 0, 0);
      fs.chmodSync(p.at(`d${k}`), 0o755);
    },
    takeAway: (p, k) => fs.chownSync(p.at(`d${k}`), NOBODY, NOBODY),
  },
  {
    name: 'a folder that may not be entered',
    uid: NOBODY,
    codes: ['EDITS_REFUSED'],
    put: (p, k) => {
      fs.chownSync(p.at(`d${k}`), 0, 0);
      fs.chmodSync(p.at(`d${k}`), 0o700);
    },
    takeAway: (p, k) => {
      fs.chownSync(p.at(`d${k}`), NOBODY, NOBODY);
      fs.chmodSync(p.at(`d${k}`), 0o755);
    },
  },
];

function tool(name: string, ...args: readonly string[]): void {
  execFileSync(name, args, { stdio: 'pipe' });
}

/** Null if the fault can be set up here. */
function whyNot(fault: Fault): string | null {
  if (process.getuid?.() !== 0) return 'it takes root';
  const p = new Project('trial');
  try {
    p.write(nameOf(1), 'x\n');
    fault.put(p, 1);
    fault.takeAway(p, 1);
    return null;
  } catch (error) {
    return String(error);
  } finally {
    p.remove();
  }
}

/** Runs the command as a user; the test's own process stays root. */
function runAs(uid: number, p: Project, args: readonly string[], input = ''): CommandOutcome {
  const done = spawnSync(process.execPath, [main, ...args], {
    cwd: p.dir,
    env: p.environment(),
    input,
    encoding: 'utf8',
    timeout: 120_000,
    killSignal: 'SIGKILL',
    ...(uid === 0 ? {} : { uid, gid: uid }),
  });
  return { status: done.status, signal: done.signal, stdout: done.stdout, stderr: done.stderr };
}

const REQUEST = JSON.stringify({
  files: KS.map((k) => ({ file_path: nameOf(k), edits: [{ old_string: 'old', new_string: 'new' }] })),
});

function prepared(uid: number): Project {
  const p = project();
  for (const k of KS) p.write(nameOf(k), `old ${k}\n`);
  if (uid !== 0) tool('chown', '-R', `${uid}:${uid}`, p.base);
  const outcome = runAs(uid, p, ['checkpoint']);
  expect(outcome.status, explain(['checkpoint'], outcome)).toBe(0);
  return p;
}

function codeIn(outcome: CommandOutcome, where: string): string {
  const found = /"code":"([A-Z_]+)"/.exec(outcome.stderr)?.[1];
  if (found === undefined) throw new Error(`${where}: ${explain(['edit'], outcome)}`);
  return found;
}

/** Checks what must be true while the fault still exists. */
function refused(p: Project, uid: number, old: Manifest, where: string): string {
  const outcome = runAs(uid, p, ['edit', '--json'], REQUEST);
  expect([1, 3], `${where}: ${explain(['edit'], outcome)}`).toContain(outcome.status);
  expect(manifest(p.dir), where).toEqual(old);
  expect(
    fs.readdirSync(p.dir).filter((name) => name.startsWith('.savepoint-')),
    where,
  ).toEqual([]);
  expect(journals(p), where).toEqual([]);
  const status = runAs(uid, p, ['status', '--json']);
  expect(status.status, explain(['status'], status)).toBe(0);
  expect(JSON.parse(status.stdout), where).toMatchObject({ pending: [] });
  return codeIn(outcome, where);
}

function journals(p: Project): readonly string[] {
  const stores = path.join(p.store, 'workspaces');
  return fs.readdirSync(stores).flatMap((id) => fs.readdirSync(path.join(stores, id, 'journal')));
}

describe.each(FAULTS)('$name', (fault) => {
  const why = whyNot(fault);
  if (why !== null) console.error(`NOT TESTED: an edit that meets ${fault.name}: ${why}`);

  it.skipIf(why !== null)(`as any of ${FILES} files leaves all of them old`, () => {
    const p = prepared(fault.uid);
    const codes = new Set<string>();
    for (const k of KS) {
      fault.put(p, k);
      try {
        codes.add(refused(p, fault.uid, manifest(p.dir), `${fault.name} as number ${k}`));
      } finally {
        fault.takeAway(p, k);
      }
    }
    console.info(`${fault.name}: ${[...codes].join(', ')}`);
    expect([...codes].filter((code) => !fault.codes.includes(code))).toEqual([]);
    // Only the fault prevented the edit.
    const outcome = runAs(fault.uid, p, ['edit', '--json'], REQUEST);
    expect(outcome.status, explain(['edit'], outcome)).toBe(0);
    for (const k of KS) expect(p.read(nameOf(k))).toBe(`new ${k}\n`);
  });
});
