#!/usr/bin/env node
// @ts-check
/**
 * Bundles the built modules and the packages they use into the command. Node starts one file twice as fast as many, and
 * the installed command has no dependencies. Run it after `tsc -b`; `npm run build` does both.
 */
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { build as bundle } from 'rolldown';
import { buildPage } from './page.mjs';
import { TOP } from './steps.mjs';

const cli = join(TOP, 'packages/cli');
const folder = join(cli, 'bundle');

rmSync(folder, { recursive: true, force: true });
// Prefer the ES module build of a package. Some main files cannot be analysed by any bundler (jsonc-parser).
const resolve = { mainFields: ['module', 'main'] };
/** Parsers have native parts. Without them, the command works, and knows less about code. */
const PARSERS = ['oxc-parser'];
/** Ink loads React's developer tools if DEV is set, whatever it means to the user. They are not a dependency. */
const withoutDevtools = {
  name: 'without-devtools',
  resolveId: (/** @type {string} */ source) => (source === './devtools.js' ? '\0no-devtools' : null),
  load: (/** @type {string} */ id) => (id === '\0no-devtools' ? 'export {};' : null),
};
/**
 * Names are kept, because stack traces in bug reports should contain our function names. Without comments, and with one
 * byte for each character, the files load faster, and take half the memory. The licenses are in a file of their own.
 * @type {import('rolldown').OutputOptions}
 */
const SMALL = { minify: false, comments: false, charset: 'ascii' };
// What these warn about is meant: `web-tree-sitter` contains `eval`, and a module that one file loads late is loaded at once
// by another.
const CHECKS = { eval: false, ineffectiveDynamicImport: false };
/** @type {import('rolldown').BuildOptions} */
const command = {
  input: { savepoint: join(cli, 'dist/main.js') },
  platform: 'node',
  resolve,
  external: PARSERS,
  // React has a slow version for development in it.
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  plugins: [withoutDevtools],
  logLevel: 'warn',
  checks: CHECKS,
};
const unsplit = (await bundle({ ...command, write: false })).output;
const ofHooks = modulesWith('hook.js');
const ofCommands = modulesWith('run.js');
const ofClient = modulesWith(join('daemon', 'client.js'));
const ofVersion = join(cli, 'dist/own-version.js');
const { output } = await bundle({
  ...command,
  output: {
    dir: folder,
    format: 'esm',
    // Everything that a hook loads is one file, and so is what every other command loads. Each further file costs a
    // millisecond or two.
    codeSplitting: {
      groups: [
        // `--version` loads only this.
        { name: 'own-version', test: (id) => id === ofVersion, priority: 3 },
        // A command that the daemon answers loads only this.
        { name: 'client', test: (id) => ofClient.has(id), priority: 3 },
        { name: 'engine', test: (id) => ofHooks.has(id), priority: 2 },
        { name: 'command-line', test: (id) => ofCommands.has(id) || isSmallCommand(id), priority: 1 },
      ],
    },
    entryFileNames: '[name].js',
    // A long-lived process must not load chunks of another build. With hashed names it finds none.
    chunkFileNames: '[name]-[hash].js',
    ...SMALL,
  },
});
// Programs of their own are single files without dependencies: for a sandbox, for readers of facts about code (which must
// not load the whole engine), and for asking type checkers.
const alone = [
  ...(await bundleAlone({ remote: join(cli, 'dist/remote.js') })),
  ...(await bundleAlone({ 'fact-worker': join(TOP, 'packages/core/dist/io/node/facts/fact-worker.js') })),
  ...(await bundleAlone({ 'type-checker': join(TOP, 'packages/core/dist/io/node/type-checker/main.js') })),
];
// The command loads the add-on from its own folder if it fits the machine. Without it everything works, only slower.
const prebuilt = join(TOP, 'packages/native/prebuilt');
for (const name of readdirSync(prebuilt)) copyFileSync(join(prebuilt, name), join(folder, `savepoint-${name}`));
// npm would do this at installation, but then no bundle exists yet.
chmodSync(join(folder, 'savepoint.js'), 0o755);
// A daemon of another build must not answer a command, so each build has an id.
const digest = createHash('sha256');
for (const name of readdirSync(folder).sort()) digest.update(`${name}\0`).update(readFileSync(join(folder, name)));
const { STORE_FORMAT } = await import('../packages/core/dist/frontend.js');
writeFileSync(join(folder, 'build.txt'), `${digest.digest('hex').slice(0, 16)} ${STORE_FORMAT}\n`);
// A daemon does not serve the page, so its build id does not depend on it.
const page = await buildPage();
cpSync(page.folder, join(folder, 'studio'), { recursive: true });
const modules = [...output, ...alone].flatMap((one) => (one.type === 'chunk' ? one.moduleIds : []));
writeFileSync(join(folder, 'LICENSES.txt'), licences([...modules, ...page.modules]));

const { hookScript } = await import('../packages/cli/dist/daemon/hook-script.js');
const [build = ''] = readFileSync(join(folder, 'build.txt'), 'utf8').split(' ');
writeFileSync(join(folder, 'savepoint-hook'), hookScript({ build, format: STORE_FORMAT }), { mode: 0o755 });

/** @param {Record<string, string>} input the name and the entry of one program */
async function bundleAlone(input) {
  const made = await bundle({
    input,
    platform: 'node',
    resolve,
    external: PARSERS,
    logLevel: 'warn',
    checks: CHECKS,
    output: { dir: folder, format: 'esm', entryFileNames: '[name].js', codeSplitting: false, ...SMALL },
  });
  return made.output;
}

/**
 * Returns the modules that are loaded together with this one: the module and all its static imports.
 * @param {string} file in the command's `dist/`
 * @returns {ReadonlySet<string>} absolute paths
 */
function modulesWith(file) {
  const chunks = unsplit.filter((one) => one.type === 'chunk');
  const first = chunks.find(({ moduleIds }) => moduleIds.includes(join(cli, 'dist', file)));
  if (first === undefined) throw new Error(`${file} is in no file of the bundle`);
  const seen = new Set([first]);
  for (const chunk of seen) {
    for (const one of chunks) if (chunk.imports.includes(one.fileName)) seen.add(one);
  }
  return new Set([...seen].flatMap(({ moduleIds }) => moduleIds));
}

/**
 * Commands of a few kilobytes each. Reading all of them is faster than opening one more file. Those in `agents/` load a
 * server, a daemon or the agents' settings, and are not small.
 * @param {string} path
 */
function isSmallCommand(path) {
  const inside = path.startsWith(join(cli, 'dist') + sep) ? path.slice(join(cli, 'dist').length + 1) : '';
  return (
    inside.startsWith(`show${sep}`) || (inside.startsWith(`commands${sep}`) && !inside.split(sep).includes('agents'))
  );
}

/**
 * Collects the licences of the bundled packages, as they require.
 * @param {readonly string[]} modules absolute paths
 */
function licences(modules) {
  const packages = new Set(modules.filter((path) => path.includes(`${sep}node_modules${sep}`)).map(packageOf));
  return [...packages]
    .sort()
    .map((path) => {
      const { name, version, main } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
      const file = readdirSync(path).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file === undefined ? copyrightIn(join(path, main ?? '')) : readFileSync(join(path, file), 'utf8');
      if (text === undefined) throw new Error(`${name} has no licence file`);
      return `${name} ${version}\n\n${text.trim()}\n`;
    })
    .join('\n\n');
}

/**
 * Some packages have their licence only in a comment at the start of a module.
 * @param {string} main
 */
function copyrightIn(main) {
  return readdirSync(dirname(main))
    .filter((name) => /\.m?js$/.test(name))
    .map((name) => /^\/\*[\s\S]*?Copyright[\s\S]*?\*\//.exec(readFileSync(join(dirname(main), name), 'utf8'))?.[0])
    .find((text) => text !== undefined);
}

/** @param {string} path of a module inside a package */
function packageOf(path) {
  const at = path.lastIndexOf(`${sep}node_modules${sep}`);
  const parts = path.slice(at + `${sep}node_modules${sep}`.length).split(sep);
  const top = join(path.slice(0, at), 'node_modules', ...parts.slice(0, parts[0]?.startsWith('@') ? 2 : 1));
  return existsSync(join(top, 'package.json')) ? top : dirname(path);
}
