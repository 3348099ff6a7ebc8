// @ts-check
/**
 * Commits that look as if they changed something that others use, found by the text of their diffs alone. Whether a
 * dependent breaks without its own change is decided by an oracle, not here.
 */
import { isOwnCode } from './repositories.mjs';

/**
 * @typedef {'removed-export' | 'moved-export' | 'moved-file' | 'removed-method' | 'changed-signature'} ChangeKind
 *
 * @typedef {object} Candidate
 * @property {string} commit
 * @property {readonly ChangeKind[]} kinds
 * @property {readonly string[]} names what was removed, moved or changed
 * @property {readonly string[]} definitions files (after the commit, or before if deleted) that define it
 * @property {readonly string[]} dependents modified files whose removed lines use it
 * @property {readonly import('./commits.mjs').FileChange[]} changes
 */

/** @type {readonly ChangeKind[]} */
export const CHANGE_KINDS = ['removed-export', 'moved-export', 'moved-file', 'removed-method', 'changed-signature'];

/** Larger commits are left out: their cases would outweigh all others. */
const MOST_FILES = 40;
const MOST_DEPENDENTS = 15;

const NOTHING = /(?!)/;

/** @type {Record<import('./repositories.mjs').CorpusLanguage, { top: RegExp, member: RegExp, isTest: RegExp }>} */
const SHAPES = {
  typescript: {
    top: /^export\s+(?:declare\s+)?(?:default\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|const|let|var|interface|type|enum|namespace)\s+([\w$]+)(.*)/,
    member:
      /^\s+(?:(?:public|protected|static|async|abstract|override)\s+)*([A-Za-z_$][\w$]*)\s*(?:<[^>]*>)?(\(.*\)\s*(?::[^{]*)?\{?\s*)$/,
    isTest: /(^|\/)(__tests__|tests?|spec|__mocks__)\/|\.(test|spec|test-d)\.|-spec\./,
  },
  python: {
    top: /^(?:(?:async\s+)?def|class)\s+(\w+)(.*)|^([A-Z_]\w+)\s*(?::[^=]+)?=(?!=)/,
    member: /^\s+(?:async\s+)?def\s+(\w+)(.*)/,
    isTest: /(^|\/)(tests?|testing)\/|(^|\/)(test_|conftest)/,
  },
  go: {
    top: /^func\s+(?:\([^)]*\)\s*)?(\w+)(.*)|^(?:type|var|const)\s+(\w+)/,
    member: NOTHING,
    isTest: /_test\.go$/,
  },
  rust: {
    top: /^\s*pub(?:\([^)]*\))?\s+(?:(?:async|unsafe|const|extern "C")\s+)*(?:fn|struct|enum|trait|type|const|static|mod)\s+(\w+)(.*)/,
    member: NOTHING,
    isTest: /(^|\/)(tests|benches)\//,
  },
  java: {
    top: /^\s*(?:public|protected)\s+(?:(?:static|final|abstract|synchronized|default)\s+)*(?:<[^>]+>\s*)?(?:class|interface|enum|[\w.<>[\],?]+)\s+(\w+)\s*(\(.*|[{<].*|extends.*|implements.*)$/,
    member: NOTHING,
    isTest: /(^|\/)test\//,
  },
};

const CONTROL = new Set([
  'if',
  'for',
  'while',
  'switch',
  'catch',
  'return',
  'function',
  'super',
  'constructor',
  'await',
]);

/**
 * @param {import('./commits.mjs').Commit} commit
 * @param {import('./repositories.mjs').Repository} repository
 * @returns {Candidate | null} null: it does not look so
 */
export function candidateOf(commit, repository) {
  const { top, member, isTest } = SHAPES[repository.language];
  const code = commit.changes.filter(({ path }) => isOwnCode(repository, path));
  if (code.length < 2 || code.length > MOST_FILES) return null;
  const addedTops = new Set(code.flatMap(({ plus }) => headsIn(plus, top).map(({ name }) => name)));
  const addedMembers = new Set(code.flatMap(({ plus }) => headsIn(plus, member).map(({ name }) => name)));
  /** @type {Set<ChangeKind>} */
  const kinds = new Set();
  /** @type {Set<string>} */
  const names = new Set();
  /** @type {Set<string>} */
  const definitions = new Set();
  const found = (/** @type {ChangeKind} */ kind, /** @type {string} */ name, /** @type {string} */ path) => {
    kinds.add(kind);
    names.add(name);
    definitions.add(path);
  };
  for (const { status, path, from, minus, plus } of code) {
    if (status === 'added' || isTest.test(path)) continue;
    if (status === 'renamed' || status === 'deleted') found('moved-file', stemOf(from), path);
    const kept = new Map(headsIn(plus, top).map(({ name, rest }) => [name, rest]));
    for (const { name, rest } of headsIn(minus, top)) {
      const now = kept.get(name);
      const isClass = minus.some((line) => line.startsWith(`class ${name}`));
      if (now === undefined) found(addedTops.has(name) ? 'moved-export' : 'removed-export', name, path);
      else if (now !== rest && rest.includes('(') && !isClass) found('changed-signature', name, path);
    }
    const keptMembers = new Map(headsIn(plus, member).map(({ name, rest }) => [name, rest]));
    for (const { name, rest } of headsIn(minus, member)) {
      if (keptMembers.has(name)) {
        if (keptMembers.get(name) !== rest) found('changed-signature', name, path);
      } else if (!addedMembers.has(name) && !addedTops.has(name)) found('removed-method', name, path);
    }
  }
  if (names.size === 0) return null;
  const word = new RegExp(`(?<![\\w$])(?:${[...names].map(escaped).join('|')})(?![\\w$])`);
  const dependents = code
    .filter(
      ({ status, path, minus }) =>
        status === 'modified' && !definitions.has(path) && minus.some((line) => word.test(line)),
    )
    .map(({ path }) => path);
  if (dependents.length === 0 || dependents.length > MOST_DEPENDENTS) return null;
  return {
    commit: commit.id,
    kinds: [...kinds],
    names: [...names],
    definitions: [...definitions],
    dependents,
    changes: commit.changes,
  };
}

/**
 * @param {readonly string[]} lines
 * @param {RegExp} shape
 */
function headsIn(lines, shape) {
  return lines.flatMap((line) => {
    const match = shape.exec(line);
    const name = match?.[1] ?? match?.[3];
    if (match === null || name === undefined || name.length < 3) return [];
    if (CONTROL.has(name) || name.startsWith('__') || /^test_/.test(name)) return [];
    return [{ name, rest: (match[2] ?? '').replaceAll(/\s+/g, ' ').trim() }];
  });
}

/** @param {string} path @returns {string} */
function stemOf(path) {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/, '');
  return name === 'index' || name === '__init__' ? stemOf(path.slice(0, path.lastIndexOf('/'))) : name;
}

/** Whether a line defines a name of a language. @param {import('./repositories.mjs').CorpusLanguage} language @param {string} line */
export function definedIn(language, line) {
  return headsIn([line], SHAPES[language].top)[0]?.name ?? null;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll(/[$.*+?^{}()|[\]\\]/g, '\\$&');
}
