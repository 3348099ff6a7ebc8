// @ts-check
/** Which files provably fail once a part of a commit is applied to its parent. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameIn, undefinedNames } from './name-oracle.mjs';
import { pythonKind, pythonProblems } from './python-oracle.mjs';
import { isOwnCode } from './repositories.mjs';
import { typescriptKind, typescriptProblems } from './typescript-oracle.mjs';

/**
 * @typedef {import('./typescript-oracle.mjs').Problem} Problem
 * @typedef {import('./candidates.mjs').Candidate} Candidate
 * @typedef {import('./repositories.mjs').Repository} Repository
 *
 * @typedef {object} Expected a file that fails in the proposed tree, and not in the base
 * @property {string} path
 * @property {boolean} inPlan whether the plan changes it
 * @property {readonly string[]} kinds of its failures: module, export, member, arguments, name, text, type
 * @property {readonly string[]} proof what the oracle says, at most three
 *
 * @typedef {object} Labels
 * @property {readonly Expected[]} whole with the whole commit less its dependents
 * @property {readonly Expected[]} alone with the files that define what changed, and nothing else
 */

const MOST_PROOFS = 3;
const LINES_OF_A_CALL = 6;
const SHORTEST_NAME = 5;

/** @type {Partial<Record<import('./repositories.mjs').CorpusLanguage, (problem: Problem) => string>>} */
const KINDS = { typescript: typescriptKind, python: pythonKind };

/** A global name that is missing in the base as well, or in a new file, is one of a package that is not installed. */
const MISSING_GLOBAL = new Set(['TS2304', 'TS2580', 'TS2582', 'TS2591', 'TS2593', 'TS2688', 'TS2503']);

/**
 * @param {object} options
 * @param {Repository} options.repository
 * @param {readonly Candidate[]} options.candidates
 * @param {(nth: number, state: string) => import('./work-tree.mjs').WorkTree} options.treeOf a tree for each state
 * @param {string} options.pyright
 * @param {string} options.top the folder that the trees are in
 * @returns {Labels[]} for each candidate
 */
export function labelsOf({ repository, candidates, treeOf, pyright, top }) {
  const states = candidates.map((candidate, nth) => statesOf(repository, candidate, (state) => treeOf(nth, state)));
  const roots = repository.roots ?? ['.'];
  const all = states.flatMap(({ base, whole, alone }) => [base, whole, alone]);
  if (repository.language !== 'typescript' && repository.language !== 'python') {
    const known = states.map(({ candidate, whole, alone }) => {
      // A name that is used after the commit as well is also one of something outside the repository.
      const after = whole.tree.trees.treeOf(whole.tree.trees.filesOf(candidate.commit));
      const left = new Set(undefinedNames(repository, candidate.names, after).map(nameIn));
      const names = candidate.names.filter((name) => name.length >= SHORTEST_NAME && !left.has(name));
      const expected = (/** @type {State} */ { plan, tree }) =>
        names.length === 0 ? [] : expectedOf(undefinedNames(repository, names, tree.current()), repository, plan);
      return { whole: expected(whole), alone: expected(alone) };
    });
    return known;
  }
  const problems =
    repository.language === 'typescript'
      ? all.map(({ tree: { folder }, paths, sources }) => typescriptProblems(folder, paths, sources))
      : pythonProblems(
          pyright,
          top,
          all.map(({ tree: { folder }, paths, sources }) => ({ folder, roots, paths, sources })),
        );
  return states.map(({ candidate, whole, alone }, nth) => {
    const [before = [], afterWhole = [], afterAlone = []] = problems.slice(nth * 3, nth * 3 + 3);
    const expected = (/** @type {State} */ { plan, tree }, /** @type {readonly Problem[]} */ after) =>
      expectedOf(
        newProblems(before, after, plan).filter((problem) => isProven(problem, { repository, candidate, tree, plan })),
        repository,
        plan,
      );
    return { whole: expected(whole, afterWhole), alone: expected(alone, afterAlone) };
  });
}

/**
 * @typedef {object} State
 * @property {import('./work-tree.mjs').WorkTree} tree
 * @property {Candidate['changes']} plan
 * @property {readonly string[]} paths
 * @property {readonly string[]} sources
 *
 * @param {Repository} repository
 * @param {Candidate} candidate
 * @param {(state: string) => import('./work-tree.mjs').WorkTree} treeOf
 */
function statesOf(repository, candidate, treeOf) {
  const parent = `${candidate.commit}^`;
  const { changes, definitions, dependents } = candidate;
  const basePaths = [...treeOf('base').trees.filesOf(parent).keys()];
  const mentions = mentionsOf(treeOf('base'), parent, candidate.names);
  const changed = new Set(changes.flatMap(({ path, from }) => [path, from]));
  /** @returns {State} */
  const state = (/** @type {string} */ name, /** @type {Candidate['changes']} */ plan) => {
    const tree = treeOf(name);
    tree.reset(parent);
    tree.apply(candidate.commit, plan);
    const gone = new Set(
      plan.filter(({ status }) => status === 'deleted' || status === 'renamed').map(({ from }) => from),
    );
    const come = plan.filter(({ status }) => status !== 'deleted').map(({ path }) => path);
    const paths = [...new Set([...basePaths.filter((path) => !gone.has(path)), ...come])];
    const sources = paths.filter((path) => isOwnCode(repository, path) && (mentions.has(path) || changed.has(path)));
    return { tree, plan, paths, sources };
  };
  return {
    candidate,
    base: state('base', []),
    whole: state(
      'whole',
      changes.filter(({ path }) => !dependents.includes(path)),
    ),
    alone: state(
      'alone',
      changes.filter(({ path }) => definitions.includes(path)),
    ),
  };
}

/**
 * Problems that the base does not have. One whose message changed is new only if there are more of its code in the file.
 * @param {readonly Problem[]} before @param {readonly Problem[]} after
 * @param {Candidate['changes']} plan
 * @returns {Problem[]}
 */
export function newProblems(before, after, plan) {
  const origins = new Map(plan.filter(({ status }) => status === 'renamed').map(({ path, from }) => [path, from]));
  const moved = after.map((problem) => ({ ...problem, origin: origins.get(problem.path) ?? problem.path }));
  const count = (/** @type {readonly string[]} */ keys) => {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts;
  };
  const exact = count(before.map(({ path, code, message }) => `${path}\0${code}\0${message}`));
  const more = count(moved.map(({ origin, code }) => `${origin}\0${code}`));
  for (const { path, code } of before) more.set(`${path}\0${code}`, (more.get(`${path}\0${code}`) ?? 0) - 1);
  const added = new Set(plan.filter(({ status }) => status === 'added').map(({ path }) => path));
  const globals = new Set(before.filter(({ code }) => MISSING_GLOBAL.has(code)).map(({ message }) => message));
  return moved.filter(({ path, origin, code, message }) => {
    if (globals.has(message) || (added.has(path) && MISSING_GLOBAL.has(code))) return false;
    const left = exact.get(`${origin}\0${code}\0${message}`) ?? 0;
    if (left > 0) {
      exact.set(`${origin}\0${code}\0${message}`, left - 1);
      return false;
    }
    return (more.get(`${origin}\0${code}`) ?? 0) > 0;
  });
}

/**
 * Python's attributes and arguments depend on what pyright believes about types, so such a failure counts only where the
 * code mentions what the plan changed.
 * @param {Problem} problem
 * @param {{ repository: Repository, candidate: Candidate, tree: import('./work-tree.mjs').WorkTree, plan: Candidate['changes'] }} context
 */
function isProven(problem, { repository, candidate, tree, plan }) {
  if (repository.language !== 'python') return true;
  const kind = pythonKind(problem);
  if (kind === 'member') return candidate.names.includes(/attribute "([^"]+)"/.exec(problem.message)?.[1] ?? '');
  if (kind !== 'arguments') return true;
  if (plan.some(({ minus }) => minus.some((line) => /def __(init|new|call)__/.test(line)))) return true;
  const lines = readFileSync(join(tree.folder, problem.path), 'utf8').split('\n');
  const words = new Set(
    lines
      .slice(Math.max(0, problem.line - LINES_OF_A_CALL), problem.line)
      .join('\n')
      .match(/\w+/g),
  );
  return candidate.names.some((name) => words.has(name));
}

/** @param {readonly Problem[]} problems @param {Repository} repository @param {Candidate['changes']} plan @returns {Expected[]} */
function expectedOf(problems, repository, plan) {
  const kindOf = KINDS[repository.language] ?? (() => 'name');
  const touched = new Set(plan.map(({ path }) => path));
  /** @type {Map<string, Problem[]>} */
  const byPath = new Map();
  for (const problem of problems) byPath.set(problem.path, [...(byPath.get(problem.path) ?? []), problem]);
  return [...byPath].map(([path, all]) => ({
    path,
    inPlan: touched.has(path),
    kinds: [...new Set(all.map(kindOf))].sort(),
    proof: all.slice(0, MOST_PROOFS).map(({ line, code, message }) => `${line}: ${code} ${message.slice(0, 160)}`),
  }));
}

/** @param {import('./work-tree.mjs').WorkTree} tree @param {string} commit @param {readonly string[]} names */
function mentionsOf(tree, commit, names) {
  try {
    const args = [
      `--git-dir=${tree.trees.repo}`,
      'grep',
      '-l',
      '-w',
      '-z',
      '-F',
      ...names.flatMap((name) => ['-e', name]),
      commit,
    ];
    const found = execFileSync('git', args, {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return new Set(found.split('\0').map((line) => line.slice(line.indexOf(':') + 1)));
  } catch {
    return new Set();
  }
}
