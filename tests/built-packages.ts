import { dirname, resolve, sep } from 'node:path';
import type { Plugin } from 'vitest/config';

const SOURCE = /^(.*[\\/]packages[\\/][^\\/]+[\\/])src([\\/].*)\.ts$/;

/** Returns the build output of a source file, or null for any other file. */
export function builtFrom(file: string): string | null {
  const [, folder, path] = SOURCE.exec(file) ?? [];
  return folder === undefined || path === undefined ? null : `${folder}dist${path}.js`;
}

/** Redirects imports of a package's sources to the build output, which node loads itself, without vite. */
export function builtPackages(): Plugin {
  return {
    name: 'built-packages',
    enforce: 'pre',
    resolveId(id, importer) {
      const file = id.startsWith('.') && importer !== undefined ? resolve(dirname(importer), id) : id;
      return builtFrom(file.split('/').join(sep));
    },
  };
}
