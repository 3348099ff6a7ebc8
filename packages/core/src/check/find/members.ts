/** The packages of a JavaScript workspace. */

import { matchesGlob } from '../../content/glob.ts';
import { isWithin, relativePath, type TreePath } from '../../model/names.ts';
import { isObject, objectIn, type ProjectFolder } from './project-folder.ts';

const MAX_PATTERN = 200;
/** Several `**` multiply the number of steps. */
const MAX_PARTS = 10;

/** Returns the patterns of the workspace's packages, from `package.json` or `pnpm-workspace.yaml`. */
export function workspaceMembers(folder: ProjectFolder): readonly string[] {
  const listed = folder.packageJson?.['workspaces'];
  const list = isObject(listed) ? objectIn(folder.packageJson, 'workspaces')['packages'] : listed;
  const own = Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
  return [...own, ...pnpmMembers(folder.text('pnpm-workspace.yaml') ?? '')];
}

/** `*` matches one folder name, `**` any number of them. */
export function isMember(patterns: readonly string[], top: TreePath, path: TreePath): boolean {
  if (!isWithin(path, top)) return false;
  const names = relativePath(top, path).split('/');
  const fits = (pattern: string): boolean => {
    const parts = pattern.slice(0, MAX_PATTERN).replace(/^\.\//, '').replace(/\/$/, '').split('/');
    return parts.length <= MAX_PARTS && matches(names, parts);
  };
  const excluded = patterns.some((pattern) => pattern.startsWith('!') && fits(pattern.slice(1)));
  return !excluded && patterns.some((pattern) => !pattern.startsWith('!') && fits(pattern));
}

/** Only the plain form, one pattern on each line below `packages:`. */
function pnpmMembers(text: string): readonly string[] {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => /^packages\s*:\s*$/.test(line));
  if (from < 0) return [];
  const rest = lines.slice(from + 1);
  const end = rest.findIndex((line) => /^\S/.test(line) && !line.startsWith('-') && !line.startsWith('#'));
  return (end < 0 ? rest : rest.slice(0, end)).flatMap((line) => {
    const found = /^\s*-\s*(?:'([^']*)'|"([^"]*)"|([^\s#'"]+))/.exec(line);
    return found === null ? [] : [found[1] ?? found[2] ?? found[3] ?? ''];
  });
}

function matches(names: readonly string[], pattern: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return names.length === 0;
  if (first === '**')
    return names.length === 0 ? rest.length === 0 : matches(names, rest) || matches(names.slice(1), pattern);
  return names[0] !== undefined && matchesGlob(names[0], first) && matches(names.slice(1), rest);
}
