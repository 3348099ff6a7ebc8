// @ts-check
/**
 * What TypeScript's checker says about a tree without installed packages. What it cannot find is missing in the base and in
 * the proposed tree alike, so only new errors count.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** @typedef {{ path: string, line: number, code: string, message: string }} Problem */

const require = createRequire(import.meta.url);
const LAUNCHER = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');

export const TYPESCRIPT = `typescript ${require('typescript/package.json').version}`;

/** Kinds of a failure, by the checker's codes. All others are of the kind `type`. */
const KINDS = new Map([
  ...['TS2307', 'TS2792', 'TS2306'].map((code) => /** @type {const} */ ([code, 'module'])),
  ...['TS2305', 'TS2724', 'TS2614', 'TS2613', 'TS2459', 'TS2460', 'TS1192', 'TS2694'].map(
    (code) => /** @type {const} */ ([code, 'export']),
  ),
  ...['TS2339', 'TS2551'].map((code) => /** @type {const} */ ([code, 'member'])),
  ...['TS2554', 'TS2555', 'TS2556', 'TS2575', 'TS2558', 'TS2314', 'TS2707'].map(
    (code) => /** @type {const} */ ([code, 'arguments']),
  ),
  ...['TS2304', 'TS2552', 'TS2503'].map((code) => /** @type {const} */ ([code, 'name'])),
]);

/** @param {Problem} problem */
export function typescriptKind({ code }) {
  return KINDS.get(code) ?? 'type';
}

/**
 * @param {string} folder
 * @param {readonly string[]} paths all files of the tree
 * @param {readonly string[]} sources those to check
 * @returns {Problem[]}
 */
export function typescriptProblems(folder, paths, sources) {
  const packages = packagesIn(folder, paths);
  const config = `${folder}.tsconfig.json`;
  writeFileSync(
    config,
    JSON.stringify({ compilerOptions: optionsOf(folder, packages), files: sources.map((path) => join(folder, path)) }),
  );
  const { stdout, status, stderr } = spawnSync(process.execPath, [LAUNCHER, '-p', config, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: 300_000,
  });
  if (status === null || (status !== 0 && !stdout.includes('error TS')))
    throw new Error(`the checker failed: ${stderr.slice(0, 500)}${stdout.slice(0, 500)}`);
  const names = [...packages.keys()];
  return stdout.split('\n').flatMap((line) => {
    const match = /^(.+?)\((\d+),\d+\): error (TS\d+): (.*)$/.exec(line);
    if (match === null || match[1] === undefined) return [];
    const [, path, at, code = '', message = ''] = match;
    return isOfPackage(code, message, names)
      ? []
      : [{ path, line: Number(at), code, message: message.replaceAll(`${folder}/`, '') }];
  });
}

/** Whether an error only says that a package is not installed. @param {string} code @param {string} message @param {readonly string[]} names */
function isOfPackage(code, message, names) {
  if (code !== 'TS2307' && code !== 'TS2792' && code !== 'TS7016') return false;
  const from = /'([^']+)'/.exec(message)?.[1] ?? '';
  return !from.startsWith('.') && !names.some((name) => from === name || from.startsWith(`${name}/`));
}

/** @param {string} folder @param {ReadonlyMap<string, string>} packages */
function optionsOf(folder, packages) {
  /** @type {Record<string, string[]>} */
  const paths = {};
  for (const [name, dir] of packages) {
    const at = join(folder, dir);
    paths[name] = [join(at, 'src/index.ts'), join(at, 'src/index.tsx'), join(at, 'src'), join(at, 'index.ts')];
    paths[`${name}/*`] = [join(at, 'src/*'), join(at, '*')];
  }
  const own = existsSync(join(folder, 'tsconfig.json')) ? aliasesIn(folder) : {};
  return {
    ...{ noEmit: true, strict: true, noImplicitAny: false, useUnknownInCatchVariables: false, skipLibCheck: true },
    ...{ target: 'esnext', module: 'esnext', moduleResolution: 'bundler', lib: ['esnext', 'dom', 'dom.iterable'] },
    ...{
      allowImportingTsExtensions: true,
      experimentalDecorators: true,
      resolveJsonModule: true,
      jsx: 'preserve',
      types: [],
    },
    paths: { ...paths, ...own },
  };
}

/** The project's own aliases. @param {string} folder @returns {Record<string, string[]>} */
function aliasesIn(folder) {
  const text = readFileSync(join(folder, 'tsconfig.json'), 'utf8');
  try {
    const { compilerOptions: { baseUrl = '.', paths = {} } = {} } = JSON.parse(
      text.replaceAll(/^\s*\/\/.*$|\/\*[\s\S]*?\*\/(?=\s*$)/gm, '').replaceAll(/,(\s*[}\]])/g, '$1'),
    );
    return Object.fromEntries(
      Object.entries(paths).map(([name, to]) => [
        name,
        to.map((/** @type {string} */ one) => join(folder, baseUrl, one)),
      ]),
    );
  } catch {
    return {};
  }
}

/** @param {string} folder @param {readonly string[]} paths @returns {Map<string, string>} names of packages, with their folders */
function packagesIn(folder, paths) {
  const found = new Map();
  for (const path of paths) {
    if (!path.endsWith('/package.json') || /(^|\/)(node_modules|fixtures?|templates?|examples?)\//.test(path)) continue;
    const file = join(folder, path);
    if (!existsSync(file)) continue;
    try {
      const { name } = JSON.parse(readFileSync(file, 'utf8'));
      if (typeof name === 'string' && !found.has(name)) found.set(name, dirname(path));
    } catch {
      // A package whose description cannot be read has no name.
    }
  }
  return found;
}
