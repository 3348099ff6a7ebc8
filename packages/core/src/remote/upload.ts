/**
 * Uploads Savepoint itself to a sandbox, as one file. The file is named after its hash, which is verified before use.
 */

import { createHash } from 'node:crypto';
import { readJson } from '../content/strict-json.ts';
import { SavepointError } from '../model/errors.ts';
import { bytesFromText, exactName } from '../model/names.ts';
import { invalidAnswer, MIN_NODE_VERSION, sandboxUnfit } from '../sandbox/ask-runner.ts';
import type { CommandResult, Sandbox } from '../sandbox/sandbox.ts';

/** Where the program is in the sandbox. */
export interface UploadedProgram {
  readonly node: string;
  readonly file: string;
}

export interface RemoteProgram {
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes, in hex. */
  readonly hash: string;
}

export function programOf(bytes: Uint8Array): RemoteProgram {
  return { bytes, hash: createHash('sha256').update(bytes).digest('hex') };
}

/**
 * Checks whether the file exists and is intact, and creates its folder. A folder that other accounts can write to is
 * refused, because the file in it will be executed.
 */
const CHECK_SCRIPT = `
var fs = require('fs'), path = require('path'), os = require('os');
var hash = process.argv[1], cache = process.argv[2];
var folder = cache || path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'savepoint');
var file = path.join(folder, 'savepoint-' + hash + '.mjs'), state = 'absent', code = null;
try {
  fs.mkdirSync(folder, { recursive: true, mode: 448 });
  var stat = fs.lstatSync(folder);
  var own = !process.geteuid || stat.uid === process.geteuid();
  if (!stat.isDirectory() || !own || (stat.mode & 18) !== 0) state = 'unsafe';
  else state = require('crypto').createHash('sha256').update(fs.readFileSync(file)).digest('hex') === hash ? 'good' : 'other';
} catch (error) { if (error.code !== 'ENOENT') { state = 'failed'; code = String(error.code); } }
console.log(JSON.stringify({ node: process.versions.node, file: file, folder: folder, state: state, code: code }));
`;
/** The exit status of a run for which the file has to be uploaded again. No error code has it. */
const NOT_INTACT = 76;

/**
 * Runs the uploaded file if it is still intact, and its folder is still private. A call in the sandbox may have removed
 * or changed it since the last request.
 */
const RUN_SCRIPT = `
var fs = require('fs'), path = require('path'), hash = process.argv[1], file = process.argv[2], good = false;
try {
  var stat = fs.lstatSync(path.dirname(file));
  var own = !process.geteuid || stat.uid === process.geteuid();
  good = stat.isDirectory() && own && (stat.mode & 18) === 0 && fs.lstatSync(file).isFile() &&
    require('crypto').createHash('sha256').update(fs.readFileSync(file)).digest('hex') === hash;
} catch (error) {}
if (!good) process.exitCode = ${NOT_INTACT};
else { process.argv = [process.argv[0], file]; import(require('url').pathToFileURL(file).href); }
`;
const CHECK_TIMEOUT_MS = 60_000;
const MAX_CHECK_BYTES = 64 * 1024;

interface UploadCheck {
  readonly node: string;
  readonly file: string;
  readonly folder: string;
  readonly state: 'good' | 'other' | 'absent' | 'unsafe' | 'failed';
  readonly code: string | null;
}

export interface UploadOptions {
  readonly sandbox: Sandbox;
  readonly program: RemoteProgram;
  readonly node: string;
  /** The folder in the sandbox for the file; null for the account's cache folder. */
  readonly cache: string | null;
  readonly signal?: AbortSignal | undefined;
}

export function runCommand({ node, file }: UploadedProgram, { hash }: RemoteProgram): readonly [string, ...string[]] {
  return [node, '-e', RUN_SCRIPT, '--', hash, file];
}

/** Whether the program did not run, because it is missing or damaged. */
export function isProgramLost({ ended, exit, stdout }: CommandResult): boolean {
  return ended === 'exit' && exit === NOT_INTACT && stdout.length === 0;
}

/**
 * Uploads the program if it is missing or damaged.
 * @throws SavepointError SANDBOX_UNFIT, SANDBOX_LOST, SANDBOX_ANSWER, STORE_UNSAFE, IO, CANCELLED
 */
export async function upload(options: UploadOptions): Promise<UploadedProgram> {
  const { sandbox, program, node, signal } = options;
  const seen = await checkUpload(options);
  if (seen.state === 'good') return { node, file: seen.file };
  await sandbox.write(exactName(bytesFromText(seen.file)), program.bytes, {
    mode: 0o600,
    ...(signal === undefined ? {} : { signal }),
  });
  if ((await checkUpload(options)).state === 'good') return { node, file: seen.file };
  throw invalidAnswer(sandbox.name, 'the uploaded program differs from what was sent');
}

async function checkUpload({ sandbox, program, node, cache, signal }: UploadOptions): Promise<UploadCheck> {
  const found = await runCheck(sandbox, node, [program.hash, cache ?? ''], signal);
  if (!isNewEnough(found.node)) throw sandboxUnfit(sandbox.name, found.node);
  if (found.state === 'unsafe') {
    const message = `The folder ${JSON.stringify(found.folder)} in ${sandbox.name} is not private to its account.`;
    const hint =
      'Savepoint runs programs from this folder. Make it private (chmod 700), or set another folder (`cache`).';
    throw new SavepointError('STORE_UNSAFE', message, { path: found.folder }, { hint });
  }
  if (found.state === 'failed') {
    const code = found.code ?? 'EIO';
    const message = `${JSON.stringify(found.file)} in ${sandbox.name} cannot be used (${code}).`;
    throw new SavepointError('IO', message, { path: found.file, operation: 'read', code });
  }
  return found;
}

async function runCheck(
  sandbox: Sandbox,
  node: string,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<UploadCheck> {
  try {
    const { stdout, ended, exit } = await sandbox.run({
      id: 'look',
      command: [node, '-e', CHECK_SCRIPT, '--', ...args],
      timeoutMs: CHECK_TIMEOUT_MS,
      mostBytes: MAX_CHECK_BYTES,
      ...(signal === undefined ? {} : { signal }),
    });
    if (ended === 'aborted') throw new SavepointError('CANCELLED', 'Cancelled before the sandbox was used.');
    if (ended === 'timeout') throw invalidAnswer(sandbox.name, 'node did not exit in time');
    const said = stdout.toString();
    const version = /^\s*v(\d{1,4}\.\d{1,4}\.\d{1,4})\s*$/.exec(said)?.[1];
    if (version !== undefined && !isNewEnough(version)) throw sandboxUnfit(sandbox.name, version);
    const seen = ended === 'exit' && exit === 0 ? parseCheck(said) : null;
    if (seen === null) throw invalidAnswer(sandbox.name, 'the output of node is invalid');
    return seen;
  } catch (error) {
    const isMissing = error instanceof SavepointError && error.code === 'IO' && error.data.operation === 'run';
    throw isMissing ? sandboxUnfit(sandbox.name, null, node) : error;
  }
}

function parseCheck(text: string): UploadCheck | null {
  let answer: Partial<Record<keyof UploadCheck, unknown>>;
  try {
    answer = Object(readJson(text.slice(text.trimEnd().lastIndexOf('\n') + 1)));
  } catch {
    return null;
  }
  const { node, file, folder, state, code } = answer;
  const isState =
    state === 'good' || state === 'other' || state === 'absent' || state === 'unsafe' || state === 'failed';
  const isCode = code === null || (typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code));
  if (typeof node !== 'string' || !/^\d{1,4}\.\d{1,4}\.\d{1,4}/.test(node) || node.length > 60) return null;
  if (typeof file !== 'string' || typeof folder !== 'string' || !isState || !isCode) return null;
  return { node, file, folder, state, code };
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldest = 0, least = 0] = MIN_NODE_VERSION.split('.').map(Number);
  return major > oldest || (major === oldest && minor >= least);
}
