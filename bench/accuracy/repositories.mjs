// @ts-check
/** The public repositories of the corpus. */

/**
 * @typedef {'typescript' | 'python' | 'go' | 'rust' | 'java'} CorpusLanguage
 * @typedef {object} Repository
 * @property {string} name as on GitHub
 * @property {CorpusLanguage} language
 * @property {readonly string[]} folders only files below these count; empty: all
 * @property {readonly string[]} [roots] Python: where imports start
 */

/** @type {readonly Repository[]} */
export const REPOSITORIES = [
  { name: 'honojs/hono', language: 'typescript', folders: ['src', 'runtime-tests'] },
  { name: 'kysely-org/kysely', language: 'typescript', folders: ['src', 'test'] },
  { name: 'vuejs/core', language: 'typescript', folders: ['packages', 'packages-private'] },
  { name: 'ReactiveX/rxjs', language: 'typescript', folders: ['src', 'spec', 'packages'] },
  { name: 'mikro-orm/mikro-orm', language: 'typescript', folders: ['packages'] },
  { name: 'TanStack/query', language: 'typescript', folders: ['src', 'packages'] },
  { name: 'trpc/trpc', language: 'typescript', folders: ['packages'] },
  { name: 'colinhacks/zod', language: 'typescript', folders: ['src', 'packages'] },
  { name: 'pypa/pip', language: 'python', folders: ['src/pip/_internal', 'pip', 'tests'], roots: ['src', '.'] },
  { name: 'python-poetry/poetry', language: 'python', folders: ['src', 'poetry', 'tests'], roots: ['src', '.'] },
  { name: 'pallets/werkzeug', language: 'python', folders: ['src', 'werkzeug', 'tests'], roots: ['src', '.'] },
  { name: 'pallets/flask', language: 'python', folders: ['src', 'flask', 'tests', 'examples'], roots: ['src', '.'] },
  { name: 'encode/httpx', language: 'python', folders: ['httpx', 'tests'], roots: ['.'] },
  { name: 'scrapy/scrapy', language: 'python', folders: ['scrapy', 'tests'], roots: ['.'] },
  { name: 'pytest-dev/pytest', language: 'python', folders: ['src', '_pytest', 'testing'], roots: ['src', '.'] },
  { name: 'fastapi/fastapi', language: 'python', folders: ['fastapi', 'tests'], roots: ['.'] },
  { name: 'gin-gonic/gin', language: 'go', folders: [] },
  { name: 'spf13/cobra', language: 'go', folders: [] },
  { name: 'junegunn/fzf', language: 'go', folders: [] },
  { name: 'clap-rs/clap', language: 'rust', folders: [] },
  { name: 'BurntSushi/ripgrep', language: 'rust', folders: [] },
  { name: 'sharkdp/bat', language: 'rust', folders: [] },
  { name: 'apache/commons-lang', language: 'java', folders: [] },
  { name: 'jhy/jsoup', language: 'java', folders: [] },
  { name: 'google/gson', language: 'java', folders: [] },
];

/** @type {Record<CorpusLanguage, readonly string[]>} */
export const EXTENSIONS = {
  typescript: ['ts', 'tsx', 'mts', 'cts'],
  python: ['py', 'pyi'],
  go: ['go'],
  rust: ['rs'],
  java: ['java'],
};

/** @type {Record<CorpusLanguage, RegExp>} */
export const CODE = {
  typescript: /\.(ts|tsx|mts|cts)$/,
  python: /\.pyi?$/,
  go: /\.go$/,
  rust: /\.rs$/,
  java: /\.java$/,
};

/**
 * @param {Repository} repository
 * @param {string} path
 */
export function isOwnCode({ language, folders }, path) {
  if (!CODE[language].test(path)) return false;
  if (/(^|\/)(dist|build|node_modules|deno_lib|deno|_vendor|fixtures?|benchmarks?)\//.test(path)) return false;
  return folders.length === 0 || folders.some((folder) => path.startsWith(`${folder}/`));
}
