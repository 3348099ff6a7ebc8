import { execFileSync } from 'node:child_process';

const quiet = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};

/** Runs the user's own git as a user would. */
export function git(dir: string, ...args: readonly string[]): string {
  const env = { PATH: process.env['PATH'] ?? '', ...quiet };
  return execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
    cwd: dir,
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

/** Runs a shell script as an agent would. */
export function shell(dir: string, script: string): void {
  const env = { PATH: process.env['PATH'] ?? '', ...quiet };
  execFileSync('sh', ['-ec', script], { cwd: dir, env, stdio: 'pipe' });
}
