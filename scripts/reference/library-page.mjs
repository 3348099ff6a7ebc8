// @ts-check
import { join } from 'node:path';
import { declarationOf, exportedNames, withoutComments } from './declarations.mjs';

/** @typedef {import('./declarations.mjs').Declaration} Declaration */

/** The calls of `Savepoint`, by subject. */
const CALLS = {
  CheckpointCalls: 'Checkpoints',
  RewindCalls: 'Restore, rollback, undo and redo',
  EditCalls: 'Edits',
  HistoryCalls: 'History and authors',
  FrozenPathCalls: 'Frozen paths',
  ScopeCalls: 'Scopes',
  BundleCalls: 'Bundles and exports',
  StoreCalls: 'The store',
  TestResultCalls: 'Test results',
  CheckCalls: 'Checks',
  FindingCalls: 'Findings',
  MapCalls: 'The map of the code',
  GuardCalls: 'The guard',
  PlanSourceCalls: 'Plans: where they come from',
  PlanCalls: 'Plans',
  PlanCommitCalls: 'Plans: commits',
  PlanPolicyCalls: 'Plans: what agents may apply',
  PlanModeCalls: 'Plan mode',
  CommentCalls: 'Comments',
  PlanRunCalls: 'Checking and applying plans',
  CopyCalls: 'Copies',
  ForkCalls: 'Forks',
  StateRunCalls: 'Bisect and replay',
  WorkspaceCalls: 'The workspace',
  OwnEntriesCalls: 'Entries of Savepoint in files of the user',
};

/** The names under which the package exports types of other names. */
const EXPORTED_AS = new Map([
  ['FileEdit', 'Edit'],
  ['FileEdits', 'FileRequest'],
]);

/** Types that are documented elsewhere, or that callers only pass on. */
const OMITTED = new Set([
  ...['ERROR_CODES', 'Ports', 'Places', 'SettingsSource', 'Exporter', 'LoadOwnEntries', 'CommandCaller', 'SessionHost'],
  ...['CallRecords', 'ProcessIdentity', 'OpenStore', 'RecordCache', 'StatCache', 'ScanMemory', 'FieldsOf', 'OutputOf'],
  ...['Journal', 'Mount', 'RemoteVerbs', 'HeadMove', 'CheckpointInfo', 'EffectiveSettings', 'Settings', 'Snapshot'],
  ...['Operation', 'OperationEvent', 'HunkId', 'ObjectId', 'RecordedIndex', 'Random'],
]);

/**
 * The page about the library, from the types of the built package.
 * @param {string} built the folder with the package's `.d.ts` files @param {string} intro
 * @returns {readonly string[]} the parts of the page
 */
export function libraryParts(built, intro) {
  const [index, node] = [join(built, 'index.d.ts'), join(built, 'node.d.ts')];
  /** @param {string} name @param {string} from */
  const find = (name, from = index) => {
    const found = declarationOf(from, name);
    if (found === null) throw new Error(`${from} does not declare ${name}`);
    return found;
  };
  const savepoint = find('Savepoint');
  const session = find('Session');
  const calls = Object.entries(CALLS).map(([name, title]) => ({ title, declaration: find(name, savepoint.file) }));
  assertAllListed(savepoint);
  const planned = find('PlannedSession', session.file);
  const guarded = find('GuardedSession', planned.file);
  const scoped = find('ScopedSession', guarded.file);
  const notes = find('SessionNotes', scoped.file);
  const opening = [find('open', node), find('NodeOpenOptions', node), find('OpenOptions')];
  const first = [...opening, savepoint, session, planned, guarded, scoped, notes];
  const exported = new Map(exportedNames(index).map((name) => [keyOf(find(name)), { name, declaration: find(name) }]));
  const shown = new Set([...first, ...calls.map(({ declaration }) => declaration)].map(keyOf));
  const naming = [...calls, ...exported.values()].map(({ declaration }) => declaration);
  const used = [...naming, ...first].flatMap(typesIn);
  const others = new Map([
    ...used.map((declaration) => /** @type {const} */ ([keyOf(declaration), { name: declaration.name, declaration }])),
    ...exported,
  ]);
  const rest = [...others]
    .filter(([key, { name, declaration }]) => !shown.has(key) && !OMITTED.has(name) && !OMITTED.has(declaration.name))
    .map(([, other]) => other)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return [
    intro,
    '## Opening a workspace',
    ...first.slice(0, 3).map((declaration) => section('###', declaration.name, declaration)),
    '## Savepoint',
    described(savepoint),
    ...calls.map(({ title, declaration }) => section('###', title, declaration)),
    '## Session',
    described(session),
    '### With a guard',
    described(guarded),
    '### With a scope',
    described(scoped),
    '### Without waiting',
    described(notes),
    '## Other types',
    'What these calls take and return. Those that `@savepoint/core` exports are marked with ●.',
    ...rest.map(({ name, declaration }) => {
      const mark = exported.has(keyOf(declaration)) ? ' ●' : '';
      return section('###', `${name}${mark}`, declaration);
    }),
  ];
}

/** Each group of calls must have a title here. @param {Declaration} savepoint */
function assertAllListed({ text }) {
  const groups = /extends ([\w, ]+) \{/.exec(text)?.[1]?.split(', ') ?? [];
  const missing = groups.filter((name) => !Object.hasOwn(CALLS, name));
  if (missing.length > 0 || groups.length === 0) throw new Error(`no title for ${missing.join(', ')}`);
}

/** @param {Declaration} declaration */
const keyOf = ({ file, name }) => `${file}:${name}`;

/** The types of ours that a declaration names. @param {Declaration} declaration @returns {readonly Declaration[]} */
function typesIn({ file, text }) {
  const names = new Set(withoutComments(withoutInternals(text)).match(/\b[A-Z]\w+\b/g) ?? []);
  return [...names].flatMap((name) => declarationOf(file, name) ?? []);
}

/** @param {string} level @param {string} title @param {Declaration} declaration */
function section(level, title, declaration) {
  return `${level} ${title}\n\n${described(declaration)}`;
}

/** @param {Declaration} declaration */
function described({ doc, text }) {
  // Not a program of its own, as the examples are.
  const shown = withoutInternals(text).replaceAll(/\b\w+\b/g, (name) => EXPORTED_AS.get(name) ?? name);
  const code = `\`\`\`ts declaration\n${shown}\n\`\`\``;
  return doc === '' ? code : `${proseOf(doc)}\n\n${code}`;
}

/** What only the engine may use. @param {string} text */
function withoutInternals(text) {
  return text
    .replaceAll(/^export (?:declare )?/gm, '')
    .replaceAll(/^ {4}#private;\n/gm, '')
    .replaceAll(/^( {4}\/\*\*(?:(?!\*\/)[\s\S])*?\*\/\n)? {4}(?:constructor\(host: SessionHost|private )[^\n]*\n/gm, '')
    .replaceAll(/\{@link (\w+)\}/g, '$1')
    .replaceAll(/^( +)/gm, (spaces) => spaces.slice(0, Math.ceil(spaces.length / 2)));
}

/** @param {string} doc */
function proseOf(doc) {
  return doc
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
    .replaceAll(/\n?@(param|returns|throws|public)\b ?/g, (_, tag) => (tag === 'public' ? '' : `\n- *${tag}* `))
    .replace(/\n- \*/, '\n\n- *')
    .trim();
}
