// @ts-check
/**
 * For languages without a checker here: a file provably fails if it uses a name that the plan removed and that nothing in the
 * proposed tree defines any more. It is a strict rule, so it misses failures. Each label that it makes is read by a person.
 */
import { definedIn } from './candidates.mjs';
import { isOwnCode } from './repositories.mjs';

/** @typedef {import('./typescript-oracle.mjs').Problem} Problem */

/**
 * @param {import('./repositories.mjs').Repository} repository
 * @param {readonly string[]} names what the commit removed or changed
 * @param {import('./trees.mjs').Tree} tree
 * @returns {Problem[]} the uses of names that nothing defines
 */
export function undefinedNames(repository, names, tree) {
  const own = [...tree.files.keys()].filter((path) => isOwnCode(repository, path));
  const wanted = new RegExp(`(?<![\\w."'])(${names.join('|')})(?!\\w)|(?<=[)\\w]\\.|::)(${names.join('|')})(?=\\()`);
  /** @type {Set<string>} */
  const defined = new Set();
  /** @type {Problem[]} */
  const uses = [];
  for (const path of own) {
    const text = Buffer.from(tree.read(path) ?? []).toString('utf8');
    if (!names.some((name) => text.includes(name))) continue;
    let isComment = false;
    for (const [at, line] of text.split('\n').entries()) {
      const code = line.replace(/\/\/.*$/, '').replaceAll(/"(?:[^"\\]|\\.)*"|`[^`]*`/g, '""');
      if (/^\s*\/\*/.test(code)) isComment = true;
      const name = isComment || /^\s*\*/.test(code) ? undefined : (wanted.exec(code)?.[1] ?? wanted.exec(code)?.[2]);
      if (code.includes('*/')) isComment = false;
      if (name === undefined) continue;
      if (
        definedIn(repository.language, line) === name ||
        new RegExp(
          `(func|fn|type|struct|enum|trait|mod|class|interface|let|var|const|static|macro_rules!|use)\\s+(?:mut\\s+)?${name}\\b|\\b${name}\\s*(:|:=|=)(?!=)`,
        ).test(code)
      )
        defined.add(name);
      else uses.push({ path, line: at + 1, code: 'undefined', message: `${name}: ${line.trim()}` });
    }
  }
  return uses.filter((problem) => !defined.has(nameIn(problem)));
}

/** @param {Problem} problem */
export function nameIn({ message }) {
  return message.slice(0, message.indexOf(':'));
}
