import { baseName, parentPath, type TreePath } from '../../../model/names.ts';
import type { CodeTree } from '../../language.ts';
import { STANDARD_LIBRARY } from './standard-library.ts';

/** The folders in which Python looks for modules. Where it really looks depends on how it is started. */
export interface PythonRoots {
  /** The folders in which a module or package of this name is, the likeliest first. */
  candidates(importer: TreePath, name: string): readonly TreePath[];
}

/**
 * - `package`: a folder with `__init__.py`, in a folder without
 * - `module`: a file in a folder without `__init__.py`
 * - `folder`: a folder without `__init__.py`, with Python files somewhere in it
 */
type Kind = 'package' | 'module' | 'folder';

interface Candidate {
  readonly root: TreePath;
  readonly kind: Kind;
}

const MANIFESTS = ['pyproject.toml', 'setup.cfg', 'setup.py', 'pytest.ini', 'tox.ini', 'pyrightconfig.json'];
const USUAL_FOLDERS = ['src', 'lib', 'python'];
const TEST_DATA = /\/(?:tests?|testing|testdata|test_data|fixtures|data|samples)\//;
const LARGEST_MANIFEST = 1024 * 1024;

export function rootsOf(tree: CodeTree): PythonRoots {
  const named = candidatesByName(tree);
  const declared = declaredRoots(tree);
  const sources = [...declared].filter((root) => USUAL_FOLDERS.includes(baseName(root)));
  /** Folders inside the sources are packages, with or without `__init__.py`. */
  const isInSources = (root: TreePath) => sources.some((each) => root !== each && isIn(root, each));
  return {
    candidates: (importer, name) => {
      const folder = parentPath(importer);
      const isAround = (root: TreePath) => root === folder || (isIn(folder, root) && !isInSources(root));
      /** A project of its own, whose modules are installed or not. Those of test data are not. */
      const isDeclared = (root: TreePath) =>
        declared.has(root) && (isIn(folder, projectOf(root)) || !TEST_DATA.test(`/${root}/`));
      const isUsable = ({ root, kind }: Candidate) => {
        if (STANDARD_LIBRARY.has(name))
          return kind !== 'folder' && (root === folder || (kind === 'package' && isDeclared(root)));
        return kind === 'folder' ? root === folder || isDeclared(root) : isAround(root) || isDeclared(root);
      };
      const rank = ({ root, kind }: Candidate) =>
        commonLength(folder, root) +
        (isIn(folder, projectOf(root)) ? 1e5 : 0) -
        (isInSources(root) ? 2e6 : 0) -
        (kind === 'folder' ? 1e6 : 0);
      const all = named.get(name) ?? [];
      const usable = all.filter(isUsable);
      // Tests put folders below them on the path.
      const below = all.filter(({ root, kind }) => kind === 'package' && folder !== '' && isIn(root, folder));
      const found = usable.length > 0 || STANDARD_LIBRARY.has(name) ? usable : below;
      return found.sort((a, b) => rank(b) - rank(a)).map(({ root }) => root);
    },
  };
}

function candidatesByName(tree: CodeTree): ReadonlyMap<string, Candidate[]> {
  const files = [...tree.files.keys()].filter((path) => /\.pyi?$/.test(path));
  const packages = new Set(files.filter((path) => /(?:^|\/)__init__\.pyi?$/.test(path)).map(parentPath));
  const found = new Map<string, Map<TreePath, Kind>>();
  const add = (path: TreePath, name: string, kind: Kind) => {
    const root = parentPath(path);
    const known = found.get(name) ?? new Map<TreePath, Kind>();
    if (known.get(root) !== 'package') known.set(root, kind);
    found.set(name, known);
  };
  const seen = new Set<TreePath>();
  for (const path of files) {
    const folder = parentPath(path);
    if (!packages.has(folder)) add(path, baseName(path).replace(/\.pyi?$/, ''), 'module');
    for (let at = folder; at !== '' && !seen.has(at); at = parentPath(at)) {
      seen.add(at);
      if (!packages.has(at)) add(at, baseName(at), 'folder');
      else if (!packages.has(parentPath(at))) add(at, baseName(at), 'package');
    }
  }
  return new Map([...found].map(([name, roots]) => [name, [...roots].map(([root, kind]) => ({ root, kind }))]));
}

/** The folders of projects, and those that their manifests name. */
function declaredRoots(tree: CodeTree): ReadonlySet<TreePath> {
  const roots = new Set<TreePath>(['' as TreePath]);
  const add = (project: TreePath, folder: string) => {
    const path = [project, folder.replace(/^\.\//, '').replace(/\/+$/, '')].filter(
      (part) => part !== '' && part !== '.',
    );
    roots.add(path.join('/') as TreePath);
  };
  for (const path of tree.files.keys()) {
    if (!MANIFESTS.includes(baseName(path))) continue;
    const project = parentPath(path);
    roots.add(project);
    for (const folder of [...USUAL_FOLDERS, ...foldersNamedIn(textOf(tree, path))]) add(project, folder);
  }
  for (const folder of USUAL_FOLDERS) roots.add(folder as TreePath);
  return roots;
}

/** Of setuptools, poetry, pytest and pyright. */
function foldersNamedIn(manifest: string): string[] {
  const lists = [
    /^\s*(?:where|pythonpath|extraPaths|"extraPaths"|src)\s*[=:]\s*\[([^\]]*)\]/gm,
    /\bwhere\s*=\s*("[^"]*"|'[^']*')/g,
    /\bfrom\s*=\s*("[^"]*"|'[^']*')/g,
    /\bpackage[-_]dir\s*=\s*(?:\n\s*=\s*(\S+)|\{([^}]*)\})/g,
    /^\s*pythonpath\s*=\s*([\w./ -]+)$/gm,
  ];
  return lists.flatMap((list) =>
    [...manifest.matchAll(list)].flatMap((match) => (match[1] ?? match[2] ?? '').match(/[\w./-]+/g) ?? []),
  );
}

function textOf(tree: CodeTree, path: TreePath): string {
  const bytes = tree.read(path);
  return bytes === null || bytes.length > LARGEST_MANIFEST ? '' : new TextDecoder().decode(bytes);
}

/** How many characters of the folders that both paths are in. */
function commonLength(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  let common = 0;
  while (common < left.length && left[common] === right[common]) common++;
  return left.slice(0, common).join('/').length;
}

function projectOf(root: TreePath): TreePath {
  return USUAL_FOLDERS.includes(baseName(root)) ? parentPath(root) : root;
}

function isIn(path: TreePath, folder: TreePath): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}
