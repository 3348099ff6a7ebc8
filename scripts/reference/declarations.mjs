// @ts-check
/** Reads the declarations of types that the compiler has written next to the built files. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * @typedef {{ readonly name: string, readonly doc: string, readonly text: string, readonly file: string }} Declaration
 * @typedef {{ readonly file: string, readonly name: string }} Source a file, and the name there
 * @typedef {{ readonly declared: ReadonlyMap<string, Declaration>, readonly taken: ReadonlyMap<string, Source> }} File
 */

const DECLARED = /^export (?:declare )?(?:abstract )?(?:interface|type|class|function|const) (\w+)/;
const TAKEN = /^(import|export) (?:type )?\{([^}]*)\} from '(\.[^']*)';/;
const BLOCK = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class)\b/;

/** @type {Map<string, File>} */
const known = new Map();

/**
 * Returns the declaration that a name means in a file, wherever it is; null if it is not ours.
 * @param {string} file a `.d.ts` file @param {string} name
 * @returns {Declaration | null}
 */
export function declarationOf(file, name) {
  const { declared, taken } = fileAt(file);
  const here = declared.get(name);
  if (here !== undefined) return here;
  const source = taken.get(name);
  return source === undefined ? null : declarationOf(source.file, source.name);
}

/** The names that a file exports, in its order. @param {string} file @returns {readonly string[]} */
export function exportedNames(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, word, names = ''] = TAKEN.exec(line) ?? [];
      if (word === 'export') return namesIn(names).map(([, name]) => name);
      return DECLARED.exec(line)?.slice(1, 2) ?? [];
    });
}

/** @param {string} file @returns {File} */
function fileAt(file) {
  const earlier = known.get(file);
  if (earlier !== undefined) return earlier;
  const lines = readFileSync(file, 'utf8').split('\n');
  /** @type {Map<string, Declaration>} */
  const declared = new Map();
  /** @type {Map<string, Source>} */
  const taken = new Map();
  let doc = '';
  for (let at = 0; at < lines.length; ) {
    const next = endOf(lines, at);
    const text = lines.slice(at, next).join('\n').trimEnd();
    at = next;
    if (text.startsWith('/**')) {
      doc = text;
      continue;
    }
    const [, , names, from] = TAKEN.exec(text) ?? [];
    const source = join(dirname(file), (from ?? '').replace(/\.ts$/, '.d.ts'));
    for (const [original, name] of namesIn(names ?? '')) taken.set(name, { file: source, name: original });
    const name = DECLARED.exec(text)?.[1];
    if (name !== undefined) declared.set(name, merged(declared.get(name), { name, doc: plain(doc), text, file }));
    doc = '';
  }
  const found = { declared, taken };
  known.set(file, found);
  return found;
}

/** A type and a value may have the same name. @param {Declaration | undefined} one @param {Declaration} other */
function merged(one, other) {
  if (one === undefined) return other;
  return { ...one, doc: one.doc === '' ? other.doc : one.doc, text: `${one.text}\n${other.text}` };
}

/** Where the declaration or comment ends that begins at this line. @param {readonly string[]} lines @param {number} at */
function endOf(lines, at) {
  if (lines[at]?.startsWith('/**')) return lines.findIndex((line, index) => index >= at && line.includes('*/')) + 1;
  const isBlock = BLOCK.test(lines[at] ?? '');
  for (let end = at + 1; end < lines.length; end += 1) {
    const code = withoutComments(lines.slice(at, end).join('\n')).trimEnd();
    const depth = (code.match(/[{[(]/g)?.length ?? 0) - (code.match(/[}\])]/g)?.length ?? 0);
    if (depth === 0 && (code.endsWith(';') || (isBlock && code.endsWith('}')))) return end;
  }
  return lines.length;
}

/** @param {string} text */
export function withoutComments(text) {
  return text.replaceAll(/\/\*\*[\s\S]*?\*\/|\/\/[^\n]*/g, '');
}

/** @param {string} list @returns {readonly (readonly [original: string, name: string])[]} */
function namesIn(list) {
  return list
    .split(',')
    .map((one) => one.trim().replace(/^type /, ''))
    .filter((one) => one !== '')
    .map((one) => {
      const [original = '', name = original] = one.split(' as ');
      return /** @type {const} */ ([original, name]);
    });
}

/** The text of a comment. @param {string} doc */
function plain(doc) {
  return doc
    .replace(/^\/\*\*\s?|\s*\*\/$/g, '')
    .replaceAll(/^ \* ?/gm, '')
    .trim();
}
