// @ts-check
/** The order of the engine's layers (folders of packages/core/src), lowest first, as data. */

/**
 * A layer may import layers of lower levels. Layers of the same level must not import each other.
 * @type {readonly (readonly string[])[]}
 */
export const LEVELS = [
  ['model'],
  ['content', 'code'],
  ['io'],
  ['store'],
  ['git'],
  ['workspace'],
  ['timeline', 'transaction'],
  ['operation'],
  ['edit', 'purge', 'rewind', 'conversation'],
  ['config', 'bundle', 'sandbox', 'copy'],
  ['session', 'share', 'fork', 'check', 'bisect'],
  ['plan'],
  ['engine'],
  ['savepoint.ts'],
  ['verbs'],
  ['remote', 'tools'],
  ['frontend.ts', 'index.ts', 'ports.ts', 'text.ts'],
  ['node.ts'],
];

/** Node modules that the engine may use, with the reason. */
export const PURE_MODULES = new Map([
  ['node:zlib', 'compression is a pure function of bytes'],
  ['node:crypto', 'hashing is a pure function of bytes; random bytes are not, they come from the Random port'],
  ['node:buffer', 'bytes'],
]);

/** Packages that only these layers may import. */
export const PACKAGES = new Map([
  ['ignore', ['git', 'workspace']],
  ['oxc-parser', ['code']],
  ['web-tree-sitter', ['code']],
]);

/** Methods of the Fs port that change the disk. */
export const CHANGING_METHODS = [
  'openNew',
  'write',
  'fchmod',
  'makeLink',
  'makeFolder',
  'rename',
  'hardLink',
  'unlink',
  'removeFolder',
  'chmod',
  'touch',
];

/** Functions of `io` that change the disk in several steps. */
export const CHANGING_FUNCTIONS = ['durableWrite', 'durableCreate', 'removeTree', 'removeIfExists'];

/** Layers that may change the disk: the port itself, the store, copies and forks (their own folders), and the transaction. */
export const CHANGING_LAYERS = ['io', 'store', 'copy', 'fork', 'transaction'];

/** The module that changes files in a user's workspace, and the layers that may import it. */
export const TRANSACTION = 'transaction/transaction.ts';
export const TRANSACTION_CALLERS = ['operation', 'transaction'];

/**
 * Whether a file of the engine may use the machine directly. All other files go through ports.
 * @param {string} file path inside packages/core/src
 */
export function knowsTheMachine(file) {
  return file === 'node.ts' || /^io\/node\/.+\.ts$/.test(file);
}

/** @param {string} file path inside packages/core/src */
export function layerOf(file) {
  const cut = file.indexOf('/');
  return cut < 0 ? file : file.slice(0, cut);
}

/** @param {string} layer */
export function levelOf(layer) {
  return LEVELS.findIndex((level) => level.includes(layer));
}
