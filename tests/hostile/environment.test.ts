import fs from 'node:fs';
import path from 'node:path';
import { gitFingerprint, testEffort } from '@savepoint/testkit';
import { type Project, project, shell, workingFiles } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { runEveryVerb } from './verbs.ts';

function repository(): Project {
  const p = project();
  p.write('a.txt', 'a\n');
  p.write('.gitignore', '*.log\n');
  p.commitAll();
  p.write('debug.log', 'd\n');
  return p;
}

/** Whether to run the verbs with JSON as well. The environment affects the verbs, not the format of their answers. */
const json = testEffort({ quick: false, ci: true, long: true });

const change = (p: Project) => (): void => {
  p.write('a.txt', 'changed\n');
  p.delete('debug.log');
};

describe('inherited variables', () => {
  it('GIT_DIR and similar variables are ignored: the requested folder is the workspace', () => {
    const p = repository();
    shell(p.base, 'git init -q victim && cd victim && echo v > v.txt && git add -A && git commit -q -m v');
    const victim = path.join(p.base, 'victim');
    const before = [gitFingerprint(victim), gitFingerprint(p.dir), workingFiles(victim)];
    const env = {
      GIT_DIR: path.join(victim, '.git'),
      GIT_WORK_TREE: victim,
      GIT_INDEX_FILE: path.join(victim, '.git/index'),
      GIT_OBJECT_DIRECTORY: path.join(victim, '.git/objects'),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: path.join(victim, '.git/objects'),
      GIT_COMMON_DIR: path.join(victim, '.git'),
      GIT_NAMESPACE: 'elsewhere',
      GIT_CEILING_DIRECTORIES: p.dir,
      GIT_PREFIX: '../../',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: '/bin/false',
      GIT_CONFIG_PARAMETERS: "'core.bare=true'",
      GIT_EXTERNAL_DIFF: '/bin/false',
      GIT_TEMPLATE_DIR: victim,
      GIT_TRACE: path.join(p.base, 'trace'),
    };
    runEveryVerb(p, change(p), { json, env });
    expect([gitFingerprint(victim), gitFingerprint(p.dir), workingFiles(victim)]).toEqual(before);
    expect(p.run(['workspaces', '--json'], { env }).stdout).not.toContain('victim');
    expect(fs.existsSync(path.join(p.base, 'trace'))).toBe(false);
  });

  it('a program called git that is first on PATH never gets the project or the environment', () => {
    const p = repository();
    const bin = path.join(p.base, 'bin');
    const log = path.join(p.base, 'git-calls');
    fs.mkdirSync(bin);
    fs.writeFileSync(path.join(bin, 'git'), `#!/bin/sh\n{ echo "$PWD $*"; env; } >> '${log}'\nexit 1\n`, {
      mode: 0o755,
    });
    const env = {
      PATH: `${bin}:${process.env['PATH']}`,
      GIT_DIR: p.at('.git'),
      GIT_SSH_COMMAND: 'ssh',
      SECRET_TOKEN: 'x',
    };
    const first = p.run(['checkpoint'], { env });
    expect(first.status, first.stderr).toBe(0);
    change(p)();
    for (const args of [
      ['checkpoint'],
      ['diff'],
      ['restore', 'cp_1', '--yes'],
      ['undo', '--yes'],
      ['verify'],
      ['gc'],
    ]) {
      p.run(args, { env });
    }
    const seen = fs.existsSync(log) ? fs.readFileSync(log, 'utf8') : '';
    expect(seen).not.toContain(p.dir);
    expect(seen).not.toContain('SECRET_TOKEN');
    expect(seen).not.toMatch(/^GIT_SSH_COMMAND=/m);
  });

  it('PATH entries inside the project are not searched', () => {
    const p = repository();
    const canary = path.join(p.base, 'canary');
    for (const name of ['git', 'node', 'sh', 'env']) p.write(`bin/${name}`, `#!/bin/sh\n: > '${canary}'\n`, 0o755);
    runEveryVerb(p, change(p), { json, env: { PATH: `${p.at('bin')}:bin:.:${process.env['PATH']}` } });
    expect(fs.existsSync(canary)).toBe(false);
  });
});

describe('missing variables and programs', () => {
  it('every verb works with no git on PATH', () => {
    const p = repository();
    const nothing = path.join(p.base, 'nothing');
    fs.mkdirSync(nothing);
    runEveryVerb(p, change(p), { json, env: { PATH: nothing } });
  });

  it('every verb works with PATH and HOME not set at all', () => {
    const p = repository();
    runEveryVerb(p, change(p), { json, env: { PATH: undefined, HOME: undefined, LC_ALL: undefined } });
  });

  it('without SAVEPOINT_HOME the store is in the data folder, and private', () => {
    const p = repository();
    const data = path.join(p.base, 'data');
    const outcome = p.run(['checkpoint'], { env: { SAVEPOINT_HOME: undefined, XDG_DATA_HOME: data } });
    expect(outcome.status, outcome.stderr).toBe(0);
    if (process.platform === 'linux') expect(fs.statSync(path.join(data, 'savepoint')).mode & 0o777).toBe(0o700);
    expect(fs.existsSync(p.store)).toBe(false);
  });

  it('a relative or empty SAVEPOINT_HOME is refused', () => {
    const p = repository();
    const before = workingFiles(p.dir);
    const outcome = p.run(['checkpoint'], { env: { SAVEPOINT_HOME: 'store' } });
    expect(outcome.status).toBe(2);
    expect(outcome.stderr).toContain('SAVEPOINT_HOME');
    expect(workingFiles(p.dir)).toEqual(before);
  });

  it('a temporary folder that does not exist does not matter', () => {
    const p = repository();
    runEveryVerb(p, change(p), { json, env: { TMPDIR: path.join(p.base, 'no-such-folder'), TMP: '', TEMP: '' } });
  });

  it('the umask affects neither restored modes nor the permissions of the store', () => {
    for (const umask of ['000', '777']) {
      const p = repository();
      p.write('private.key', 'k\n', 0o600);
      p.write('run.sh', '#!/bin/sh\n', 0o775);
      const before = workingFiles(p.dir);
      const main = path.resolve('packages/cli/bundle/savepoint.js');
      const script = (args: string): string => `umask ${umask}; cd '${p.dir}'; '${process.execPath}' '${main}' ${args}`;
      const withEnv = (args: string): void =>
        shell(p.dir, `HOME='${p.home}'; SAVEPOINT_HOME='${p.store}'; export HOME SAVEPOINT_HOME; ${script(args)}`);
      withEnv('checkpoint');
      p.delete('private.key');
      p.delete('run.sh');
      withEnv('restore cp_1 --yes');
      expect(workingFiles(p.dir), `umask ${umask}`).toEqual(before);
      expect(fs.statSync(p.store).mode & 0o777, `umask ${umask}`).toBe(0o700);
    }
  });
});
