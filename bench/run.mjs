#!/usr/bin/env node
// @ts-check
/**
 * Measures Savepoint beside what people and agents use today, on repositories that are made up and on copies of clones.
 * Usage: npm run bench -- [--repo DIR]… [--only PART,PART…] [--runs N] [--write]
 *   --repo    a clone for the part `speed`: a checkout or a git directory, or NAME=DIR; more than one is possible. It is
 *             copied first. Without `--only`, this is the only part
 *   --only    parts: `speed`, `timeline`, `peers`, `edits`, `history`, `agents`, `repositories`, `forks`, `truth`, `terminal`,
 *             `transcript`, `browser`, `studio`, `checks`, `copies`, `memory` or `plans`; default all
 *   --runs    how often each thing is measured (short ones three times as often); the median counts; default 3
 *   --write   writes the results into docs/performance.md
 *   --sizes   files in the repositories made up for the part `speed`; default 50000, none if empty
 *   --files   files in the repositories made up for other parts, about 4 kB each; default 50,000
 *   --timeline checkpoints on the long timeline of the parts `timeline`, `browser` and `studio`; default 10,000
 *   --megabytes in the part `transcript`: length of the transcripts; default 100
 *   --real    in the part `transcript`: a real transcript as AGENT=FILE, which is repeated; more than one is possible
 *   --clone   in the part `memory`: a repository that is measured instead of one that is made up;
 *             in the part `plans`: a repository, of which a plan is made as well; at most 2,000 of its files count;
 *             in the part `studio`: a repository, whose newest commits are turns
 *   --changes in the part `truth`: changes of agents and persons, at least; default 3,000
 *   --seed    in the part `truth`: the first seed; default 1
 *   --edits   in the part `memory`: edits in a process that stays; default 3,600, one each second of an hour
 *   --no-agents in the part `truth`: leave out the real agents, which need an isolated network and are installed first
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureGemini } from './gemini.mjs';
import { ensureOpencode, RUNS_HERE } from './opencode.mjs';
import { git, makeRepository } from './repository.mjs';
import { ensureRival } from './rival.mjs';

const { values } = parseArgs({
  allowNegative: true,
  options: {
    repo: { type: 'string', multiple: true, default: [] },
    only: { type: 'string' },
    runs: { type: 'string', default: '3' },
    write: { type: 'boolean', default: false },
    sizes: { type: 'string', default: '50000' },
    files: { type: 'string', default: '50000' },
    timeline: { type: 'string', default: '10000' },
    megabytes: { type: 'string', default: '100' },
    real: { type: 'string', multiple: true, default: [] },
    clone: { type: 'string' },
    changes: { type: 'string', default: '3000' },
    edits: { type: 'string', default: '3600' },
    seed: { type: 'string', default: '1' },
    agents: { type: 'boolean', default: true },
  },
});
const [files, runs, checkpoints] = [Number(values.files), Number(values.runs), Number(values.timeline)];
const { clone } = values;
const command = fileURLToPath(new URL('../packages/cli/bundle/savepoint.js', import.meta.url));
const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Before results are written. */
const version = git(ROOT, 'describe', '--always', '--dirty');
/** Of the parts that share a repository. @type {string | null} */
let shared = null;

/**
 * By the name of the part. Each is preceded by the machine.
 * @type {Readonly<Record<string, { readonly marker: string, readonly measure: () => Promise<string> }>>}
 */
const PARTS = {
  speed: {
    marker: 'figures of speed',
    measure: async () => {
      const { measureSpeed } = await import('./speed.mjs');
      const sizes = values.sizes.split(',').filter(Boolean).map(Number);
      return measureSpeed({ base, runs, sizes, clones: values.repo });
    },
  },
  timeline: {
    marker: 'figures of the timeline',
    measure: async () => (await import('./timeline.mjs')).measureTimeline({ base, runs: runs * 3, checkpoints }),
  },
  peers: {
    marker: 'figures of other programs',
    measure: async () => (await import('./peers.mjs')).measurePeers({ base, runs, files }),
  },
  edits: {
    marker: 'figures of edits',
    measure: async () => {
      const { measureEdits } = await import('./edits.mjs');
      return measureEdits({ base, runs: runs * 3, repository: repository(), others: files });
    },
  },
  history: {
    marker: 'figures of history',
    measure: async () => (await import('./history.mjs')).measureHistory({ base, runs: runs * 3 }),
  },
  agents: {
    marker: 'figures of agents',
    measure: async () => {
      const { measureAgents } = await import('./agents.mjs');
      return measureAgents({ base, runs: runs * 3, repository: repository(), others: files });
    },
  },
  repositories: {
    marker: 'figures of repositories',
    measure: async () => (await import('./repositories.mjs')).measureRepositories({ base, runs, files }),
  },
  forks: {
    marker: 'figures of forks',
    measure: async () => {
      const { measureForks } = await import('./forks.mjs');
      // Each run makes and removes dozens of copies: three would take half an hour.
      return measureForks({ base, runs: files > 10_000 ? 1 : runs, files });
    },
  },
  terminal: {
    marker: 'figures of the terminal',
    measure: async () => (await import('./terminal.mjs')).measureTerminal({ base, runs }),
  },
  transcript: {
    marker: 'figures of transcripts',
    measure: async () => {
      const { measureTranscript } = await import('./transcript.mjs');
      return measureTranscript({ base, megabytes: Number(values.megabytes), real: values.real });
    },
  },
  browser: {
    marker: 'figures of the browser',
    measure: async () => (await import('./browser.mjs')).measureBrowser({ base, runs, checkpoints }),
  },
  studio: {
    marker: 'figures of studio',
    measure: async () => (await import('./studio.mjs')).measureStudio({ base, runs, checkpoints, command, clone }),
  },
  checks: {
    marker: 'figures of checks',
    measure: async () => (await import('./checks.mjs')).measureChecks({ base, runs: runs * 3, command }),
  },
  copies: {
    marker: 'figures of copies',
    measure: async () => (await import('./copies.mjs')).measureCopies({ base, runs, files }),
  },
  memory: {
    marker: 'figures of memory',
    measure: async () => {
      const { measureMemory } = await import('./memory.mjs');
      return measureMemory({ base, command, clone, files, edits: Number(values.edits) });
    },
  },
  plans: {
    marker: 'figures of plans',
    measure: async () => (await import('./plans.mjs')).measurePlans({ base, runs, command, clone }),
  },
  truth: {
    marker: 'figures of attribution',
    measure: async () => {
      const { measureTruth } = await import('./truth.mjs');
      return measureTruth({ seed: Number(values.seed), changes: Number(values.changes), agents: values.agents });
    },
  },
};

const chosen = chosenParts();
install();
const base = realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-bench-')));
try {
  for (const part of chosen) {
    const { marker, measure } = /** @type {typeof PARTS[string]} */ (PARTS[part]);
    const before = machine();
    const text = `${before}\n\n${await measure()}`;
    console.log(`\n${text}`);
    if (values.write) write(marker, text);
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}

function chosenParts() {
  const names = Object.keys(PARTS);
  if (values.only === undefined) return values.repo.length > 0 ? ['speed'] : names;
  const only = values.only.split(',');
  const unknown = only.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`--only takes of ${names.join(', ')}: not ${unknown.join(', ')}`);
  return only;
}

/** Installs what is compared with. */
function install() {
  if (chosen.includes('edits')) ensureRival();
  if (chosen.includes('peers')) {
    ensureGemini();
    if (RUNS_HERE) ensureOpencode();
  }
  // Only npm may need these certificates. Node reads them at every start.
  delete process.env['NODE_EXTRA_CA_CERTS'];
}

function repository() {
  if (shared !== null) return shared;
  shared = join(base, 'project');
  console.log(`making ${files} files …`);
  makeRepository(shared, files);
  return shared;
}

function machine() {
  const cpu = cpus()[0]?.model ?? 'unknown';
  const load = loadavg()[0]?.toFixed(1);
  return [
    `Savepoint at ${version}, Node ${process.version}`,
    git('.', '--version').replace('git version ', 'git '),
    `${process.platform} ${release()}`,
    `${cpus().length} cores (${cpu}), ${Math.round(totalmem() / 2 ** 30)} GiB, load average ${load} at the start.`,
  ].join(', ');
}

/**
 * @param {string} marker
 * @param {string} text
 */
function write(marker, text) {
  const file = join(ROOT, 'docs/performance.md');
  const place = new RegExp(`(?<=<!-- ${marker} -->\\n)[\\s\\S]*(?=<!-- end of ${marker} -->)`);
  const before = readFileSync(file, 'utf8');
  if (!place.test(before)) throw new Error(`${file} has no place for ${marker}`);
  writeFileSync(
    file,
    before.replace(place, () => `\n${text}\n`),
  );
}
