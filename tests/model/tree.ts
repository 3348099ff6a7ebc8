/** What a user does to files, and the resulting tree: plain data, without code of the engine. */

import type { SeededRandom } from '@savepoint/testkit';
import type { Tree } from '../simulated.ts';

/** As in `Tree`: `file 644 …`, `folder 755`, `link …`. */
export type Node = string;
export type MutableTree = Map<string, Node>;

/** Changes files as a user, an editor or a tool would. Paths have one character per byte. */
export interface Hands {
  /** Creates a new file. With `replace` the old one is removed first, as many editors save. */
  create(path: string, content: string, mode: number): void;
  /** Overwrites the same file, which keeps its inode. */
  overwrite(path: string, content: string): void;
  folder(path: string, mode: number): void;
  link(path: string, target: string): void;
  chmod(path: string, mode: number): void;
  rename(from: string, to: string): void;
  /** A file or link. */
  unlink(path: string): void;
  removeFolder(path: string): void;
  /** Lets time pass, in milliseconds. */
  pass(ms: number): void;
  /** Lists everything that exists. */
  walk(): Tree;
}

const NAMES = ['a', 'b', 'c.txt', 'A', '\xe9', 'new\nline', '-rf', ' sp ace ', '.hidden', '\xc3\xa9'];
const FILE_MODES = [0o644, 0o755, 0o600, 0o444, 0o400];
const FOLDER_MODES = [0o755, 0o700, 0o775, 0o500];
const TARGETS = ['a', '../b', 'nowhere', '/', '\xe9'];

export const kindOf = (node: Node | undefined): string | null => node?.split(' ', 1)[0] ?? null;
export const contentOf = (node: Node): string => node.slice(node.indexOf(' ', 5) + 1);
export const modeOf = (node: Node): string => node.split(' ', 2)[1] as string;
export const parentOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');
export const isBelow = (path: string, folder: string): boolean =>
  folder === '' ? path !== '' : path.startsWith(`${folder}/`);
const file = (mode: number, content: string): Node => `file ${mode.toString(8)} ${content}`;

/**
 * Makes one random change, on disk and in the model.
 * @returns what was done, for the log
 */
export function changeSomething(random: SeededRandom, hands: Hands, tree: MutableTree): string {
  hands.pass(random.pick([0, 0, 1, 40, 3_000]));
  const paths = [...tree.keys()].filter((path) => path !== '');
  const files = paths.filter((path) => kindOf(tree.get(path)) === 'file');
  const at = random.next();
  if (files.length > 0 && at < 0.35) return editFile(random, hands, tree, random.pick(files));
  if (at < 0.45) return changeMode(random, hands, tree, random.pick(['', ...paths]));
  if (paths.length > 0 && at < 0.55) return move(random, hands, tree, random.pick(paths));
  if (paths.length > 0 && at < 0.7) return remove(hands, tree, random.pick(paths));
  return make(random, hands, tree);
}

function editFile(random: SeededRandom, hands: Hands, tree: MutableTree, path: string): string {
  const node = tree.get(path) as Node;
  const old = contentOf(node);
  const lines = old.split('\n');
  const way = random.integer(4);
  // Changes one of several lines, so that merges have work. The length stays the same, so that the size reveals
  // nothing.
  if (lines.length > 3) {
    const line = random.integer(lines.length - 1);
    const text = lines[line] ?? '';
    lines[line] = `${random.integer(10)}${text.slice(1)}`;
  }
  const content = way === 0 ? `${old}more\n` : way === 1 ? text(random) : lines.join('\n');
  tree.set(path, node.slice(0, node.indexOf(' ', 5) + 1) + content);
  if (random.next() < 0.5) {
    hands.overwrite(path, content);
    return `overwrite ${JSON.stringify(path)}`;
  }
  hands.unlink(path);
  hands.create(path, content, Number.parseInt(modeOf(node), 8));
  return `save ${JSON.stringify(path)}`;
}

function changeMode(random: SeededRandom, hands: Hands, tree: MutableTree, path: string): string {
  const node = tree.get(path) as Node;
  if (kindOf(node) === 'link') return 'nothing';
  const mode = random.pick(kindOf(node) === 'file' ? FILE_MODES : FOLDER_MODES);
  hands.chmod(path, mode);
  tree.set(path, kindOf(node) === 'file' ? file(mode, contentOf(node)) : `folder ${mode.toString(8)}`);
  return `chmod ${mode.toString(8)} ${JSON.stringify(path)}`;
}

function move(random: SeededRandom, hands: Hands, tree: MutableTree, from: string): string {
  const to = freePath(random, tree);
  if (to === null || to === from || isBelow(to, from)) return 'nothing';
  hands.rename(from, to);
  for (const [path, node] of [...tree]) {
    if (path !== from && !isBelow(path, from)) continue;
    tree.delete(path);
    tree.set(to + path.slice(from.length), node);
  }
  return `rename ${JSON.stringify(from)} ${JSON.stringify(to)}`;
}

function remove(hands: Hands, tree: MutableTree, path: string): string {
  const inside = [...tree.keys()].filter((each) => each === path || isBelow(each, path));
  for (const each of inside.sort((a, b) => b.length - a.length)) {
    if (kindOf(tree.get(each)) === 'folder') hands.removeFolder(each);
    else hands.unlink(each);
    tree.delete(each);
  }
  return `remove ${JSON.stringify(path)}`;
}

/** Often where something of another kind was: file to folder, file to link, and back. */
function make(random: SeededRandom, hands: Hands, tree: MutableTree): string {
  let done = '';
  let path = freePath(random, tree);
  if (tree.size > 3 && (path === null || random.next() < 0.3)) {
    path = random.pick([...tree.keys()].filter((each) => each !== ''));
    done = `${remove(hands, tree, path)}, `;
  }
  if (path === null) return 'nothing';
  const kind = random.next();
  if (kind < 0.6) {
    const [content, mode] = [text(random), random.pick(FILE_MODES)];
    hands.create(path, content, mode);
    tree.set(path, file(mode, content));
  } else if (kind < 0.85) {
    hands.folder(path, 0o755);
    tree.set(path, 'folder 755');
  } else {
    const target = random.pick(TARGETS);
    hands.link(path, target);
    tree.set(path, `link ${target}`);
  }
  return `${done}make ${JSON.stringify(path)} ${(tree.get(path) as Node).slice(0, 10)}`;
}

function text(random: SeededRandom): string {
  if (random.next() < 0.1) return '';
  if (random.next() < 0.1) return `\0binary ${random.integer(1000)}`;
  return Array.from({ length: 1 + random.integer(8) }, (_, line) => `${random.integer(10)} line ${line}\n`).join('');
}

function freePath(random: SeededRandom, tree: MutableTree): string | null {
  const folders = [...tree.keys()].filter((path) => kindOf(tree.get(path)) === 'folder');
  const folder = random.pick(folders.filter((path) => path.split('/').length < 4));
  const name = random.pick(NAMES);
  const path = folder === '' ? name : `${folder}/${name}`;
  return tree.has(path) ? null : path;
}
