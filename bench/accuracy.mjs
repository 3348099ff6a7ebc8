// @ts-check
/**
 * Compares the findings of the class *breaks* with the corpus: which files they name, and which files provably fail.
 *
 *   npm run accuracy -- --repos FOLDER [--only OWNER/NAME] [--language NAME] [--report FILE] [--commits N]
 *
 * `--repos` has a git directory `OWNER+NAME/repo` for each repository of the corpus; nothing is checked out. `--report`
 * writes each missed file and each false finding.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isOwnCode, REPOSITORIES } from './accuracy/repositories.mjs';
import { asTable, judge } from './accuracy/score.mjs';
import { proposal, Trees } from './accuracy/trees.mjs';

const CORPUS = new URL('accuracy/corpus/', import.meta.url);
const CODE = new URL('../packages/core/dist/code/index.js', import.meta.url);
const GRAMMARS = new URL('../packages/core/dist/io/node/facts/grammars.js', import.meta.url);
const REASONS = new URL('accuracy/judged.json', import.meta.url);

const { values } = parseArgs({
  options: {
    repos: { type: 'string' },
    only: { type: 'string' },
    language: { type: 'string' },
    report: { type: 'string' },
    commits: { type: 'string', default: '1000' },
  },
});
if (values.repos === undefined) throw new Error('--repos is needed');
/** @type {{ repository: string, commit: string, path: string, is: 'broken' | 'not broken', reason: string }[]} */
const judged = existsSync(REASONS) ? JSON.parse(readFileSync(REASONS, 'utf8')) : [];
/** @type {import('./accuracy/score.mjs').Verdict[]} */
const verdicts = [];
for (const name of readdirSync(CORPUS)) {
  /** @type {import('./corpus.mjs').Corpus} */
  const corpus = JSON.parse(readFileSync(new URL(name, CORPUS), 'utf8'));
  if (values.only !== undefined && values.only !== corpus.repository) continue;
  if (values.language !== undefined && values.language !== corpus.language) continue;
  const repo = join(resolve(values.repos), corpus.repository.replace('/', '+'), 'repo');
  if (existsSync(repo)) verdicts.push(...(await verdictsOf(corpus, repo)));
  else console.log(`${corpus.repository}: no git directory, left out`);
}
console.log(asTable(verdicts, judged));
if (values.report !== undefined) writeFileSync(values.report, reportOf(verdicts));

/** @param {import('./corpus.mjs').Corpus} corpus @param {string} repo */
async function verdictsOf(corpus, repo) {
  const { analyse, languages, reader } = await engine();
  const trees = new Trees(repo);
  const repository = REPOSITORIES.find(({ name }) => name === corpus.repository);
  if (repository === undefined) throw new Error(`${corpus.repository} is not in the list`);
  const found = [];
  for (const one of corpus.cases.slice(0, Number(values.commits))) {
    /** @type {any} */
    let graph;
    const { changed: touched } = proposal(trees, one.commit, () => true);
    for (const variant of /** @type {const} */ (['whole', 'alone'])) {
      const plan = new Set(one.definitions);
      const left = new Set(one.dependents);
      const origins = new Set(one.origins);
      const isTaken = (/** @type {string} */ path) =>
        variant === 'whole' ? !left.has(path) : plan.has(path) || origins.has(path);
      const { base, proposed, changed } = proposal(trees, one.commit, isTaken);
      const analysis = await analyse({ base, proposed, languages, reader, graph });
      graph = analysis.base;
      const findings = analysis.findings.filter((/** @type {any} */ { path }) => isOwnCode(repository, path));
      found.push(judge({ corpus, one, variant, changed, touched, findings }));
    }
  }
  return found;
}

/** The engine's analysis, with a reader that keeps the facts of contents that it has seen. */
async function engine() {
  const { analyse, LANGUAGES, LanguageTable, LocalFactReader } = await import(CODE.href);
  const { readGrammar } = await import(GRAMMARS.href);
  // Languages without figures emit no *breaks*; here they do, to get the figures.
  const languages = new LanguageTable(LANGUAGES.map((/** @type {object} */ one) => ({ ...one, isMeasured: true })));
  const direct = new LocalFactReader(languages, readGrammar);
  /** Facts by path and contents. @type {Map<string, unknown>} */
  const known = new Map();
  const reader = {
    /** @param {readonly { path: string, id: string }[]} jobs @param {AbortSignal | null} signal */
    async read(jobs, signal) {
      const fresh = jobs.filter(({ path, id }) => !known.has(`${path}\0${id}`));
      const facts = await direct.read(fresh, signal);
      for (const [nth, { path, id }] of fresh.entries()) known.set(`${path}\0${id}`, facts[nth] ?? null);
      return jobs.map(({ path, id }) => known.get(`${path}\0${id}`) ?? null);
    },
  };
  return { analyse, languages, reader };
}

/** @param {readonly import('./accuracy/score.mjs').Verdict[]} all */
function reportOf(all) {
  const lines = all.flatMap(({ repository, commit, variant, missed, wrong }) => {
    const title = `## ${repository} ${commit.slice(0, 12)} (${variant})`;
    const misses = missed.map(
      (one) =>
        `- missed ${one.path}${one.inPlan ? ' (in the plan)' : ''} [${one.kinds.join()}] ${one.class}\n${one.proof.map((line) => `    ${line}`).join('\n')}`,
    );
    const falses = wrong.map(
      (one) => `- false ${one.path}${one.inPlan ? ' (in the plan)' : ''}: ${one.line}: ${one.rule} ${one.message}`,
    );
    return misses.length + falses.length === 0 ? [] : [title, ...misses, ...falses, ''];
  });
  return `${lines.join('\n')}\n`;
}
