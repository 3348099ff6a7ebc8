/**
 * Which files of attributes a person's and a system's git configuration name, so that nobody takes contents for
 * unconverted that are not.
 *
 * The safe direction is to name more of them: settings count wherever they stand and whatever takes them back, conditions
 * of includes are taken for fulfilled, and what cannot be read or understood is not known. Where git was built to look
 * elsewhere than here, or was told so in another environment, that is not seen.
 */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { type GitSetting, parseGitConfig } from '../../content/git-config.ts';
import type { DiskPath } from '../../model/names.ts';
import { errorCode, nativePath } from './path.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_CONFIG_BYTES = 1 << 20;
const MAX_FILES = 64;

/** Where builds of git look for the system's files. */
const SYSTEM_FOLDERS = ['/etc', '/usr/etc', '/usr/local/etc', '/opt/homebrew/etc', '/opt/local/etc'];
const APPLE_FOLDERS = [
  '/Library/Developer/CommandLineTools/usr/share/git-core',
  '/Applications/Xcode.app/Contents/Developer/usr/share/git-core',
];
/** What says more than files do, or says where files are. */
const OPAQUE_VARIABLES = ['GIT_CONFIG_COUNT', 'GIT_CONFIG_PARAMETERS', 'GIT_ATTR_SOURCE', 'GIT_CONFIG'];
const CONFIG_FILE_VARIABLES = ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM'];

class UnknownConfiguration extends Error {}

/** Null: nobody knows. */
export function attributeFiles(
  env: Environment,
  platform: NodeJS.Platform,
  userHome: DiskPath | null,
): readonly DiskPath[] | null {
  // On Windows git records no inodes, so that nothing is ever proven there.
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
