import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Locked {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
const locked = (read('package-lock.json') as { packages: Record<string, Locked> }).packages;
const installed = Object.entries(locked).filter(
  ([path, entry]) => path.includes('node_modules/') && entry.link !== true,
);

it('names no place to download from, so that every machine uses its own registry', () => {
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

it('holds a checksum for every package', () => {
  expect(installed.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
});

it('holds the binaries of every platform, not only of the one that wrote it', () => {
  const names = new Set(
    installed.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
  );
  const wanted = installed.flatMap(([, { optionalDependencies }]) => Object.keys(optionalDependencies ?? {}));
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
  expect(wanted.some((name) => name.includes('win32')) && wanted.some((name) => name.includes('darwin'))).toBe(true);
});

it('needs no install script to run', () => {
  const scripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  expect(scripts).toEqual([]);
});

it('and the manifests pin every dependency exactly', () => {
  const own = Object.entries(locked).filter(([path]) => !path.includes('node_modules'));
  const versions = own.flatMap(([, { dependencies, devDependencies }]) =>
    Object.entries({ ...dependencies, ...devDependencies }),
  );
  expect(versions.length).toBeGreaterThan(10);
  // A second version of a package has a name of its own here: `npm:NAME@VERSION`.
  const isExact = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+$/;
  expect(versions.filter(([, version]) => !isExact.test(version))).toEqual([]);
});
