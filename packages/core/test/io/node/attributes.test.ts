import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { world } from '@savepoint/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { attributeFiles } from '../../../src/io/node/attributes.ts';
import type { DiskPath } from '../../../src/model/names.ts';

function person() {
  const home = `${world(onTestFinished).folder}/user`;
  return {
    home,
    write: (name: string, content: string): string => {
      const path = join(home, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    files: (env: Record<string, string> = {}) => attributeFiles(env, 'linux', home as DiskPath),
  };
}

test('the default files of git', () => {
  const { home, files } = person();
  expect(files()).toEqual(expect.arrayContaining(['/etc/gitattributes', `${home}/.config/git/attributes`]));
  expect(files({ XDG_CONFIG_HOME: '/xdg' })).toContain('/xdg/git/attributes');
});

test('all files named by configurations, through includes and conditions', () => {
  const { home, write, files } = person();
  write('.gitconfig', '[core]\nattributesFile = ~/one\nattributesfile = "/two x"\n[include]\npath = more/inc\n');
  write('more/inc', '[includeIf "gitdir:~/elsewhere/"] path = ~/last\n[core] attributesFile = three\n');
  write('last', '[CORE]\n\tattributesFile = /four # five\n[core "sub"]\n attributesFile = /six\n');
  write('.config/git/config', '[core] attributesFile = /seven\n');
  const global = write('global', '[core] attributesFile = /eight\n');
  const found = files({ GIT_CONFIG_GLOBAL: global });
  expect(found).toEqual(
    expect.arrayContaining([`${home}/one`, '/two x', `${home}/more/three`, '/four', '/seven', '/eight']),
  );
  expect(found).not.toContain('/six');
});

test('unknown: settings of the environment, and files that cannot be read or parsed', () => {
  expect(person().files({ GIT_CONFIG_COUNT: '1' })).toBeNull();
  expect(person().files({ GIT_ATTR_SOURCE: 'HEAD' })).toBeNull();
  expect(attributeFiles({}, 'win32', null)).toBeNull();
  for (const text of [
    '[attr] tree = HEAD\n',
    '[core] attributesFile\n',
    '[core] attributesFile = "open\n',
    '[core] attributesFile = ~other/x\n',
    '[core] attributesFile = %(prefix)/x\n',
    '[include] path = .gitconfig.d\n',
    '# '.padEnd(1 << 21, 'x'),
  ]) {
    const { write, files, home } = person();
    mkdirSync(join(home, '.gitconfig.d'), { recursive: true });
    write('.gitconfig', text);
    expect(files(), text.slice(0, 40)).toBeNull();
  }
});

test('a file that includes itself is read once, and an endless chain is unknown', () => {
  const { write, files } = person();
  write('.gitconfig', '[include] path = .gitconfig\n');
  expect(files()).not.toBeNull();
  for (let at = 0; at < 100; at++) write(`c${at}`, `[include] path = c${at + 1}\n`);
  write('.gitconfig', '[include] path = c0\n');
  expect(files()).toBeNull();
});
