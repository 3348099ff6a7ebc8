import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

const file = (path: string): URL => new URL(`../../${path}`, import.meta.url);
const read = (path: string): unknown => JSON.parse(readFileSync(file(path), 'utf8'));
const lockedIn = (path: string) => (read(path) as { packages: Record<string, Locked> }).packages;
const installedIn = (path: string) =>
  Object.entries(lockedIn(path)).filter(([at, entry]) => at.includes('node_modules/') && entry.link !== true);
const locked = lockedIn('package-lock.json');
const installed = installedIn('package-lock.json');

/** A second version of a package has its own name here: `npm:NAME@VERSION`. */
const isExact = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+$/;

/** What tests install for themselves; never a dependency of the packages. */
const programs = ['tests/agents/programs', 'tests/nodes'].flatMap((folder) =>
  readdirSync(file(folder)).map((name) => `${folder}/${name}`),
);
const folders = [
  '.',
  'packages/grammars/pinned',
  'tests/system/inspector',
  ...programs.filter((path) => existsSync(file(`${path}/package.json`))),
];

it.each(folders)('%s: contains no download URLs, so that every machine uses its own registry', (folder) => {
  const found = installedIn(`${folder}/package-lock.json`);
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

it.each(folders)('%s: holds a checksum for every package', (folder) => {
  expect(installedIn(`${folder}/package-lock.json`).filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
});

it.each(folders)('%s: pins its dependencies', (folder) => {
  const { dependencies } = read(`${folder}/package.json`) as Locked;
  expect(Object.values(dependencies ?? {}).filter((version) => !isExact.test(version))).toEqual([]);
});

it('contains the binaries of every platform, not only of the one that wrote it', () => {
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
  expect(versions.filter(([, version]) => !isExact.test(version))).toEqual([]);
});
