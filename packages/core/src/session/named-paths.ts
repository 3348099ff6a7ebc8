/**
 * The paths that a shell command names in its own words. They are evidence of who changed a path, if several calls were
 * open. A command may write other paths, and may not write those that it names.
 */

import { type SimpleCommand, simpleCommands } from '../content/shell-words.ts';
import { locatePath, type PathContext } from '../io/locate-path.ts';
import type { NamedPath } from '../model/named-path.ts';

const MAX_NAMED = 200;
const MAX_WORDS = 1_000;
const MAX_WORD_LENGTH = 1_000;
const MAX_FOLDERS = 8;

/** They run another program, whose name follows. */
const PREFIXES = new Set([
  'sudo',
  'command',
  'exec',
  'env',
  'nohup',
  'time',
  'nice',
  'builtin',
  'xargs',
  'npx',
  'bunx',
]);
const KEYWORDS = new Set(['then', 'do', 'else', 'elif', 'if', 'while', 'until', '!', '{', '}']);

/** What they name, they only read, or print. */
const READERS = new Set(
  (
    'cat ls grep egrep fgrep rg ag head tail wc less more diff cmp stat file du df echo printf test [ [[ which type pwd ' +
    'tree md5sum sha1sum sha256sum od xxd hexdump strings nl tac cut jq column readlink realpath basename dirname'
  ).split(' '),
);
/** The subcommands of git that write the paths that they name. */
const GIT_WRITERS = new Set(['checkout', 'restore', 'rm', 'mv', 'clean', 'apply', 'stash']);
/** They only read, unless an option makes them write in place. */
const IN_PLACE = new Set(['sed', 'gsed']);
/** They read their first operands and write the last one. */
const COPIERS = new Set(['cp', 'install', 'ln', 'rsync', 'scp']);
/** They run the file that their first operand names. */
const INTERPRETERS = new Set(['node', 'python', 'python3', 'ruby', 'perl', 'deno', 'bun', 'tsx', 'php']);
const SHELLS = new Set(['bash', 'sh', 'zsh', 'dash']);
/** They also write below a folder that they name. */
const FOLDER_WRITERS = new Set(['rm', 'mv', 'git', 'chmod', 'chown', 'unzip', ...COPIERS]);

/** Links are not followed: names are compared, and nothing is looked up on the disk. */
const WITHOUT_LINKS: PathContext['fs'] = { lstat: () => null, realpath: (path) => path };

/**
 * @param place where the command starts
 * @returns at most 200 paths; none for the workspace itself, which names everything
 */
export function namedPaths(command: string, place: PathContext): readonly NamedPath[] {
  const context = { ...place, fs: WITHOUT_LINKS };
  const named = new Map<string, NamedPath>();
  let words = 0;
  // A command may change its folder, and whether it did is not known.
  const folders = [''];
  const note = (word: string, isFolder: boolean): void => {
    for (const folder of isAbsolute(word) ? [''] : folders) {
      if (named.size >= MAX_NAMED || ++words > MAX_WORDS) return;
      const found = namedPath(context, folder === '' ? word : `${folder}/${word}`, isFolder);
      if (found !== null) named.set(JSON.stringify(found), found);
    }
  };
  for (const simple of simpleCommands(command).flatMap(withoutShell)) {
    const { program, operands } = programOf(simple);
    if (program === 'cd' || program === 'pushd') {
      const [to] = operands;
      if (to !== undefined && isPlain(to) && folders.length < MAX_FOLDERS) {
        folders.push(...(isAbsolute(to) ? [to] : folders.map((folder) => (folder === '' ? to : `${folder}/${to}`))));
      }
    }
    for (const target of simple.targets) note(target, false);
    const isFolder = FOLDER_WRITERS.has(program);
    for (const word of writtenWords(program, operands)) {
      for (const part of partsOf(word)) note(part, isFolder);
    }
    for (const part of partsOf(simple.text)) if (!isReader(program, operands)) note(part, false);
  }
  return [...named.values()];
}

/** `bash -c 'rm a.txt'` runs `rm a.txt`. */
function withoutShell(simple: SimpleCommand): readonly SimpleCommand[] {
  const { program, operands } = programOf(simple);
  const option = SHELLS.has(program) ? operands.findIndex((word) => /^-[a-z]*c$/.test(word)) : -1;
  const [script, ...rest] = option < 0 ? [] : operands.slice(option + 1);
  if (script === undefined) return [simple];
  // Without blanks, the quotes were lost.
  const inner = /\s/.test(script) ? simpleCommands(script) : [{ words: [script, ...rest], targets: [], text: '' }];
  return [...inner, { ...simple, words: [] }];
}

function programOf({ words }: SimpleCommand): { readonly program: string; readonly operands: readonly string[] } {
  let at = 0;
  let isPrefixed = false;
  for (; at < words.length; at++) {
    const word = words[at]!;
    if (PREFIXES.has(word)) isPrefixed = true;
    else if (!KEYWORDS.has(word) && !/^[A-Za-z_]\w*=/.test(word) && !(isPrefixed && word.startsWith('-'))) break;
  }
  return { program: (words[at] ?? '').replace(/^.*\//, ''), operands: words.slice(at + 1) };
}

function isReader(program: string, operands: readonly string[]): boolean {
  if (IN_PLACE.has(program)) return !operands.some((word) => /^-[A-Za-z]*i|^--in-place/.test(word));
  if (program === 'find') return !operands.some((word) => /^-(?:exec|execdir|ok|okdir|delete|fprint)/.test(word));
  if (program === 'git') return !GIT_WRITERS.has(operands.find((word) => !word.startsWith('-')) ?? '');
  return program === 'cd' || program === 'pushd' || READERS.has(program);
}

/** The operands that a program may write. */
function writtenWords(program: string, operands: readonly string[]): readonly string[] {
  if (isReader(program, operands)) return [];
  if (COPIERS.has(program)) return operands.filter((word) => !word.startsWith('-')).slice(-1);
  if (!INTERPRETERS.has(program) && !SHELLS.has(program)) return operands;
  const script = operands.findIndex((word) => !word.startsWith('-'));
  const isText = operands.some((word) => /^-[a-z]*[ceip]$/.test(word));
  return isText ? operands : operands.filter((_, index) => index !== script);
}

/** A word, and its parts if it may be an option with a path, or a script. */
function partsOf(text: string): readonly string[] {
  const parts = text.split(/[\s'"`=:,;()<>|&]+/).filter((part) => part !== '');
  return parts.length === 1 && parts[0] === text ? parts : [text, ...parts];
}

function namedPath(context: PathContext, word: string, isFolder: boolean): NamedPath | null {
  if (word === '' || word.startsWith('-') || word.length > MAX_WORD_LENGTH || !isPlain(word)) return null;
  const located = locatePath(context, word);
  if (located.kind !== 'inside' || located.path === '') return null;
  const { path } = located;
  return { path, as: /[*?[{]/.test(path) ? 'pattern' : isFolder ? 'folder' : 'path' };
}

/** Without variables, substitutions and line ends, whose meaning is not known. */
function isPlain(word: string): boolean {
  return !/[$`~\n\0\ufffd]/.test(word);
}

function isAbsolute(word: string): boolean {
  return word.startsWith('/') || /^[A-Za-z]:[\\/]/.test(word);
}
