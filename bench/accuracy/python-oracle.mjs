// @ts-check
/**
 * What pyright says about a tree without installed packages. Only rules count whose violation fails when the code runs: a
 * type that does not fit does not fail in Python. Dotted names in strings, such as in `mock.patch("package.module.name")`,
 * are checked as imports in a file of our own.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * @typedef {import('./typescript-oracle.mjs').Problem} Problem
 * @typedef {{ path: string, line: number, text: string }} Probe
 *
 * @typedef {object} PythonTree
 * @property {string} folder
 * @property {readonly string[]} roots where imports start
 * @property {readonly string[]} paths all files
 * @property {readonly string[]} sources files to check
 */

const PROBE = 'savepoint_probe.py';
const ARGUMENTS = /^(Expected \d+ (more )?positional argument|No parameter named|Arguments? missing for parameter)/;

/** @param {Problem} problem */
export function pythonKind({ code, message }) {
  if (code === 'text') return 'text';
  if (code === 'reportMissingImports') return 'module';
  if (code === 'reportCallIssue') return 'arguments';
  if (code === 'reportUndefinedVariable') return 'name';
  if (/unknown import symbol|known attribute of module/.test(message)) return 'export';
  return code === 'reportAttributeAccessIssue' ? 'member' : 'type';
}

/**
 * Checks several trees with one process, which saves most of the time.
 * @param {string} pyright its entry, `index.js`
 * @param {string} top the folder that the folders of the trees are in
 * @param {readonly PythonTree[]} trees
 * @returns {Problem[][]} for each tree
 */
export function pythonProblems(pyright, top, trees) {
  const probes = trees.map(({ folder, roots, sources }) => writeProbe(folder, roots, sources));
  const config = join(top, 'pyrightconfig.json');
  writeFileSync(config, JSON.stringify(configOf(trees)));
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--max-old-space-size=4000', pyright, '-p', config, '--outputjson'],
    {
      cwd: top,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      timeout: 600_000,
      // Without an interpreter it finds no packages that happen to be installed on this machine.
      env: { PATH: top },
    },
  );
  for (const { folder } of trees) rmSync(join(folder, PROBE), { force: true });
  if (!stdout.startsWith('{')) throw new Error(`pyright failed: ${stderr.slice(0, 500)}${stdout.slice(0, 500)}`);
  const { generalDiagnostics } = JSON.parse(stdout);
  return trees.map(({ folder, roots, paths }, nth) => {
    const own = new Set(roots.flatMap((root) => topsIn(root, paths)));
    return generalDiagnostics
      .filter((/** @type {any} */ { file }) => file.startsWith(`${folder}/`))
      .flatMap((/** @type {any} */ one) => problemIn(folder, own, probes[nth] ?? [], one));
  });
}

/** @param {string} folder @param {ReadonlySet<string>} own @param {readonly Probe[]} probes @param {any} one @returns {Problem[]} */
function problemIn(folder, own, probes, one) {
  const path = one.file.slice(folder.length + 1);
  const [message] = one.message.split('\n');
  const line = one.range.start.line + 1;
  if (path !== PROBE)
    return counts(one.rule, message, own) ? [{ path, line, code: one.rule ?? 'syntax', message }] : [];
  const probe = probes[line - 1];
  if (probe === undefined) return [];
  return [{ path: probe.path, line: probe.line, code: 'text', message: `"${probe.text}": ${message}` }];
}

/** @param {string | undefined} rule @param {string} message @param {ReadonlySet<string>} own first parts of the project's own modules */
function counts(rule, message, own) {
  if (rule === 'reportCallIssue') return ARGUMENTS.test(message);
  if (rule === 'reportMissingImports') {
    const from = /"([^"]+)"/.exec(message)?.[1] ?? '';
    return from.startsWith('.') || own.has(from.split('.')[0] ?? '');
  }
  if (rule === 'reportAttributeAccessIssue')
    return !/attribute "[^"]*" is unknown/.test(message) || /module/.test(message);
  return rule === undefined || rule === 'reportUndefinedVariable';
}

/** @param {readonly PythonTree[]} trees */
function configOf(trees) {
  const on = Object.fromEntries(
    ['reportAttributeAccessIssue', 'reportCallIssue', 'reportMissingImports', 'reportUndefinedVariable'].map((rule) => [
      rule,
      'error',
    ]),
  );
  return {
    include: trees.flatMap(({ folder, sources }) => [...sources, PROBE].map((path) => join(basename(folder), path))),
    executionEnvironments: trees.map(({ folder, roots }) => ({
      root: basename(folder),
      extraPaths: roots.map((root) => join(basename(folder), root)),
    })),
    pythonVersion: '3.12',
    pythonPlatform: 'Linux',
    typeCheckingMode: 'off',
    useLibraryCodeForTypes: false,
    ...on,
  };
}

/** @param {string} root @param {readonly string[]} sources */
function topsIn(root, sources) {
  const start = root === '.' ? '' : `${root}/`;
  return sources.flatMap((path) =>
    path.startsWith(start)
      ? [
          path
            .slice(start.length)
            .split('/')[0]
            ?.replace(/\.pyi?$/, '') ?? '',
        ]
      : [],
  );
}

/**
 * Writes an import for each dotted name in a string of a source whose first parts are a module of the project.
 * @param {string} folder @param {readonly string[]} roots @param {readonly string[]} sources
 * @returns {Probe[]} one for each line of the file
 */
function writeProbe(folder, roots, sources) {
  /** @type {{ path: string, line: number, text: string, code: string }[]} */
  const probes = [];
  for (const path of sources) {
    if (!existsSync(join(folder, path))) continue;
    for (const [at, line] of readFileSync(join(folder, path), 'utf8').split('\n').entries())
      for (const match of line.matchAll(
        /(?:patch|setattr|import_string|importorskip|import_module|load_object)\w*\(\s*["']([A-Za-z_]\w*(?:\.\w+)+)["']/g,
      )) {
        const code = importOf(folder, roots, match[1] ?? '', probes.length);
        if (code !== null) probes.push({ path, line: at + 1, text: match[1] ?? '', code });
      }
  }
  writeFileSync(join(folder, PROBE), `${probes.map(({ code }) => code).join('\n')}\n`);
  return probes;
}

/** @param {string} folder @param {readonly string[]} roots @param {string} dotted @param {number} n */
function importOf(folder, roots, dotted, n) {
  const parts = dotted.split('.');
  for (let length = parts.length; length > 0; length--) {
    const path = parts.slice(0, length).join('/');
    const isModule = roots.some(
      (root) => existsSync(join(folder, root, `${path}.py`)) || existsSync(join(folder, root, path, '__init__.py')),
    );
    if (!isModule) continue;
    const module = parts.slice(0, length).join('.');
    const [name, ...rest] = parts.slice(length);
    if (name === undefined) return `import ${module}`;
    return `from ${module} import ${name} as p${n}${rest.length > 0 ? `; p${n}.${rest[0]}` : ''}`;
  }
  return null;
}
