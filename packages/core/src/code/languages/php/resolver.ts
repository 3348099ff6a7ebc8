import { baseName, bytesFromText, joinRelative, parentPath, type TreePath } from '../../../model/names.ts';
import type { CodeTree, Resolver } from '../../language.ts';

/** Classes whose names begin with `prefix` are in this folder. */
interface Mapping {
  readonly prefix: string;
  readonly folder: TreePath;
}

/** Resolves classes by the autoloading of composer (PSR-4), and files that are included by their relative paths. */
export function phpResolver(tree: CodeTree): Resolver {
  const mappings = mappingsOf(tree);
  return {
    resolve: (importer, from) => {
      if (from.startsWith('./')) {
        const path = joinRelative(parentPath(importer), bytesFromText(from));
        if (path !== null && tree.files.has(path)) return { to: 'files', paths: [path] };
        // Without __DIR__, it is relative to a folder that is not known.
        return { to: 'unknown' };
      }
      const name = `${from}\\`;
      const fitting = mappings.filter(({ prefix }) => name.startsWith(prefix));
      const inside = ({ prefix, folder }: Mapping) =>
        joinRelative(folder, `${bytesFromText(from.slice(prefix.length)).replaceAll('\\', '/')}.php`);
      const files = fitting.map(inside).filter((path) => path !== null && tree.files.has(path)) as TreePath[];
      if (files.length > 0) return { to: 'files', paths: files };
      // Other packages may share the prefix, and it may be a namespace, for functions and constants: in any file.
      const isHere = fitting.some((each) => {
        const folder = parentPath(inside(each) ?? ('' as TreePath));
        return folder !== each.folder && tree.hasFolder(folder);
      });
      const isNamespace = fitting.some((each) => tree.hasFolder(inside(each)?.replace(/\.php$/, '') as TreePath));
      if (isHere && !isNamespace) return { to: 'missing' };
      if (fitting.length > 0) return { to: 'unknown' };
      return { to: mappings.length > 0 ? 'outside' : 'unknown' };
    },
  };
}

/** The longest prefixes first. */
function mappingsOf(tree: CodeTree): Mapping[] {
  const found: Mapping[] = [];
  for (const path of tree.files.keys()) {
    if (baseName(path) !== 'composer.json') continue;
    for (const [prefix, folders] of autoloads(tree.read(path))) {
      for (const folder of folders) {
        const at = joinRelative(parentPath(path), bytesFromText(folder));
        if (at !== null) found.push({ prefix, folder: at });
      }
    }
  }
  return found.sort((a, b) => b.prefix.length - a.prefix.length);
}

function autoloads(bytes: Uint8Array | null): [prefix: string, folders: string[]][] {
  const manifest: unknown = parsed(bytes);
  return ['autoload', 'autoload-dev'].flatMap((section) => {
    const entries = fieldOf(fieldOf(manifest, section), 'psr-4');
    if (typeof entries !== 'object' || entries === null) return [];
    return Object.entries(entries).map(([prefix, folders]): [string, string[]] => [
      prefix,
      [folders].flat().filter((folder): folder is string => typeof folder === 'string'),
    ]);
  });
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function parsed(bytes: Uint8Array | null): unknown {
  if (bytes === null) return null;
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
