/** A folder for tests with every kind of file that is hard to capture or restore. */

import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { type SeededRandom, seededRandom } from './seeded-random.ts';
import { GIT_ENV } from './world.ts';

export interface SeededTreeOptions {
  /** Number of ordinary text files in ordinary folders, in addition to the awkward ones; 20 by default. */
  readonly files?: number;
  /** Whether to make the tree a git repository with a commit, and to add a nested repository; true by default. */
  readonly git?: boolean;
}

/**
 * Paths that tests refer to, relative to the folder. They are bytes, because a name need not be UTF-8. Paths that the
 * platform does not support are not created.
 */
export const AWKWARD = {
  /** Not UTF-8: `café` in Latin-1. Only possible on Linux. */
  latin1: Buffer.from('names/caf\xe9.txt', 'latin1'),
  newline: Buffer.from('names/new\nline.txt'),
  quotes: Buffer.from('names/"quo\'ted" \\ $HOME `x`.txt'),
  escape: Buffer.from('names/\x1b]0;title\x07.txt'),
  emoji: Buffer.from('names/\u{1f4be} savepoint.txt'),
  dash: Buffer.from('names/-rf'),
  spaces: Buffer.from('names/ leading and trailing '),
  /** `.gitattributes` makes git change the bytes of this file and of the next two. */
  crlf: Buffer.from('attributes/crlf.txt'),
  ident: Buffer.from('attributes/ident.txt'),
  utf16: Buffer.from('attributes/utf16.txt'),
  secret: Buffer.from('.env'),
  readOnly: Buffer.from('modes/read-only.txt'),
  executable: Buffer.from('modes/run.sh'),
  link: Buffer.from('links/to-file'),
  folderLink: Buffer.from('links/to-folder'),
  danglingLink: Buffer.from('links/dangling'),
  outwardLink: Buffer.from('links/outward'),
  emptyFolder: Buffer.from('empty'),
  nestedEmptyFolder: Buffer.from('empty-below/a/b'),
  emptyFile: Buffer.from('contents/empty'),
  binary: Buffer.from('contents/binary.bin'),
  noFinalNewline: Buffer.from('contents/no-newline.txt'),
  deep: Buffer.from(`deep/${Array.from({ length: 40 }, (_, level) => `level-${level}`).join('/')}/bottom.txt`),
  upper: Buffer.from('case/README'),
  /** Differs from `upper` only in case. Created only on Linux. */
  lower: Buffer.from('case/readme'),
  ignoredSmall: Buffer.from('ignored/notes.log'),
  trackedIgnored: Buffer.from('ignored/kept.log'),
  dependency: Buffer.from('node_modules/package/index.js'),
  nested: Buffer.from('nested/inside.txt'),
  nestedUntracked: Buffer.from('nested/untracked.txt'),
} as const;

type Put = (path: Buffer | string, content: string | Buffer, mode?: number) => void;

/** Creates a tree that contains all the awkward files. The same seed gives the same bytes and modes. */
export function seededTree(folder: string, seed: number, options: SeededTreeOptions = {}): void {
  const random = seededRandom(seed);
  const put = putInto(folder);
  const linux = process.platform === 'linux';
  const posix = process.platform !== 'win32';

  put(AWKWARD.emoji, 'saved\n');
  put(AWKWARD.dash, 'not an option\n');
  if (linux) put(AWKWARD.latin1, 'bytes\n');
  if (posix) {
    for (const name of [AWKWARD.newline, AWKWARD.quotes, AWKWARD.escape, AWKWARD.spaces]) put(name, random.bytes(40));
  }
  put('.gitattributes', '*.txt text=auto\nattributes/crlf.txt text eol=lf\nattributes/ident.txt ident\n');
  fs.appendFileSync(`${folder}/.gitattributes`, 'attributes/utf16.txt working-tree-encoding=UTF-16LE\n');
  put(AWKWARD.crlf, 'one\r\ntwo\r\nmixed\nthree\r\n');
  put(AWKWARD.ident, '$Id$ and $Id: 0123 $\n');
  put(AWKWARD.utf16, Buffer.from('\ufeffwide text\r\n', 'utf16le'));
  put(AWKWARD.secret, `KEY=${random.hex(16)}\n`, 0o600);
  put(AWKWARD.readOnly, 'do not write\n', 0o444);
  put(AWKWARD.executable, '#!/bin/sh\nexit 0\n', 0o755);
  put(AWKWARD.emptyFile, '');
  put(AWKWARD.binary, Buffer.concat([Buffer.from([0, 255, 0, 13, 10]), random.bytes(5000)]));
  put(AWKWARD.noFinalNewline, 'no newline at the end');
  put(AWKWARD.deep, 'bottom\n');
  put(AWKWARD.upper, 'upper\n');
  if (linux) put(AWKWARD.lower, 'lower\n');
  put('.gitignore', '*.log\nnode_modules/\n');
  put(AWKWARD.ignoredSmall, 'ignored, and worth keeping\n');
  put(AWKWARD.trackedIgnored, 'ignored, and tracked\n');
  put(AWKWARD.dependency, 'module.exports = 1;\n');
  for (const empty of [AWKWARD.emptyFolder, AWKWARD.nestedEmptyFolder]) {
    fs.mkdirSync(inside(folder, empty), { recursive: true });
  }
  // Creates the folder of the links.
  put('links/.keep', '');
  if (posix) makeLinks(folder);
  putOrdinaryFiles(put, random, options.files ?? 20);
  if (options.git !== false) makeRepositories(folder, put);
}

/** Runs git in a test's temporary repository, without the machine's git configuration. Returns its standard output. */
export function git(folder: string, ...args: readonly string[]): string {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, ...GIT_ENV };
  return execFileSync('git', ['-c', 'core.safecrlf=false', ...args], {
    cwd: folder,
    env,
    encoding: 'latin1',
    stdio: 'pipe',
  });
}

function putInto(folder: string): Put {
  return (path, content, mode = 0o644) => {
    const full = inside(folder, path);
    fs.mkdirSync(full.subarray(0, full.lastIndexOf('/')), { recursive: true });
    fs.writeFileSync(full, content);
    fs.chmodSync(full, mode);
  };
}

function inside(folder: string, path: Buffer | string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path)]);
}

function makeLinks(folder: string): void {
  fs.symlinkSync('../contents/no-newline.txt', inside(folder, AWKWARD.link));
  fs.symlinkSync('../names', inside(folder, AWKWARD.folderLink));
  fs.symlinkSync('nothing/here', inside(folder, AWKWARD.danglingLink));
  fs.symlinkSync('/etc/passwd', inside(folder, AWKWARD.outwardLink));
}

function putOrdinaryFiles(put: Put, random: SeededRandom, count: number): void {
  const folders = ['src', 'src/parts', 'docs', 'test'];
  for (let number = 0; number < count; number++) {
    const lines = Array.from({ length: 1 + random.integer(40) }, () => `${random.hex(1 + random.integer(20))}\n`);
    put(`${random.pick(folders)}/file-${number}.ts`, lines.join(''));
  }
}

function makeRepositories(folder: string, put: Put): void {
  const nested = `${folder}/nested`;
  put(AWKWARD.nested, 'tracked in the nested repository\n');
  git(nested, 'init', '-q', '-b', 'main');
  git(nested, 'add', '-A');
  git(nested, 'commit', '-q', '-m', 'nested');
  put(AWKWARD.nestedUntracked, 'not tracked anywhere\n');
  git(folder, 'init', '-q', '-b', 'main');
  // git refuses to add a file that has a byte order mark, if its encoding is UTF-16LE.
  git(folder, 'add', '-A', '--', ':!nested', ':!attributes/utf16.txt');
  git(folder, 'add', '-f', '--', AWKWARD.trackedIgnored.toString());
  git(folder, 'commit', '-q', '-m', 'all of it');
}
