// @ts-check
import { posix } from 'node:path';
import {
  CHANGING_FUNCTIONS,
  CHANGING_LAYERS,
  CHANGING_METHODS,
  knowsTheMachine,
  LEVELS,
  layerOf,
  levelOf,
  PACKAGES,
  PURE_MODULES,
  TRANSACTION,
  TRANSACTION_CALLERS,
} from './layers.mjs';
import { lineAt } from './read-source.mjs';

/** The rules of the layers. Each rule checks one file or all files, and reports breaches with a reason. */

/**
 * @typedef {import('./read-source.mjs').Source & { readonly path: string }} File
 *   `path` from the project's top, with slashes
 * @typedef {{
 *   readonly path: string, readonly line: number, readonly rule: string,
 *   readonly found: string, readonly reason: string
 * }} Breach
 * @typedef {(file: File) => Generator<Breach>} Rule
 */

const CORE = 'packages/core/src/';

/** @param {File} file the path inside the engine's sources, or null */
const inEngine = (file) => (file.path.startsWith(CORE) ? file.path.slice(CORE.length) : null);

/** Resolves a relative import, from the project's top. @param {File} file @param {string} specifier */
const target = (file, specifier) => posix.join(posix.dirname(file.path), specifier);

/** @type {Rule} */
export function* order(file) {
  const own = inEngine(file);
  if (own === null) return;
  const reason =
    'A layer imports only from lower levels, and not from layers of its own level: ' +
    `${LEVELS.map((level) => level.join(', ')).join(' < ')}.`;
  const from = layerOf(own);
  if (levelOf(from) < 0) {
    yield { path: file.path, line: 1, rule: 'order', found: `layer ${from} is not in the order`, reason };
    return;
  }
  for (const { specifier, line } of file.imports) {
    if (!specifier?.startsWith('.')) continue;
    const to = target(file, specifier);
    if (!to.startsWith(CORE)) {
      yield { path: file.path, line, rule: 'order', found: `${specifier} is outside the engine`, reason };
      continue;
    }
    const layer = layerOf(to.slice(CORE.length));
    if (layer === from || levelOf(layer) < 0) continue;
    const sideways = from === 'content' || from === 'code' ? layer !== 'model' : levelOf(layer) >= levelOf(from);
    if (sideways) yield { path: file.path, line, rule: 'order', found: `${from} imports ${layer}`, reason };
  }
}

/** @type {Rule} */
export function* machineByPortsOnly(file) {
  const own = inEngine(file);
  if (own === null || knowsTheMachine(own)) return;
  const rule = 'ports';
  for (const { specifier, line } of file.imports) {
    if (specifier === null) {
      const reason = 'The imports of the engine must be readable from its source.';
      yield { path: file.path, line, rule, found: 'an import of a computed module', reason };
    } else if (NODE_MODULES.has(specifier.replace(/^node:/, '').split('/')[0] ?? '') && !PURE_MODULES.has(specifier)) {
      const allowed = [...PURE_MODULES].map(([name, why]) => `${name} (${why})`).join(', ');
      const reason = `The engine reaches the machine through ports, so that tests can replace and break it. Allowed: ${allowed}.`;
      yield { path: file.path, line, rule, found: `import of ${specifier}`, reason };
    } else if (specifier.startsWith('.') && knowsTheMachine(target(file, specifier).slice(CORE.length))) {
      const reason = 'Drivers are passed in from outside. An engine that imports one cannot run on another.';
      yield { path: file.path, line, rule, found: `import of the driver ${specifier}`, reason };
    }
  }
  for (const { pattern, reason } of MACHINE_GLOBALS) {
    for (const match of file.code.matchAll(pattern)) {
      const found = match[0].replace(/\s+/g, ' ').trim();
      yield { path: file.path, line: lineAt(file.code, match.index), rule, found, reason };
    }
  }
}

const NODE_MODULES = new Set(
  (
    'assert async_hooks buffer child_process cluster console crypto dgram diagnostics_channel dns domain events fs http ' +
    'http2 https inspector module net os path perf_hooks process punycode querystring readline repl sea sqlite stream ' +
    'string_decoder test timers tls trace_events tty url util v8 vm wasi worker_threads zlib'
  ).split(' '),
);

const NOT_A_MEMBER = String.raw`(?<![.\w$#])(?:globalThis\s*\.\s*)?`;
const TIME = 'Time comes from the Clock port, so that tests can set it.';
const RANDOMNESS = 'Randomness comes from the Random port, so that tests can be repeated.';
const MACHINE_GLOBALS = [
  {
    pattern: `${NOT_A_MEMBER}console\\b(?!\\s*:)`,
    reason: 'The engine never prints: its caller may own the terminal or a protocol.',
  },
  {
    pattern: `${NOT_A_MEMBER}process\\s*(?:\\?\\.|\\.|\\[)|=\\s*process\\b(?!\\s*[.([?])`,
    reason: 'The engine reads no environment: two callers in one process may differ.',
  },
  { pattern: `${NOT_A_MEMBER}Date\\s*\\.\\s*now\\b`, reason: TIME },
  { pattern: `(?<!\\bnew\\s+)${NOT_A_MEMBER}Date\\s*\\(`, reason: TIME },
  { pattern: '\\bnew\\s+Date\\b(?!\\s*\\(\\s*[^\\s)])', reason: TIME },
  { pattern: `${NOT_A_MEMBER}performance\\s*\\.`, reason: TIME },
  { pattern: `${NOT_A_MEMBER}set(?:Timeout|Interval|Immediate)\\b`, reason: TIME },
  { pattern: `${NOT_A_MEMBER}Math\\s*\\.\\s*random\\b`, reason: RANDOMNESS },
  {
    pattern: '\\b(?:randomBytes|randomUUID|randomInt|randomFill|randomFillSync|getRandomValues)\\b',
    reason: RANDOMNESS,
  },
].map(({ pattern, reason }) => ({ pattern: new RegExp(pattern, 'g'), reason }));

/** @type {Rule} */
export function* onlyTransactionsWrite(file) {
  const own = inEngine(file);
  if (own === null || CHANGING_LAYERS.includes(layerOf(own)) || knowsTheMachine(own)) return;
  const reason =
    'Only transaction/ changes a workspace (and store/ and copy/ their own folders), because only there is a change staged, ' +
    'backed up and journalled. Use a transaction, or a function of the store.';
  const methods = CHANGING_METHODS.join('|');
  const forms = [
    // fs.rename(…), this.#fs?.rename, ports.fs!.rename
    { pattern: new RegExp(`\\bfs\\s*(?:\\?\\.|!?\\s*\\.)\\s*(?:${methods})\\b`, 'g'), hidden: false },
    { pattern: /\bfs\s*(?:\?\.\s*)?!?\s*\[/g, hidden: false },
    { pattern: new RegExp(`\\{[^{}]*\\b(?:${methods})\\b[^{}]*\\}\\s*=\\s*[^;\\n]*\\bfs\\b`, 'g'), hidden: false },
    // another name for the port would hide such calls
    { pattern: /(?<![\w$#])(?!fs\b)[\w$]+\??\s*:\s*Fs\b(?!\s*\[)/g, hidden: true },
    { pattern: /\b(?:const|let|var)\s+(?!fs\b)[\w$]+\s*=\s*(?:[\w$.#!]*\.)?#?fs\s*[;,\n]/g, hidden: true },
    { pattern: /\bfs\s*:\s*(?!fs\b)[a-z][\w$]*\s*[,}](?=[^;]*=)/g, hidden: true },
  ];
  for (const { pattern, hidden } of forms) {
    for (const match of file.code.matchAll(pattern)) {
      const what = match[0].replace(/\s+/g, ' ').trim();
      const found = hidden ? `${what} (call the port fs; otherwise this rule cannot check it)` : what;
      yield { path: file.path, line: lineAt(file.code, match.index), rule: 'one-writer', found, reason };
    }
  }
  for (const { names, line } of file.imports) {
    for (const name of names) {
      if (CHANGING_FUNCTIONS.includes(name))
        yield { path: file.path, line, rule: 'one-writer', found: `import of ${name}`, reason };
    }
  }
}

/** @type {Rule} */
export function* oneCallerOfTransactions(file) {
  const own = inEngine(file);
  if (own === null || TRANSACTION_CALLERS.includes(layerOf(own))) return;
  const reason =
    'Only operation/carry-out.ts runs transactions, so that everything that changes a workspace publishes, keeps ' +
    'backups and fails in the same way. Pass it a change set and a publication.';
  for (const { specifier, line } of file.imports) {
    if (specifier?.startsWith('.') && target(file, specifier) === `${CORE}${TRANSACTION}`) {
      yield { path: file.path, line, rule: 'one-caller', found: `import of ${TRANSACTION}`, reason };
    }
  }
}

/** @type {Rule} */
export function* packagesInTheirLayers(file) {
  const own = inEngine(file);
  if (own === null) return;
  const layer = layerOf(own);
  for (const { specifier, line } of file.imports) {
    if (specifier === null || specifier.startsWith('.') || specifier.startsWith('node:')) continue;
    const name = specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/');
    const homes = PACKAGES.get(name);
    const rule = 'packages';
    if (name.startsWith('@savepoint/')) {
      const reason = 'The engine imports none of its front ends, and its own files by relative paths.';
      yield { path: file.path, line, rule, found: `import of ${name}`, reason };
    } else if (homes !== undefined && !homes.includes(layer)) {
      const reason = `${name} is used in ${homes.join('/ and ')}/ only, so that it can be replaced in one place.`;
      yield { path: file.path, line, rule, found: `${layer} imports ${name}`, reason };
    } else if (homes === undefined && (layer === 'model' || layer === 'content')) {
      const reason =
        layer === 'model'
          ? 'model/ imports nothing: every layer depends on it.'
          : 'content/ imports model, diff and node-diff3 only.';
      yield { path: file.path, line, rule, found: `${layer} imports ${name}`, reason };
    }
  }
}

/** @type {Rule} */
export function* frontEndsOnlyRender(file) {
  const own = /^packages\/([^/]+)\/(?:src|server|web)\//.exec(file.path)?.[1];
  if (own === undefined || own === 'core') return;
  const rule = 'front-ends';
  for (const { specifier, line } of file.imports) {
    if (specifier === null) continue;
    if (specifier.startsWith('.')) {
      if (target(file, specifier).startsWith(`packages/${own}/`)) continue;
      const reason = 'A package imports another one by its name, through its exports.';
      yield { path: file.path, line, rule, found: `import of ${specifier}`, reason };
    } else if (specifier.startsWith('@savepoint/core') && !ENTRIES.includes(specifier)) {
      const reason = `A front end only renders: it imports ${ENTRIES.join(', ')}, so that every decision stays in the engine.`;
      yield { path: file.path, line, rule, found: `import of ${specifier}`, reason };
    } else if (specifier.startsWith('@savepoint/testkit') && own !== 'testkit') {
      const reason = 'The testkit is private: published code must not need it.';
      yield { path: file.path, line, rule, found: `import of ${specifier}`, reason };
    }
  }
}

/** The only modules that may load another front end: the command serves MCP and Studio, runs hooks, and installs them. */
const FRONT_END_LOADERS = new Map([
  ['@savepoint/mcp', 'packages/cli/src/commands/agents/mcp.ts'],
  ['@savepoint/agents', 'packages/cli/src/agents.ts'],
  ['@savepoint/s3', 'packages/cli/src/exporter.ts'],
  ['@savepoint/studio', 'packages/cli/src/commands/studio/studio.ts'],
  ['@savepoint/agents/hook', 'packages/cli/src/hook.ts'],
]);

/**
 * The library of the MCP server may only be imported here. It stays replaceable, and nothing else depends on its types.
 */
const MCP_LIBRARY = '@modelcontextprotocol/';
const MCP_MODULES = /^packages\/mcp\/src\/(?:index|server|wire\/transport)\.ts$/;

/** What agents are built on. We only match its types structurally, so that we do not choose a version for the agent. */
const AGENT_LIBRARY = /^(?:ai|@ai-sdk\/[^/]+)(?:\/|$)/;

/** @type {Rule} */
export function* frontEndsAreIndependent(file) {
  const rule = 'front-ends';
  for (const { specifier, line } of file.imports) {
    if (specifier === null) continue;
    const loader = FRONT_END_LOADERS.get(specifier);
    if (loader !== undefined && loader !== file.path) {
      const reason = `Front ends do not need each other. Only ${loader} loads this one, lazily, so that other commands start fast.`;
      yield { path: file.path, line, rule, found: `import of ${specifier}`, reason };
    }
    if (specifier.startsWith(MCP_LIBRARY) && !MCP_MODULES.test(file.path)) {
      const reason = 'Only the server and its transport use the library of the protocol. Tools are data.';
      yield { path: file.path, line, rule, found: `import of ${specifier}`, reason };
    }
    if (AGENT_LIBRARY.test(specifier)) {
      const reason =
        'The agent chooses the version of the AI SDK. Our tools have the shape that it expects, and import nothing from it.';
      yield { path: file.path, line, rule, found: `import of ${specifier}`, reason };
    }
  }
}

const ENTRIES = ['', '/frontend', '/node', '/ports', '/text', '/tools'].map((entry) => `@savepoint/core${entry}`);

/** @type {Rule} */
export function* namesSayWhat(file) {
  const empty = file.path
    .split('/')
    .find((part) => /^(?:.*[-.])?(?:utils?|helpers?|managers?|misc|common)(?:\.[^/]*)?$/i.test(part));
  if (empty === undefined) return;
  const reason =
    'Such a name says nothing, and the file only grows. Put a helper next to its caller, in a file named after what it does.';
  yield { path: file.path, line: 1, rule: 'names', found: empty, reason };
}

/** @type {readonly Rule[]} */
export const RULES = [
  order,
  machineByPortsOnly,
  onlyTransactionsWrite,
  oneCallerOfTransactions,
  packagesInTheirLayers,
  frontEndsOnlyRender,
  frontEndsAreIndependent,
  namesSayWhat,
];

/**
 * Reports import cycles, including type imports: one breach for each import that closes a cycle.
 * @param {readonly File[]} files
 * @returns {Generator<Breach>}
 */
export function* noCycles(files) {
  const byPath = new Map(files.map((file) => [file.path, file]));
  /** @type {Map<string, 'open' | 'done'>} */
  const state = new Map();
  /** @type {string[]} */
  const trail = [];

  /** @param {File} file @returns {Generator<Breach>} */
  function* visit(file) {
    state.set(file.path, 'open');
    trail.push(file.path);
    for (const { specifier, line } of file.imports) {
      if (!specifier?.startsWith('.')) continue;
      const next = byPath.get(target(file, specifier));
      if (next === undefined || state.get(next.path) === 'done') continue;
      if (state.get(next.path) === 'open') {
        const cycle = [...trail.slice(trail.indexOf(next.path)), next.path].map((path) => posix.basename(path));
        const reason = 'Files in a cycle can only be understood, tested and loaded together.';
        yield { path: file.path, line, rule: 'cycles', found: cycle.join(' → '), reason };
      } else yield* visit(next);
    }
    trail.pop();
    state.set(file.path, 'done');
  }
  for (const file of files) if (!state.has(file.path)) yield* visit(file);
}
