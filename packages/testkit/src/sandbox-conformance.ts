import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type DiskPath, exactName, type JsonName, type Sandbox } from '@savepoint/core';
import type { CommandResult, SandboxCommand } from '@savepoint/core/ports';
import type { ConformanceCase } from './disk/fs-conformance.ts';

/** A sandbox with an empty folder. The sandbox runs on this machine, so that the test can also inspect it directly. */
export interface SandboxUnderTest {
  readonly sandbox: Sandbox;
  readonly folder: DiskPath;
  /** Whether file names may be invalid UTF-8; false on macOS and Windows. */
  readonly byteNames: boolean;
  /** Whether commands run as root. If not, some files are unreadable to them. */
  readonly isRoot: boolean;
}

/**
 * Conformance cases for every sandbox, to be registered with any test runner. Its PATH only has to contain node and sh.
 * @param make called once per case; must return an empty folder, a different one each time
 */
export function sandboxConformance(
  make: () => SandboxUnderTest | Promise<SandboxUnderTest>,
): readonly ConformanceCase[] {
  return Object.entries(CASES).map(([name, check]) => ({
    name,
    run: async () => check(new SandboxBench(await make())),
  }));
}

class SandboxBench {
  readonly sandbox: Sandbox;
  readonly folder: DiskPath;
  readonly byteNames: boolean;
  readonly isRoot: boolean;

  constructor(given: SandboxUnderTest) {
    this.sandbox = given.sandbox;
    this.folder = given.folder;
    this.byteNames = given.byteNames;
    this.isRoot = given.isRoot;
  }

  at(name: string): JsonName {
    return exactName(`${this.folder}/${name}`);
  }

  /** The same path in the form that node needs. */
  native(name: string): Buffer {
    return Buffer.from(`${this.folder}/${name}`, 'latin1');
  }

  run(command: SandboxCommand['command'], more: Partial<SandboxCommand> = {}): Promise<CommandResult> {
    return this.sandbox.run({ id: 'a call', command, cwd: exactName(this.folder), ...more });
  }

  sh(line: string, more: Partial<SandboxCommand> = {}): Promise<CommandResult> {
    return this.run(['sh', '-c', line], more);
  }

  node(script: string, more: Partial<SandboxCommand> = {}, ...args: readonly string[]): Promise<CommandResult> {
    return this.run(['node', '-e', script, '--', ...args], more);
  }
}

function isCoded(code: string, data: Readonly<Record<string, unknown>>) {
  return (error: unknown): boolean => {
    const failure = error as { readonly code: string; readonly data: Readonly<Record<string, unknown>> };
    equal(failure.code, code);
    for (const [key, value] of Object.entries(data)) deepEqual(failure.data[key], value);
    return true;
  };
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Whether a process is alive; a zombie is not. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

async function pidIn(file: Buffer): Promise<number> {
  for (let tries = 0; tries < 1000; tries++) {
    try {
      const text = readFileSync(file, 'utf8');
      if (text.endsWith('\n')) return Number(text);
    } catch {
      // The file does not exist yet.
    }
    await delay(20);
  }
  throw new Error('the process did not report its id');
}

async function isGone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 250 && isAlive(pid); tries++) await delay(20);
  return !isAlive(pid);
}

/** Two processes that both ignore SIGTERM. The grandchild reports its id and keeps the outputs open. */
const DEAF_FAMILY = `
  const { spawn } = require('child_process');
  process.on('SIGTERM', () => {});
  const deaf = "process.on('SIGTERM', () => {}); require('fs').writeFileSync('pid', process.pid + '\\\\n'); setInterval(() => {}, 1000)";
  process.stdout.write('begun\\n');
  spawn(process.execPath, ['-e', deaf], { stdio: 'inherit' });
  setInterval(() => {}, 1000);
`;

const ODD_NAMES = [
  'a b',
  "it's",
  '"quoted"',
  '$HOME',
  '`x`',
  'new\nline',
  '-n',
  '*',
  '\\',
  'ü'.normalize('NFD'),
  '; exit 9',
];

const CASES: Readonly<Record<string, (bench: SandboxBench) => Promise<void>>> = {
  'a command tells its status and both outputs, and whose it is': async (b) => {
    const result = await b.sh('echo out; echo err >&2; exit 7', { id: 'call_1' });
    const [stdout, stderr] = [Buffer.from('out\n'), Buffer.from('err\n')];
    deepEqual(result, { id: 'call_1', exit: 7, signal: null, ended: 'exit', stdout, stderr });
  },

  'a command that a signal ended says which': async (b) => {
    const { exit, signal, ended } = await b.sh('kill -KILL $$');
    deepEqual([exit, signal, ended], [null, 'SIGKILL', 'exit']);
  },

  'arguments reach the command as they are': async (b) => {
    const args = [...ODD_NAMES, '', '\t', '%', '!', '{a,b}', '~', '\u{1f600}'];
    const { stdout } = await b.node('process.stdout.write(JSON.stringify(process.argv.slice(1)))', {}, ...args);
    deepEqual(JSON.parse(stdout.toString()), args);
  },

  'the environment is that of the sandbox, with what is added': async (b) => {
    const env = { SAVEPOINT_ADDED: "it's $HOME\n" };
    const { stdout } = await b.node('process.stdout.write(process.env.SAVEPOINT_ADDED + (process.env.PATH ? 1 : 0))', {
      env,
    });
    equal(stdout.toString(), `${env.SAVEPOINT_ADDED}1`);
  },

  'a command works in the folder that it is given, whatever that is called': async (b) => {
    await Promise.all(
      ODD_NAMES.map(async (name) => {
        const bytes = Buffer.from(name).toString('latin1');
        mkdirSync(b.native(bytes));
        const { stdout } = await b.node('process.stdout.write(process.cwd())', { cwd: b.at(bytes) });
        ok(stdout.equals(b.native(bytes)));
      }),
    );
  },

  'bytes go in and come out as they are, 5 MB of them on each output': async (b) => {
    const bytes = Buffer.alloc(5_000_000, Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)));
    const copy = 'process.stdin.on("data", (p) => { process.stdout.write(p); process.stderr.write(p); })';
    const { stdout, stderr, exit } = await b.node(copy, { input: bytes });
    equal(exit, 0);
    ok(stdout.equals(bytes) && stderr.equals(bytes));
  },

  'without input there is none, and what is not read does no harm': async (b) => {
    const { stdout } = await b.node('process.stdin.on("data", () => {}).on("end", () => process.stdout.write("end"))');
    equal(stdout.toString(), 'end');
    const { exit } = await b.sh('exit 3', { input: Buffer.alloc(1_000_000) });
    equal(exit, 3);
  },

  'a missing program is a failure that names it': async (b) => {
    const data = { operation: 'run', code: 'ENOENT', path: 'no-such-program' };
    await rejects(b.run(['no-such-program']), isCoded('IO', data));
    const cwd = b.at('gone');
    await rejects(b.run(['sh'], { cwd }), isCoded('IO', { operation: 'run', code: 'ENOENT', path: cwd }));
  },

  'a time-out ends a command and all that it started': async (b) => {
    const running = b.node(DEAF_FAMILY, { timeoutMs: 2_500 });
    const pid = await pidIn(b.native('pid'));
    ok(isAlive(pid));
    const { ended, stdout } = await running;
    deepEqual([ended, stdout.toString()], ['timeout', 'begun\n']);
    ok(await isGone(pid));
  },

  'an abort ends a command and all that it started': async (b) => {
    const controller = new AbortController();
    const running = b.node(DEAF_FAMILY, { signal: controller.signal });
    const pid = await pidIn(b.native('pid'));
    ok(isAlive(pid));
    controller.abort();
    const { ended, stdout } = await running;
    deepEqual([ended, stdout.toString()], ['aborted', 'begun\n']);
    ok(await isGone(pid));
  },

  'an abort that comes first lets nothing begin': async (b) => {
    const { ended, exit } = await b.sh('echo > begun', { signal: AbortSignal.abort() });
    deepEqual([ended, exit, readdirSync(b.folder)], ['aborted', null, []]);
  },

  'a command that is asked to end has the time to tidy up': async (b) => {
    const script =
      'process.on("SIGTERM", () => { console.log("tidied"); process.exit(5); }); setInterval(() => {}, 1000)';
    const { exit, ended, stdout } = await b.node(script, { timeoutMs: 1_500 });
    deepEqual([exit, ended, stdout.toString()], [5, 'timeout', 'tidied\n']);
  },

  'a command that says too much is ended': async (b) => {
    const { ended, stdout, stderr } = await b.sh('while :; do echo yes; echo no >&2; done', { mostBytes: 100_000 });
    equal(ended, 'too-much');
    equal(stdout.length + stderr.length, 100_000);
  },

  'commands run side by side, each with its own answer': async (b) => {
    const results = await Promise.all([1, 2, 3, 4].map((n) => b.sh(`echo ${n}; exit ${n}`, { id: `call_${n}` })));
    for (const [index, { id, exit, stdout }] of results.entries()) {
      deepEqual([id, exit, stdout.toString()], [`call_${index + 1}`, index + 1, `${index + 1}\n`]);
    }
  },

  'a file comes out as it went in, byte by byte, 5 MB of it': async (b) => {
    const bytes = Buffer.alloc(5_000_001, Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)));
    await b.sandbox.write(b.at('file'), bytes);
    ok(readFileSync(b.native('file')).equals(bytes));
    ok((await b.sandbox.read(b.at('file')))?.equals(bytes));
    deepEqual(readdirSync(b.folder), ['file']);
  },

  'an empty file is one, and not the same as none': async (b) => {
    await b.sandbox.write(b.at('empty'), Buffer.alloc(0));
    equal((await b.sandbox.read(b.at('empty')))?.length, 0);
    equal(await b.sandbox.read(b.at('none')), null);
    equal(await b.sandbox.read(b.at('empty/below')), null);
  },

  'files may be called anything': async (b) => {
    const names = [
      ...ODD_NAMES.map((name) => Buffer.from(name).toString('latin1')),
      ...(b.byteNames ? ['caf\xe9'] : []),
    ];
    await Promise.all(
      names.map(async (name) => {
        await b.sandbox.write(b.at(name), Buffer.from(name, 'latin1'));
        equal(readFileSync(b.native(name), 'latin1'), name);
        equal((await b.sandbox.read(b.at(name)))?.toString('latin1'), name);
      }),
    );
  },

  'a write makes folders, keeps the permissions of what was there, and goes through links': async (b) => {
    await b.sandbox.write(b.at('a/b/c'), Buffer.from('new'), { mode: 0o700 });
    equal(statSync(b.native('a/b/c')).mode & 0o777, 0o700);
    symlinkSync('a/b/c', b.native('link'));
    await b.sandbox.write(b.at('link'), Buffer.from('through'));
    ok(lstatSync(b.native('link')).isSymbolicLink());
    equal(readFileSync(b.native('a/b/c'), 'utf8'), 'through');
    equal(statSync(b.native('a/b/c')).mode & 0o777, 0o700);
    equal((await b.sandbox.read(b.at('link')))?.toString(), 'through');
  },

  'what is there and cannot be read or written is a failure, never nothing': async (b) => {
    mkdirSync(b.native('folder'));
    await rejects(b.sandbox.read(b.at('folder')), isCoded('IO', { operation: 'read', code: 'EISDIR' }));
    await rejects(
      b.sandbox.write(b.at('folder'), Buffer.from('x')),
      isCoded('IO', { operation: 'write', code: 'EISDIR' }),
    );
    symlinkSync('loop', b.native('loop'));
    await rejects(b.sandbox.read(b.at('loop')), isCoded('IO', { operation: 'read', code: 'ELOOP' }));
    if (b.isRoot) return;
    writeFileSync(b.native('secret'), 'x');
    chmodSync(b.native('secret'), 0);
    await rejects(b.sandbox.read(b.at('secret')), isCoded('IO', { operation: 'read', code: 'EACCES' }));
  },

  'a file that is too long is refused': async (b) => {
    writeFileSync(b.native('long'), Buffer.alloc(1001));
    const data = { operation: 'read', code: 'EFBIG' };
    await rejects(b.sandbox.read(b.at('long'), { mostBytes: 1000 }), isCoded('IO', data));
    equal((await b.sandbox.read(b.at('long'), { mostBytes: 1001 }))?.length, 1001);
  },

  'a FIFO is refused as not a file, without waiting': async (b) => {
    const { exit } = await b.sh('command -v mkfifo >/dev/null && mkfifo fifo || exit 9');
    if (exit === 9) return;
    await rejects(b.sandbox.read(b.at('fifo')), isCoded('IO', { operation: 'read', code: 'EINVAL' }));
  },
};
