#!/usr/bin/env node
// @ts-check
/**
 * Makes the command out of the built modules, with the packages it uses: node starts one file in half the time of many,
 * and what is installed needs nothing else. Run after `tsc -b`; `npm run build` does both.
 */
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { build as bundle } from 'rolldown';
import { TOP } from './steps.mjs';

const cli = join(TOP, 'packages/cli');
const folder = join(cli, 'bundle');

rmSync(folder, { recursive: true, force: true });
const command = /** @type {const} */ ({
  input: { savepoint: join(cli, 'dist/main.js') },
  platform: 'node',
  logLevel: 'warn',
});
const atOnce = modulesOfHooks((await bundle({ ...command, write: false })).output);
const { output } = await bundle({
  ...command,
  output: {
    dir: folder,
    format: 'esm',
    // All that a hook loads is one file: each further one costs it a millisecond or two.
    codeSplitting: { groups: [{ name: 'engine', test: (id) => atOnce.has(id) }] },
    entryFileNames: '[name].js',
    // A process that stays must not load a part of another build than its own: then it finds none.
    chunkFileNames: '[name]-[hash].js',
    // A fault that a person reports should name our functions.
    minify: false,
  },
});
// What is brought into a sandbox is one file, with all that it needs in it.
const alone = await bundle({
  input: { remote: join(cli, 'dist/remote.js') },
  platform: 'node',
  logLevel: 'warn',
  output: { dir: folder, format: 'esm', entryFileNames: '[name].js', codeSplitting: false, minify: false },
});
// Loaded from beside the command where it fits the machine; without it everything works, slower.
const prebuilt = join(TOP, 'packages/native/prebuilt');
for (const name of readdirSync(prebuilt)) copyFileSync(join(prebuilt, name), join(folder, `savepoint-${name}`));
// npm would do this at an installation, when no bundle is there yet.
chmodSync(join(folder, 'savepoint.js'), 0o755);
// Two builds never do each other's work, so each says which one it is.
const digest = createHash('sha256');
for (const name of readdirSync(folder).sort()) digest.update(`${name}\0`).update(readFileSync(join(folder, name)));
writeFileSync(join(folder, 'build.txt'), `${digest.digest('hex').slice(0, 16)}\n`);
writeFileSync(
  join(folder, 'LICENSES.txt'),
  licences([...output, ...alone.output].flatMap((one) => (one.type === 'chunk' ? one.moduleIds : []))),
);

const { lineScript } = await import('../packages/cli/dist/daemon/line-script.js');
const { STORE_FORMAT } = await import('../packages/core/dist/index.js');
const build = readFileSync(join(folder, 'build.txt'), 'utf8').trim();
writeFileSync(join(folder, 'savepoint-hook'), lineScript({ build, format: STORE_FORMAT }), { mode: 0o755 });

/**
 * What is loaded whenever a hook is, with all that this imports at once.
 * @param {import('rolldown').RolldownOutput['output']} output
 * @returns {ReadonlySet<string>} absolute paths
 */
function modulesOfHooks(output) {
  const chunks = output.filter((one) => one.type === 'chunk');
  const hook = chunks.find(({ moduleIds }) => moduleIds.includes(join(cli, 'dist/hook.js')));
  if (hook === undefined) throw new Error('the hook is in no file of the bundle');
  const seen = new Set([hook]);
  for (const chunk of seen) {
    for (const one of chunks) if (chunk.imports.includes(one.fileName)) seen.add(one);
  }
  return new Set([...seen].flatMap(({ moduleIds }) => moduleIds));
}

/**
 * The licences of the packages whose code is inside, as they ask for.
 * @param {readonly string[]} modules absolute paths
 */
function licences(modules) {
  const packages = new Set(modules.filter((path) => path.includes(`${sep}node_modules${sep}`)).map(packageOf));
  return [...packages]
    .sort()
    .map((path) => {
      const { name, version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
      const file = readdirSync(path).find((entry) => /^licen[cs]e/i.test(entry));
      if (file === undefined) throw new Error(`${name} has no licence file`);
      return `${name} ${version}\n\n${readFileSync(join(path, file), 'utf8').trim()}\n`;
    })
    .join('\n\n');
}

/** @param {string} path of a module inside a package */
function packageOf(path) {
  const at = path.lastIndexOf(`${sep}node_modules${sep}`);
  const parts = path.slice(at + `${sep}node_modules${sep}`.length).split(sep);
  const top = join(path.slice(0, at), 'node_modules', ...parts.slice(0, parts[0]?.startsWith('@') ? 2 : 1));
  return existsSync(join(top, 'package.json')) ? top : dirname(path);
}
