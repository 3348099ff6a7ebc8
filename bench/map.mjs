// @ts-check
/**
 * Measures the repository map, and the one of aider's published algorithm: which of the other files that a commit touched
 * they name, if one of its files is in focus.
 *
 *   node bench/map.mjs --repos FOLDER [--commits N] [--tokens N]
 *
 * `--repos` has a git directory `OWNER+NAME/repo` for each repository. Needs `npm run build`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { commitsOf } from './accuracy/commits.mjs';
import { Trees } from './accuracy/trees.mjs';
import { rankedTags } from './map/ranked-tags.mjs';

const REPOSITORIES = [
  { name: 'Aider-AI/aider', extensions: ['py'] },
  { name: 'honojs/hono', extensions: ['ts', 'tsx'] },
  { name: 'fastapi/fastapi', extensions: ['py'] },
  { name: 'gin-gonic/gin', extensions: ['go'] },
  { name: 'pallets/flask', extensions: ['py'] },
  { name: 'kysely-org/kysely', extensions: ['ts'] },
];
const MOST_TOUCHED = 10;
/** @type {WeakMap<Uint8Array, string[]>} */
const splits = new WeakMap();
const DIST = new URL('../packages/core/dist/', import.meta.url);

const { values } = parseArgs({
  options: {
    repos: { type: 'string' },
    commits: { type: 'string', default: '18' },
    tokens: { type: 'string', default: '2000' },
    only: { type: 'string' },
  },
});
if (values.repos === undefined) throw new Error('--repos is needed');
const tokens = Number(values.tokens);
const { mapOf } = await import(new URL('code/map/map.js', DIST).href);
const { tokensIn } = await import(new URL('code/map/lines.js', DIST).href);
const reader = await factReader();

console.log(
  '| | commits | files to name | named by ours | by aider, focus | by aider, focus and prompt | files | warm map, ms |',
);
console.log('|---|---|---|---|---|---|---|---|');
/** @type {Figures[]} */
const all = [];
for (const { name, extensions } of REPOSITORIES) {
  const repo = join(resolve(values.repos), name.replace('/', '+'), 'repo');
  if (!existsSync(repo) || (values.only !== undefined && values.only !== name)) continue;
  const figures = await measured(repo, extensions);
  all.push(figures);
  print(name, figures);
}
print('**all**', {
  commits: sumOf((one) => one.commits),
  pairs: sumOf((one) => one.pairs),
  ours: sumOf((one) => one.ours),
  focused: sumOf((one) => one.focused),
  prompted: sumOf((one) => one.prompted),
  files: Math.max(...all.map(({ files }) => files)),
  times: all.flatMap(({ times }) => times),
});

/**
 * @typedef {{ commits: number, pairs: number, ours: number, focused: number, prompted: number, files: number, times: number[] }} Figures
 */

/** @param {string} repo @param {readonly string[]} extensions @returns {Promise<Figures>} */
async function measured(repo, extensions) {
  const trees = new Trees(repo);
  /** @type {Figures} */
  const figures = { commits: 0, pairs: 0, ours: 0, focused: 0, prompted: 0, files: 0, times: [] };
  for await (const { id, changes } of commitsOf(repo, { extensions, most: 2_000 })) {
    if (figures.commits === Number(values.commits)) break;
    const touched = changes.filter(({ status }) => status === 'modified').map(({ path }) => path);
    if (touched.length < 2 || touched.length > MOST_TOUCHED) continue;
    const sources = await sourcesOf(trees, `${id}^`, extensions);
    const known = new Set(sources.filter(({ facts }) => facts.definitions.length > 0).map(({ path }) => path));
    const wanted = touched.filter((path) => known.has(path));
    if (wanted.length < 2) continue;
    figures.commits++;
    figures.files = Math.max(figures.files, sources.length);
    const text = execFileSync('git', [`--git-dir=${repo}`, 'log', '-1', '--format=%B', id], { encoding: 'utf8' });
    for (const path of wanted) {
      const others = wanted.filter((other) => other !== path);
      const focus = [path];
      const began = performance.now();
      const map = mapOf(sources, { tokens, focus });
      figures.times.push(performance.now() - began);
      const ours = new Set(map.files.map((/** @type {{ path: string }} */ one) => one.path));
      const focused = rankedTags(sources, { focus, text: '', tokens, tokensIn });
      const prompted = rankedTags(sources, { focus, text, tokens, tokensIn });
      figures.pairs += others.length;
      figures.ours += others.filter((other) => ours.has(other)).length;
      figures.focused += others.filter((other) => focused.has(other)).length;
      figures.prompted += others.filter((other) => prompted.has(other)).length;
    }
  }
  return figures;
}

/** @param {Trees} trees @param {string} commit @param {readonly string[]} extensions */
async function sourcesOf(trees, commit, extensions) {
  const files = trees.filesOf(commit);
  const tree = trees.treeOf(files);
  const jobs = [...files].flatMap(([path, id]) => {
    const bytes = extensions.some((extension) => path.endsWith(`.${extension}`)) ? tree.read(path) : null;
    return bytes === null ? [] : [{ path, id, bytes, read: () => bytes }];
  });
  const facts = await reader.read(jobs);
  return jobs.flatMap(({ path, bytes }, nth) => {
    const known = facts[nth];
    return known == null ? [] : [{ path, facts: known, lines: linesOf(bytes) }];
  });
}

/** Reads facts once per contents. */
async function factReader() {
  const { LANGUAGES, LanguageTable, LocalFactReader } = await import(new URL('code/index.js', DIST).href);
  const { readGrammar } = await import(new URL('io/node/facts/grammars.js', DIST).href);
  const direct = new LocalFactReader(new LanguageTable(LANGUAGES), readGrammar);
  /** @type {Map<string, any>} */
  const known = new Map();
  return {
    /** @param {readonly { path: string, id: string }[]} jobs */
    async read(jobs) {
      const fresh = jobs.filter(({ id }) => !known.has(id));
      const facts = await direct.read(fresh, null);
      for (const [nth, { id }] of fresh.entries()) known.set(id, facts[nth]);
      return jobs.map(({ id }) => known.get(id));
    },
  };
}

/** @param {Uint8Array} bytes */
function linesOf(bytes) {
  const lines = splits.get(bytes) ?? Buffer.from(bytes).toString('utf8').split('\n');
  splits.set(bytes, lines);
  return lines;
}

/** @param {(one: Figures) => number} of */
function sumOf(of) {
  return all.reduce((sum, one) => sum + of(one), 0);
}

/** @param {string} name @param {Figures} figures */
function print(name, { commits, pairs, ours, focused, prompted, files, times }) {
  const share = (/** @type {number} */ of) => `${Math.round((100 * of) / pairs)} %`;
  const median = [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  console.log(
    `| ${[name, commits, pairs, share(ours), share(focused), share(prompted), files, median.toFixed(0)].join(' | ')} |`,
  );
}
