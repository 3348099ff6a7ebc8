// @ts-check
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wholeCommand } from './measure.mjs';
import { pinned } from './pinned.mjs';
import { git } from './repository.mjs';

/** opencode can take a snapshot without a model: `opencode debug snapshot track`. */
const PROGRAM = pinned('opencode', 'opencode-linux-x64-baseline');
const COMMAND = join(PROGRAM.path, 'bin/opencode');

export const OPENCODE_NAME = `opencode ${PROGRAM.version} itself`;
export const RUNS_HERE = process.platform === 'linux' && process.arch === 'x64';
export const ensureOpencode = PROGRAM.ensure;

/**
 * Measures whole commands: a first snapshot, each time from scratch; one after each edit; one with no changes; and one
 * of a repository with a single file, which is almost entirely startup time.
 * @param {{ base: string, project: string, runs: number, touch: () => void }} options
 */
export function measureOpencode({ base, project, runs, touch }) {
  const small = join(base, 'opencode-small');
  mkdirSync(small, { recursive: true });
  writeFileSync(join(small, 'a.txt'), 'a\n');
  git(small, 'init', '-q', '-b', 'main');
  git(small, 'add', '-A');
  git(small, 'commit', '-q', '-m', 'first');
  /** @type {{ first: number[], edited: number[], unchanged: number[], start: number[] }} */
  const times = { first: [], edited: [], unchanged: [], start: [] };
  for (let run = 0; run < Math.min(runs, 3); run++) {
    const home = join(base, `opencode-${run}`);
    // The program creates its database on first start. That is not part of a snapshot.
    snapshot(small, home);
    times.first.push(snapshot(project, home));
    touch();
    times.edited.push(snapshot(project, home));
    times.unchanged.push(snapshot(project, home));
    times.start.push(snapshot(small, home));
    rmSync(home, { recursive: true, force: true });
  }
  return times;
}

/** @param {string} folder @param {string} home */
function snapshot(folder, home) {
  mkdirSync(home, { recursive: true });
  const kinds = ['DATA', 'CONFIG', 'STATE', 'CACHE'].map((kind) => [`XDG_${kind}_HOME`, join(home, kind)]);
  const { ms } = wholeCommand([COMMAND, 'debug', 'snapshot', 'track'], folder, {
    HOME: home,
    ...Object.fromEntries(kinds),
    // Disables everything that would use the network.
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  });
  return ms;
}
