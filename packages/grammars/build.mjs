#!/usr/bin/env node
// @ts-check
/**
 * Copies the grammars from their packages: `node packages/grammars/build.mjs [FOLDER]`. The result is committed, because
 * those packages have install scripts that compile, and 200 MB of programs that we do not need. Needs the registry.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));

/** Their name here, and the file in the package. */
const FILES = {
  c: 'tree-sitter-c/tree-sitter-c.wasm',
  'c-sharp': 'tree-sitter-c-sharp/tree-sitter-c_sharp.wasm',
  cpp: 'tree-sitter-cpp/tree-sitter-cpp.wasm',
  go: 'tree-sitter-go/tree-sitter-go.wasm',
  java: 'tree-sitter-java/tree-sitter-java.wasm',
  php: 'tree-sitter-php/tree-sitter-php.wasm',
  python: 'tree-sitter-python/tree-sitter-python.wasm',
  ruby: 'tree-sitter-ruby/tree-sitter-ruby.wasm',
  rust: 'tree-sitter-rust/tree-sitter-rust.wasm',
  // The parser that runs them.
  'web-tree-sitter': 'web-tree-sitter/web-tree-sitter.wasm',
};

copyGrammars(process.argv[2] ?? join(HERE, 'prebuilt'));

/** @param {string} to a folder */
function copyGrammars(to) {
  const work = mkdtempSync(join(tmpdir(), 'savepoint-grammars-'));
  try {
    cpSync(join(HERE, 'pinned'), work, { recursive: true });
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', args, { cwd: work, stdio: 'pipe', timeout: 5 * 60_000 });
    const modules = join(work, 'node_modules');
    mkdirSync(to, { recursive: true });
    for (const [name, file] of Object.entries(FILES))
      writeFileSync(join(to, `${name}.wasm`), readFileSync(join(modules, file)));
    const packages = Object.values(FILES).map((file) => dirname(file));
    writeFileSync(join(to, 'LICENSES.txt'), packages.map((name) => licenceOf(join(modules, name))).join('\n\n'));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {string} folder of a package */
function licenceOf(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence file`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
