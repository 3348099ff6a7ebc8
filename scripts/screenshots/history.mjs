// @ts-check
/** The newest commits of a repository as turns of agents, so that the pictures show work of a real project. */
import { execFileSync } from 'node:child_process';
import { open } from '@savepoint/core';
import { nodePorts } from '@savepoint/core/node';

/** @typedef {import('@savepoint/core').DiskPath} DiskPath */

const COMMITS = 60;
const AGENTS = ['claude', 'codex', 'gemini'];
/** Two sessions take turns, and each ends after this many commits. */
const SESSION_COMMITS = 9;
const CALL_MS = 40_000;
/** Some commits are a person's own. */
const OWN_EVERY = 11;

/**
 * @param {{ repository: string, dir: string, home: string }} where `dir`: a folder that does not exist yet
 * @returns {Promise<() => Promise<void>>} closes it
 */
export async function makeHistory({ repository, dir, home }) {
  const git = (/** @type {string[]} */ ...args) => execFileSync('git', ['-C', dir, ...args], { encoding: 'utf8' });
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', repository, dir]);
  const log = git('log', '--first-parent', '--reverse', '--format=%H %ct %s', `-${COMMITS}`).trim().split('\n');
  const [first = '', ...commits] = log;
  git('checkout', '--quiet', '--detach', first.slice(0, 40));
  let time = timeOf(first);
  const ports = nodePorts();
  const clock = Object.assign(Object.create(ports.clock), { now: () => time });
  const savepoint = open({
    dir: /** @type {DiskPath} */ (dir),
    ports: { ...ports, clock },
    places: { home: /** @type {DiskPath} */ (home), userHome: null, globalIgnore: null },
  });
  await savepoint.checkpoint({ message: 'before the agents start' });
  for (const [at, commit] of commits.entries()) {
    const [id, words] = [commit.slice(0, 40), commit.slice(52)];
    const change = () => void git('checkout', '--quiet', '--detach', id);
    time = timeOf(commit);
    if (at % OWN_EVERY === OWN_EVERY - 1) {
      change();
      await savepoint.checkpoint({ message: words });
      continue;
    }
    const lane = at % 2;
    const number = 2 * Math.floor(at / SESSION_COMMITS) + lane;
    const agent = AGENTS[number % AGENTS.length] ?? 'claude';
    const session = savepoint.session({ agent, id: `session-${number}` });
    await session.prompt(words);
    const paths = git('diff', '--name-only', '--no-renames', 'HEAD', id).trim().split('\n');
    await session.call({ tool: 'Edit', kind: 'write', paths: /** @type {never[]} */ (paths) }, async () => {
      change();
      time += CALL_MS;
    });
  }
  return async () => {
    await savepoint.idle();
    savepoint.close();
  };
}

/** @param {string} line of the log */
function timeOf(line) {
  return Number(line.slice(41, 51)) * 1_000;
}
