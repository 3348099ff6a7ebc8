// @ts-check
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A package to compare with, pinned by a folder of bench/. Only the bench needs it, so only the bench installs it.
 * @param {string} folder
 * @param {string} name
 */
export function pinned(folder, name) {
  const at = fileURLToPath(new URL(folder, import.meta.url));
  /** @type {string} */
  const version = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')).dependencies[name];
  const path = join(at, 'node_modules', name);
  return {
    name,
    version,
    path,
    /** Installs the package unless it is already installed. */
    ensure() {
      const manifest = join(path, 'package.json');
      if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version) return;
      console.log(`installing ${name} ${version} …`);
      // npm passes its own path to scripts. Started through node, it needs no shell.
      const npm = process.env['npm_execpath'];
      const [program, args] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
      const { status } = spawnSync(program, [...args, 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
        cwd: at,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      if (status !== 0) throw new Error(`${name} cannot be installed; \`--only speed\` does without it`);
    },
  };
}
