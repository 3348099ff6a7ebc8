// @ts-check
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The reference file-system MCP server, as bench/rival/ pins it. It is needed here only, so only the bench installs it. */

const FOLDER = fileURLToPath(new URL('rival', import.meta.url));
const NAME = '@modelcontextprotocol/server-filesystem';
const PACKAGE = join(FOLDER, 'node_modules', NAME);

export const RIVAL = {
  name: NAME,
  /** @type {string} */
  version: JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')).dependencies[NAME],
  script: join(PACKAGE, 'dist/index.js'),
};

/** Installs it unless it is there. */
export function ensureRival() {
  const manifest = join(PACKAGE, 'package.json');
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === RIVAL.version) return;
  console.log(`installing ${RIVAL.name} ${RIVAL.version} …`);
  // npm tells the scripts that it runs where it is; started with node, it needs no shell.
  const npm = process.env['npm_execpath'];
  const [program, args] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  const { status } = spawnSync(program, [...args, 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: FOLDER,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`${RIVAL.name} cannot be installed; \`--only checkpoints\` does without it`);
}
