import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { type World, world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { nodePlaces } from '../../../src/io/node/places.ts';
import { SavepointError } from '../../../src/model/errors.ts';

const posix = process.platform !== 'win32';

describe('the folder of stores', () => {
  test.each([
    [{ SAVEPOINT_HOME: '/s', HOME: '/h', XDG_DATA_HOME: '/x' }, 'linux', '/s'],
    [{ SAVEPOINT_HOME: '/s/../t/' }, 'linux', '/t'],
    [{ SAVEPOINT_HOME: '', HOME: '/h' }, 'linux', '/h/.local/share/savepoint'],
    [{ HOME: '/h', XDG_DATA_HOME: '/x' }, 'linux', '/x/savepoint'],
    [{ HOME: '/h', XDG_DATA_HOME: 'relative' }, 'linux', '/h/.local/share/savepoint'],
    [{ HOME: '/h', XDG_DATA_HOME: '/x' }, 'darwin', '/h/Library/Application Support/Savepoint'],
    [{ HOME: '/h\u00e9' }, 'linux', '/h\xc3\xa9/.local/share/savepoint'],
    [{ LOCALAPPDATA: 'C:\\Users\\u\\Local' }, 'win32', 'C:\\Users\\u\\Local\\Savepoint'],
    [{ USERPROFILE: 'C:\\Users\\u' }, 'win32', 'C:\\Users\\u\\AppData\\Local\\Savepoint'],
    [{ SAVEPOINT_HOME: 'D:\\s' }, 'win32', 'D:\\s'],
  ] as const)('%j on %s: %s', (env, platform, home) => {
    expect(nodePlaces(env, platform).home).toBe(home);
  });

  test.each(['relative', '~/savepoint', './s', '/with\0nul', '/not-utf8-\ufffd'])(
    'refuses SAVEPOINT_HOME=%j',
    (home) => {
      const open = (): unknown => nodePlaces({ SAVEPOINT_HOME: home, HOME: '/h' }, 'linux');
      expect(open).toThrow(SavepointError);
      expect(open).toThrow(/^SAVEPOINT_HOME must /);
    },
  );

  test.skipIf(!posix)('works without HOME, by the user database of the system', () => {
    const { homedir } = userInfo();
    expect(nodePlaces({}, 'linux')).toMatchObject({
      userHome: homedir,
      home: `${homedir === '/' ? '' : homedir}/.local/share/savepoint`,
    });
    expect(nodePlaces({ HOME: 'relative' }, 'linux').userHome).toBe(homedir);
  });
});

describe('the global ignore file', () => {
  const env = (w: World): Record<string, string> => ({ HOME: `${w.places.userHome}` });
  const put = (path: string, text: string): void => {
    mkdirSync(path.slice(0, path.lastIndexOf('/')), { recursive: true });
    writeFileSync(path, text);
  };

  test('is null if there is none', () => {
    expect(nodePlaces(env(world(onTestFinished))).globalIgnore).toBeNull();
  });

  test('is the default of git if nothing is configured', () => {
    const w = world(onTestFinished);
    put(`${w.places.userHome}/.config/git/ignore`, '*.tmp\n');
    expect(nodePlaces(env(w)).globalIgnore).toBe(`${w.places.userHome}/.config/git/ignore`);
    put(`${w.folder}/xdg/git/ignore`, '*.tmp\n');
    expect(nodePlaces({ ...env(w), XDG_CONFIG_HOME: `${w.folder}/xdg` }).globalIgnore).toBe(
      `${w.folder}/xdg/git/ignore`,
    );
  });

  test('is the configured one, and null if that is missing', () => {
    const w = world(onTestFinished);
    put(`${w.places.userHome}/.config/git/ignore`, '*.tmp\n');
    put(`${w.places.userHome}/mine`, '*.tmp\n');
    put(`${w.places.userHome}/.gitconfig`, '[core]\n\texcludesFile = ~/mine\n');
    expect(nodePlaces(env(w)).globalIgnore).toBe(`${w.places.userHome}/mine`);
    put(`${w.places.userHome}/.gitconfig`, `[core]\n\texcludesFile = ${w.folder}/none\n`);
    expect(nodePlaces(env(w)).globalIgnore).toBeNull();
    put(`${w.places.userHome}/.gitconfig`, '[core]\n\texcludesFile =\n');
    expect(nodePlaces(env(w)).globalIgnore).toBeNull();
  });

  test('is read from both configuration files of git, the one in the home folder last', () => {
    const w = world(onTestFinished);
    put(`${w.folder}/one`, '');
    put(`${w.folder}/two`, '');
    put(`${w.places.userHome}/.config/git/config`, `[core]\nexcludesfile = ${w.folder}/one\n`);
    expect(nodePlaces(env(w)).globalIgnore).toBe(`${w.folder}/one`);
    put(`${w.places.userHome}/.gitconfig`, `[core]\nexcludesfile = ${w.folder}/two\n`);
    expect(nodePlaces(env(w)).globalIgnore).toBe(`${w.folder}/two`);
  });

  test.skipIf(!posix)('is the target of the link, because the engine follows no links', () => {
    const w = world(onTestFinished);
    put(`${w.folder}/dotfiles/ignore`, '*.tmp\n');
    mkdirSync(`${w.places.userHome}/.config/git`, { recursive: true });
    symlinkSync(`${w.folder}/dotfiles/ignore`, `${w.places.userHome}/.config/git/ignore`);
    expect(nodePlaces(env(w)).globalIgnore).toBe(`${w.folder}/dotfiles/ignore`);
  });
});
