// @ts-check
/** Builds the page of Studio with Vite, unless nothing has changed since the last build. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOP } from './steps.mjs';

const studio = join(TOP, 'packages/studio');
const web = join(studio, 'web');
const page = join(studio, 'dist/page');
/** The only code of the engine that runs in the page. */
const shownText = join(TOP, 'packages/core/dist/content/show-name.js');
const stamp = join(studio, 'dist/page.json');

/**
 * @typedef {object} Page
 * @property {string} folder with the built files
 * @property {readonly string[]} modules that are in it; absolute paths
 */

/** @returns {Promise<Page>} */
export async function buildPage() {
  const key = keyOfSources();
  const known = existsSync(stamp) && existsSync(page) ? JSON.parse(readFileSync(stamp, 'utf8')) : null;
  if (known?.key === key) return { folder: page, modules: known.modules };
  const modules = await build();
  writeFileSync(stamp, JSON.stringify({ key, modules }));
  return { folder: page, modules };
}

/** The sources, the versions of everything that is installed, and this script. */
function keyOfSources() {
  const sources = readdirSync(web, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const digest = createHash('sha256');
  for (const file of [...sources, shownText, join(TOP, 'package-lock.json'), import.meta.filename])
    digest.update(`${file}\0`).update(createHash('sha256').update(readFileSync(file)).digest());
  return digest.digest('hex');
}

/** @returns {Promise<readonly string[]>} */
async function build() {
  // Loaded on demand, because it takes longer than the check.
  const vite = await import('vite');
  const built = await vite.build({
    root: web,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    build: {
      outDir: page,
      emptyOutDir: true,
      target: 'es2023',
      // The content policy allows no data: address.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      sourcemap: false,
      reportCompressedSize: false,
      rolldownOptions: {
        // Libraries mark modules for servers that render React. This page is only drawn in a browser.
        onwarn: (warning, warn) => {
          if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
        },
      },
    },
  });
  const outputs = [built].flat().flatMap((one) => ('output' in one ? one.output : []));
  return outputs.flatMap((one) => (one.type === 'chunk' ? one.moduleIds : [])).filter((id) => existsSync(id));
}
