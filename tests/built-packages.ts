import { dirname, resolve, sep } from 'node:path';
import type { Plugin } from 'vitest/config';

const SOURCE = /^(.*[\\/]packages[\\/][^\\/]+[\\/])src([\\/].*)\.ts$/;

/** What a source was built into, or null for any other file. */
export function builtFrom(file: string): string | null {
  const [, folder, path] = SOURCE.exec(file) ?? [];
  return folder === undefined || path === undefined ? null : `${folder}dist${path}.js`;
}

/** Tests that import a source of a package get what was built from it. Node loads that by itself, without vite. */
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
