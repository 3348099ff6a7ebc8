/**
 * Finds the attributes files that the user's and the system's git configuration name, so that contents which git
 * converts are never taken for unconverted ones.
 *
 * Naming too many files is safe, naming too few is not. So every setting counts, even if a later one overrides it, and
 * every conditional include is followed. If anything cannot be read or understood, the result is unknown. This does not
 * detect a git that was built, or configured in another environment, to use other files.
 */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { type GitSetting, parseGitConfig } from '../../content/git-config.ts';
import type { DiskPath } from '../../model/names.ts';
import { errorCode, nativePath } from './path.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_CONFIG_BYTES = 1 << 20;
const MAX_FILES = 64;

/** Where builds of git look for the system's configuration. */
const SYSTEM_FOLDERS = ['/etc', '/usr/etc', '/usr/local/etc', '/opt/homebrew/etc', '/opt/local/etc'];
const APPLE_FOLDERS = [
  '/Library/Developer/CommandLineTools/usr/share/git-core',
  '/Applications/Xcode.app/Contents/Developer/usr/share/git-core',
];
/** Variables that contain settings, or that name other files. */
const OPAQUE_VARIABLES = ['GIT_CONFIG_COUNT', 'GIT_CONFIG_PARAMETERS', 'GIT_ATTR_SOURCE', 'GIT_CONFIG'];
const CONFIG_FILE_VARIABLES = ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM'];

class UnknownConfiguration extends Error {}

/** Returns null if the files are unknown. */
export function attributeFiles(
  env: Environment,
  platform: NodeJS.Platform,
  userHome: DiskPath | null,
): readonly DiskPath[] | null {
  // On Windows, git records no inodes, so no content can be proven unchanged anyway.
  if (platform === 'win32' || OPAQUE_VARIABLES.some((name) => env[name] !== undefined)) return null;
  const xdg = [env['XDG_CONFIG_HOME'] ?? '', userHome === null ? '' : `${userHome}/.config`].filter((path) =>
    path.startsWith('/'),
  );
  const configs = [
    ...SYSTEM_FOLDERS.map((folder) => `${folder}/gitconfig`),
    ...APPLE_FOLDERS.map((folder) => `${folder}/gitconfig`),
    ...xdg.map((folder) => `${folder}/git/config`),
    ...(userHome === null ? [] : [`${userHome}/.gitconfig`]),
    ...CONFIG_FILE_VARIABLES.flatMap((name) => env[name] || []),
  ];
  const attributes = [
    ...SYSTEM_FOLDERS.map((folder) => `${folder}/gitattributes`),
    ...xdg.map((folder) => `${folder}/git/attributes`),
  ];
  try {
    return readAll(configs, attributes, userHome);
  } catch (error) {
    if (error instanceof UnknownConfiguration) return null;
    throw error;
  }
}

function readAll(configs: string[], attributes: string[], userHome: DiskPath | null): readonly DiskPath[] {
  const resolved = (value: GitSetting['value'], from: string): string => {
    if (typeof value !== 'string' || value.includes('\0') || value.startsWith('%(')) throw new UnknownConfiguration();
    if (!value.startsWith('~')) return posix.resolve(posix.dirname(from), value);
    if (!value.startsWith('~/') || userHome === null) throw new UnknownConfiguration();
    return posix.join(userHome, value.slice(2));
  };
  const open = [...configs];
  const seen = new Set<string>();
  for (let file = open.shift(); file !== undefined; file = open.shift()) {
    if (seen.has(file)) continue;
    seen.add(file);
    if (seen.size > MAX_FILES) throw new UnknownConfiguration();
    for (const { section, subsection, key, value } of parseGitConfig(readText(file)).settings) {
      const name = `${section}${subsection === null ? '' : '.*'}.${key}`;
      switch (name) {
        case 'core.attributesfile':
          attributes.push(resolved(value, file));
          break;
        case 'include.path':
        case 'includeif.*.path':
          open.push(resolved(value, file));
          break;
        default:
          if (section === 'attr') throw new UnknownConfiguration();
      }
    }
  }
  return attributes as DiskPath[];
}

function readText(file: string): string {
  let text: string;
  try {
    text = readFileSync(nativePath(file), 'latin1');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return '';
    throw new UnknownConfiguration();
  }
  if (text.length > MAX_CONFIG_BYTES) throw new UnknownConfiguration();
  return text;
}
