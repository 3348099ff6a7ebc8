// @ts-check
/**
 * Makes the corpus of `bench/accuracy/corpus/`: commits of public repositories that changed something that other files use,
 * and which of these files provably fail without their own change.
 *
 *   node bench/corpus.mjs --repos FOLDER --work FOLDER --pyright ENTRY [--only OWNER/NAME] [--cases N] [--tries N]
 *
 * `--repos` has a git directory `OWNER+NAME/repo` for each repository. Files of the corpus that exist are not made again.
 * For Go, Rust and Java the labels are a proposal: a person reads them, and takes out what is wrong.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CHANGE_KINDS, candidateOf } from './accuracy/candidates.mjs';
import { commitsOf } from './accuracy/commits.mjs';
import { labelsOf } from './accuracy/label.mjs';
import { EXTENSIONS, REPOSITORIES } from './accuracy/repositories.mjs';
import { Trees } from './accuracy/trees.mjs';
import { TYPESCRIPT } from './accuracy/typescript-oracle.mjs';
import { WorkTree } from './accuracy/work-tree.mjs';

/**
 * @typedef {object} Case
 * @property {string} commit
 * @property {readonly import('./accuracy/candidates.mjs').ChangeKind[]} kinds
 * @property {readonly string[]} names
 * @property {readonly string[]} definitions the plan of the variant `alone`
 * @property {readonly string[]} origins where definitions were before that the commit moved
 * @property {readonly string[]} dependents left out by the variant `whole`
 * @property {import('./accuracy/label.mjs').Labels} labels
 * @property {readonly { path: string, reason: string }[]} [excluded] labels that a person took out
 *
 * @typedef {object} Corpus
 * @property {string} repository
 * @property {import('./accuracy/repositories.mjs').CorpusLanguage} language
 * @property {string} oracle
 * @property {readonly Case[]} cases
 * @property {readonly { commit: string, reason: string }[]} dropped
 */

const FOLDER = fileURLToPath(new URL('accuracy/corpus/', import.meta.url));
const BY_NAME = 'no definition of a used name is left; each label was read by a person';
/** @type {Record<import('./accuracy/repositories.mjs').CorpusLanguage, string>} */
const ORACLES = { typescript: TYPESCRIPT, python: 'pyright 1.1.414', go: BY_NAME, rust: BY_NAME, java: BY_NAME };
const MOST_COMMITS = 5_000;
/** Candidates that pyright checks in one process. */
const BATCH = 4;

const { values } = parseArgs({
  options: {
    repos: { type: 'string' },
    work: { type: 'string' },
    pyright: { type: 'string', default: '' },
    only: { type: 'string' },
    cases: { type: 'string', default: '12' },
    tries: { type: 'string', default: '30' },
  },
});
if (values.repos === undefined || values.work === undefined) throw new Error('--repos and --work are needed');
for (const repository of REPOSITORIES) {
  if (values.only !== undefined && values.only !== repository.name) continue;
  const file = join(FOLDER, `${repository.name.replace('/', '+')}.json`);
  if (existsSync(file)) continue;
  const corpus = await corpusOf(repository, resolve(values.repos), resolve(values.work));
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, `${JSON.stringify(corpus, null, 1)}\n`);
  console.log(`${repository.name}: ${corpus.cases.length} cases, ${corpus.dropped.length} dropped`);
}

/**
 * @param {import('./accuracy/repositories.mjs').Repository} repository
 * @param {string} repos @param {string} work
 * @returns {Promise<Corpus>}
 */
async function corpusOf(repository, repos, work) {
  const { language, name } = repository;
  const repo = join(repos, name.replace('/', '+'), 'repo');
  /** @type {import('./accuracy/candidates.mjs').Candidate[]} */
  const candidates = [];
  for await (const commit of commitsOf(repo, { extensions: EXTENSIONS[language], most: MOST_COMMITS })) {
    const candidate = candidateOf(commit, repository);
    if (candidate !== null) candidates.push(candidate);
  }
  const top = join(work, name.replace('/', '+'));
  rmSync(top, { recursive: true, force: true });
  mkdirSync(top, { recursive: true });
  const source = new Trees(repo);
  /** @type {Map<string, WorkTree>} */
  const trees = new Map();
  const treeOf = (/** @type {number} */ nth, /** @type {string} */ state) => {
    const key = `${nth}-${state}`;
    const tree = trees.get(key) ?? new WorkTree(source, join(top, key));
    trees.set(key, tree);
    return tree;
  };
  /** @type {Case[]} */
  const cases = [];
  const dropped = [];
  const order = inTurn(candidates).slice(0, Number(values.tries));
  while (order.length > 0 && cases.length < Number(values.cases)) {
    const batch = order.splice(0, language === 'python' ? BATCH : 1);
    try {
      const labels = labelsOf({ repository, candidates: batch, treeOf, pyright: values.pyright ?? '', top });
      for (const [nth, { commit, kinds, names, definitions, dependents, changes }] of batch.entries()) {
        const found = labels[nth] ?? { whole: [], alone: [] };
        const origins = changes
          .filter(({ path, from }) => definitions.includes(path) && from !== path)
          .map(({ from }) => from);
        console.log(
          `${name} ${commit.slice(0, 10)} ${kinds.join()} whole ${found.whole.length} alone ${found.alone.length}`,
        );
        if (found.whole.some(({ inPlan }) => !inPlan))
          cases.push({ commit, kinds, names, definitions, origins, dependents, labels: found });
        else dropped.push({ commit, reason: 'no file outside the plan provably fails' });
      }
    } catch (error) {
      for (const { commit } of batch)
        dropped.push({ commit, reason: `the oracle could not decide: ${String(error).slice(0, 200)}` });
      console.log(`${name} ${batch.map(({ commit }) => commit.slice(0, 10)).join()} ${String(error).slice(0, 300)}`);
    }
  }
  return { repository: name, language, oracle: ORACLES[language], cases, dropped };
}

/**
 * One candidate of each kind after the other, the newest of a kind first.
 * @param {readonly import('./accuracy/candidates.mjs').Candidate[]} candidates
 */
function inTurn(candidates) {
  const queues = CHANGE_KINDS.map((kind) => candidates.filter(({ kinds }) => kinds.includes(kind)));
  /** @type {Set<import('./accuracy/candidates.mjs').Candidate>} */
  const order = new Set();
  for (let n = 0; n < candidates.length; n++)
    for (const queue of queues) {
      const next = queue[n];
      if (next !== undefined) order.add(next);
    }
  return [...order];
}
