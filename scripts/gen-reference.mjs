#!/usr/bin/env node
// @ts-check
/**
 * Generates docs/reference/ from the tables and the types of the built packages. Builds first.
 * Usage: node scripts/gen-reference.mjs [--check]
 * With --check nothing is written, and the exit status is 1 if a page is out of date.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { libraryParts } from './reference/library-page.mjs';
import { commandLinePage, configurationPage, errorsPage, libraryPage, verbsPage } from './reference/pages.mjs';
import { TOP, tool } from './steps.mjs';

const FOLDER = 'docs/reference';

/**
 * @param {string} path from the project's top. Computed at run time, so that type checking does not depend on the
 * build.
 */
const load = (path) => import(pathToFileURL(join(TOP, path)).href);

/** @returns {Promise<Record<string, string>>} page text by page name */
async function makePages() {
  const { configSchema, ERROR_CODES, OPTION_KEYS, schemasOf, specOf, VERBS } = {
    ...(await load('packages/core/dist/index.js')),
    ...(await load('packages/core/dist/frontend.js')),
  };
  const { z } = await load('packages/core/dist/verbs/shapes/shapes.js');
  const { COMMANDS } = await load('packages/cli/dist/commands/table.js');
  const verbs = await Promise.all(
    Object.entries(VERBS).map(async ([key, verb]) => {
      const { input, output } = await schemasOf(verb);
      return {
        key,
        verb,
        input: z.toJSONSchema(input, { io: 'input' }),
        output: z.toJSONSchema(output, { io: 'input' }),
      };
    }),
  );
  const commands = await Promise.all(
    COMMANDS.filter((/** @type {any} */ row) => !row.isHidden).map(async (/** @type {any} */ row) => ({
      ...row,
      ...(await row.load()),
    })),
  );
  /** @param {string} name */
  const introOf = (name) => readFileSync(join(TOP, 'scripts/reference', name), 'utf8').trim();
  return {
    'cli.md': commandLinePage({ commands, intro: introOf('command-line.md') }),
    'library.md': libraryPage(libraryParts(join(TOP, 'packages/core/dist'), introOf('library.md'))),
    'verbs.md': verbsPage(verbs),
    'errors.md': errorsPage(ERROR_CODES),
    'options.md': configurationPage(OPTION_KEYS.map((/** @type {string} */ key) => ({ key, ...specOf(key) }))),
    'config.schema.json': `${JSON.stringify(configSchema('user'), null, 2)}\n`,
    'savepoint.schema.json': `${JSON.stringify(configSchema('project'), null, 2)}\n`,
  };
}

/** @param {string} path */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null;
    throw error;
  }
}

const build = spawnSync(process.execPath, [tool('typescript', 'tsc'), '-b'], { cwd: TOP, stdio: 'inherit' });
if (build.status !== 0) process.exit(1);
const stale = Object.entries(await makePages()).filter(([name, text]) => textOf(join(TOP, FOLDER, name)) !== text);
if (process.argv.includes('--check')) {
  for (const [name] of stale) console.error(`${FOLDER}/${name} is not what the tables say: run \`npm run reference\``);
  if (stale.length > 0) process.exitCode = 1;
  else console.log('reference: as the tables say');
} else {
  mkdirSync(join(TOP, FOLDER), { recursive: true });
  for (const [name, text] of stale) {
    writeFileSync(join(TOP, FOLDER, name), text);
    console.log(`${FOLDER}/${name}`);
  }
}
