#!/usr/bin/env node
// @ts-check
/**
 * Checks that the sources of the packages, the scripts and the documents use none of the words that docs/glossary.md has
 * retired.
 * Usage: node scripts/check-words.mjs [FOLDER]   exit status 1 if there are any, each with its file, line and the usual word.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sources } from './layers/sources.mjs';
import { runCheck } from './run-check.mjs';

/** @type {readonly { readonly word: RegExp, readonly use: string }[]} */
export const RETIRED = [
  { word: /\bwhoever\b/i, use: 'the process, the caller, the person' },
  { word: /\bmend(?:s|ed|ing)?\b/i, use: 'fix, repair' },
  { word: /\b(?:taken|takes|took) over\b/i, use: 'adopted, adopts' },
  { word: /\bthe door\b/i, use: 'the transaction' },
  { word: /\bcomes? to pass\b/i, use: 'happens, commits' },
  { word: /\bdealt with\b/i, use: 'handled' },
  { word: /\broll-backs?\b/i, use: 'rollback (noun), roll back (verb)' },
  { word: /\bwhat lies outside\b/i, use: 'files outside the workspace' },
  { word: /(?<!-)\banew\b/i, use: 'again' },
  { word: /\b(?:story|stories)\b/i, use: 'record, timeline' },
  { word: /\btold\b/i, use: 'reported, passed' },
  { word: /\b(?:an|the|this|each|every|no|one) acts?\b/i, use: 'operation' },
  { word: /\bsettl(?:es?|ing)\b/i, use: 'finish, complete, wait for' },
  { word: /\bnobody\b/i, use: 'no process, no caller, unknown author' },
  { word: /\bstands\b/i, use: 'is, is in effect' },
  { word: /\bbesides\b/i, use: 'apart from, in addition' },
  { word: /\boutlook\b/i, use: 'preview, details' },
  { word: /\blies\b/i, use: 'is' },
  { word: /\bhurts?\b/i, use: 'affected, damaged' },
  { word: /\bso many\b/i, use: 'this many, N' },
  { word: /\b(?:is|are|was|were|stays?) whole\b/i, use: 'is complete, is undamaged' },
  { word: /\bcomes? to an end\b/i, use: 'ends, exits' },
  { word: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b)[a-z]+/i, use: 'is not a' },
  // Identifiers and keys have these names, so only comments are checked.
  { word: inComment('telling'), use: 'info' },
  { word: inComment('whereabouts'), use: 'place, path' },
  { word: inComment('standing'), use: 'in effect, existing' },
  { word: inComment('parties'), use: 'authors' },
  { word: inComment('settled'), use: 'finished, recovered' },
];

/** @param {string} words alternatives of a pattern */
function inComment(words) {
  return new RegExp(`(?<=(?:/[/*]|^\\s*\\*).*)\\b(?:${words})\\b`, 'i');
}

/** The glossary and this file name the words themselves; figures are program output of their time. */
const LEFT_OUT = new Set(['docs/glossary.md', 'docs/performance.md', 'scripts/check-words.mjs']);

const SCRIPT_FOLDERS = ['bench', 'examples', 'scripts'];

/**
 * @param {string} top the project's folder
 * @returns {string[]} what is wrong, a line each
 */
export function checkWords(top) {
  return [...sources(top), ...scripts(top), ...documents(top)].flatMap((path) =>
    readFileSync(join(top, path), 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        // Documents quote test names and keys in backticks.
        const text = path.endsWith('.md') ? line.replace(/`[^`]*`/g, '') : line;
        return RETIRED.flatMap(({ word, use }) => {
          const found = word.exec(text)?.[0];
          return found === undefined ? [] : [`${path}:${index + 1}: "${found}" is retired; use: ${use}`];
        });
      }),
  );
}

/**
 * @param {string} top
 * @returns {string[]} from the top, with slashes
 */
function scripts(top) {
  return SCRIPT_FOLDERS.flatMap((folder) => filesBelow(top, folder, '.mjs'));
}

/**
 * @param {string} top
 * @returns {string[]} from the top, with slashes
 */
function documents(top) {
  const found = readdirSync(top, { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() && entry.name.endsWith('.md') ? [entry.name] : [],
  );
  return [...found, ...filesBelow(top, 'docs', '.md')].sort();
}

/**
 * @param {string} top
 * @param {string} folder
 * @param {string} ending
 * @returns {string[]} from the top, with slashes; empty if there is no such folder
 */
function filesBelow(top, folder, ending) {
  try {
    return readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith(ending) && !path.includes('/node_modules/') && !LEFT_OUT.has(path));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return [];
    throw error;
  }
}

runCheck(import.meta.url, checkWords, 'words: no retired word is left');
