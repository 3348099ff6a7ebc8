import { readFileSync, realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { posix, win32 } from 'node:path';
import { lastStringValue, parseGitConfig } from '../../content/git-config.ts';
import { SavepointError } from '../../model/errors.ts';
import { bytesFromText, type DiskPath } from '../../model/names.ts';
import type { Places } from '../ports.ts';
import { attributeFiles } from './attributes.ts';
import { homeInCopy } from './home-in-copy.ts';
import { nativePath } from './path.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_CONFIG_BYTES = 1 << 20;
/** The character that node substitutes for invalid UTF-8 in the environment; the original bytes are lost. */
const UNDECODED = '\ufffd';

/**
 * Returns where Savepoint keeps its stores, and the files of the user who runs it.
 *
 * `home` is $SAVEPOINT_HOME, or else the platform's data folder: $XDG_DATA_HOME/savepoint or ~/.local/share/savepoint,
 * ~/Library/Application Support/Savepoint, %LOCALAPPDATA%\Savepoint. Nothing is created. Without $HOME, the home folder
 * comes from the system's user database.
 *
 * A process in a copy of a workspace uses the home of the copy, whatever its environment says.
 *
 * @param env the environment of the process
 * @throws SavepointError USAGE if $SAVEPOINT_HOME is not absolute or not UTF-8, or no folder is found
 */
export function nodePlaces(env: Environment, platform: NodeJS.Platform = process.platform): Places {
  const userHome = homeFolder(env, platform);
  const home = (): DiskPath => storesFolder(env, platform, userHome);
  return {
    home: homeInCopy(home) ?? home(),
    userHome,
    globalIgnore: globalIgnore(env, platform, userHome),
    gitAttributes: () => attributeFiles(env, platform, userHome),
    searchPath: env['PATH'] ?? '',
    variables: () => variablesOf(env),
  };
}

/** All variables, except Savepoint's own: they are about this process. */
function variablesOf(env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || name.startsWith('SAVEPOINT') ? [] : [[name, value] as const],
    ),
  );
}

function storesFolder(env: Environment, platform: NodeJS.Platform, userHome: DiskPath | null): DiskPath {
  const given = env['SAVEPOINT_HOME'];
  if (given !== undefined && given !== '') {
    const home = absolute(given, platform);
    if (home !== null) return home;
    const wanted = given.includes(UNDECODED) ? 'have a name in UTF-8' : 'be an absolute path';
    throw new SavepointError(
      'USAGE',
      `SAVEPOINT_HOME must ${wanted}; it is ${JSON.stringify(given)}.`,
      { argument: 'SAVEPOINT_HOME' },
      { hint: 'Set it to the absolute path of a private folder, or unset it.' },
    );
  }
  const home = dataFolder(env, platform, userHome);
  if (home !== null) return home;
  throw new SavepointError(
    'USAGE',
    'No home folder found to store checkpoints in.',
    { argument: 'SAVEPOINT_HOME' },
    {
      hint: 'Set SAVEPOINT_HOME to the absolute path of a private folder, or set HOME.',
    },
  );
}

function dataFolder(env: Environment, platform: NodeJS.Platform, userHome: DiskPath | null): DiskPath | null {
  if (platform === 'win32') {
    const local = absolute(env['LOCALAPPDATA'], platform);
    if (local !== null) return join(platform, local, 'Savepoint');
    return userHome === null ? null : join(platform, userHome, 'AppData', 'Local', 'Savepoint');
  }
  if (platform === 'darwin') {
    return userHome === null ? null : join(platform, userHome, 'Library', 'Application Support', 'Savepoint');
  }
  const data = absolute(env['XDG_DATA_HOME'], platform);
  if (data !== null) return join(platform, data, 'savepoint');
  return userHome === null ? null : join(platform, userHome, '.local', 'share', 'savepoint');
}

function homeFolder(env: Environment, platform: NodeJS.Platform): DiskPath | null {
  const named = absolute(platform === 'win32' ? env['USERPROFILE'] : env['HOME'], platform);
  if (named !== null) return named;
  try {
    return absolute(userInfo({ encoding: 'buffer' }).homedir.toString('latin1'), platform, (bytes) => bytes);
  } catch {
    return null; // a uid without an entry, as in many containers
  }
}

/**
 * Returns the file of `core.excludesFile` in the user's git configuration, or else git's default file; null if it does
 * not exist. A link is followed here, once. Settings that cannot be read or understood count as not set: more is
 * captured then, which is the safe side.
 */
function globalIgnore(env: Environment, platform: NodeJS.Platform, userHome: DiskPath | null): DiskPath | null {
  const xdg =
    absolute(env['XDG_CONFIG_HOME'], platform) ?? (userHome === null ? null : join(platform, userHome, '.config'));
  let named: string | null = null;
  if (xdg !== null) named = readExcludesFile(join(platform, xdg, 'git', 'config')) ?? named;
  if (userHome !== null) named = readExcludesFile(join(platform, userHome, '.gitconfig')) ?? named;
  if (named !== null) {
    const path = /^~[/\\]/.test(named) && userHome !== null ? join(platform, userHome, named.slice(2)) : named;
    const file = absolute(path, platform, (bytes) => bytes);
    return file === null ? null : realPathOrNull(file);
  }
  return xdg === null ? null : realPathOrNull(join(platform, xdg, 'git', 'ignore'));
}

function readExcludesFile(config: DiskPath): string | null {
  try {
    const text = readFileSync(nativePath(config), 'latin1');
    return text.length > MAX_CONFIG_BYTES ? null : lastStringValue(parseGitConfig(text), 'core.excludesfile');
  } catch {
    return null;
  }
}

function realPathOrNull(path: DiskPath): DiskPath | null {
  try {
    return realpathSync.native(nativePath(path), { encoding: 'latin1' }) as DiskPath;
  } catch {
    return null;
  }
}

function absolute(
  path: string | undefined,
  platform: NodeJS.Platform,
  encode: (text: string) => string = bytesFromText,
): DiskPath | null {
  if (path === undefined || path.includes('\0') || path.includes(UNDECODED)) return null;
  const rules = platform === 'win32' ? win32 : posix;
  return rules.isAbsolute(path) ? (rules.resolve(encode(path)) as DiskPath) : null;
}

function join(platform: NodeJS.Platform, ...parts: string[]): DiskPath {
  return (platform === 'win32' ? win32 : posix).join(...parts) as DiskPath;
}
