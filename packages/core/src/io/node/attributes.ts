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

const LARGEST_CONFIG = 1 << 20;
const MOST_FILES = 64;

/** Where builds of git look for the system's files. */
const SYSTEM = ['/etc', '/usr/etc', '/usr/local/etc', '/opt/homebrew/etc', '/opt/local/etc'];
const APPLE = [
  '/Library/Developer/CommandLineTools/usr/share/git-core',
  '/Applications/Xcode.app/Contents/Developer/usr/share/git-core',
];
/** What says more than files do, or says where files are. */
const UNKNOWN = ['GIT_CONFIG_COUNT', 'GIT_CONFIG_PARAMETERS', 'GIT_ATTR_SOURCE', 'GIT_CONFIG'];
const NAMED = ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM'];

class NotKnown extends Error {}

/** Null: nobody knows. */
export function attributeFiles(
  env: Environment,
  platform: NodeJS.Platform,
  userHome: DiskPath | null,
): readonly DiskPath[] | null {
  // On Windows git records no inodes, so that nothing is ever proven there.
  if (platform === 'win32' || UNKNOWN.some((name) => env[name] !== undefined)) return null;
  const xdg = [env['XDG_CONFIG_HOME'] ?? '', userHome === null ? '' : `${userHome}/.config`].filter((path) =>
    path.startsWith('/'),
  );
  const configs = [
    ...SYSTEM.map((folder) => `${folder}/gitconfig`),
    ...APPLE.map((folder) => `${folder}/gitconfig`),
    ...xdg.map((folder) => `${folder}/git/config`),
    ...(userHome === null ? [] : [`${userHome}/.gitconfig`]),
    ...NAMED.flatMap((name) => env[name] || []),
  ];
  const attributes = [
    ...SYSTEM.map((folder) => `${folder}/gitattributes`),
    ...xdg.map((folder) => `${folder}/git/attributes`),
  ];
  try {
    return readAll(configs, attributes, userHome);
  } catch (error) {
    if (error instanceof NotKnown) return null;
    throw error;
  }
}

function readAll(configs: string[], attributes: string[], userHome: DiskPath | null): readonly DiskPath[] {
  const resolved = (value: GitSetting['value'], from: string): string => {
    if (typeof value !== 'string' || value.includes('\0') || value.startsWith('%(')) throw new NotKnown();
    if (!value.startsWith('~')) return posix.resolve(posix.dirname(from), value);
    if (!value.startsWith('~/') || userHome === null) throw new NotKnown();
    return posix.join(userHome, value.slice(2));
  };
  const open = [...configs];
  const seen = new Set<string>();
  for (let file = open.shift(); file !== undefined; file = open.shift()) {
    if (seen.has(file)) continue;
    seen.add(file);
    if (seen.size > MOST_FILES) throw new NotKnown();
    for (const { section, subsection, key, value } of parseGitConfig(textOf(file)).settings) {
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
          if (section === 'attr') throw new NotKnown();
      }
    }
  }
  return attributes as DiskPath[];
}

function textOf(file: string): string {
  let text: string;
  try {
    text = readFileSync(nativePath(file), 'latin1');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return '';
    throw new NotKnown();
  }
  if (text.length > LARGEST_CONFIG) throw new NotKnown();
  return text;
}
