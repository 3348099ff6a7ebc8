/** Types into a real interactive shell, with tabs, and reads which arguments `savepoint` then gets. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import { open } from '@savepoint/core/node';
import { type Project, project } from '@savepoint/testkit/command';
import type { Shell } from '../../packages/cli/src/completion/scripts.ts';

const main = fileURLToPath(new URL('../../packages/cli/bundle/savepoint.js', import.meta.url));

/** Each begins with two digits that only it begins with. */
export const HOSTILE_FILES = [
  '01 spa ce',
  "02quo'te",
  '03dou"ble',
  '04new\nline',
  '05$HOME`id`',
  '06ex!clam',
  '07;semi&pipe|<in>',
  '08a=b:c@d',
  '09esc\u001b[31m',
  '10back\\slash',
  '11ünï→',
  '12(paren)[x]{a,b}*?~#',
  '13%s%n',
] as const;

/** If a shell asks for something, it never answers. */
const STUCK_MS = 40_000;

/** A project with a session, two turns and hostile names. */
export async function projectToComplete(): Promise<Project> {
  const p = project();
  for (const name of [...HOSTILE_FILES, '-dash', '20folder/in side']) p.write(name, 'x\n');
  const session = open({ dir: p.dir, home: p.store }).session({ agent: "cl'au de", id: "s-1 o'clock" });
  await session.prompt("Words with 'quotes' and $HOME \u001b[31m");
  await session.call({ tool: 'Write', kind: 'write', paths: ['a.txt'] as never }, () => p.write('a.txt', 'a\n'));
  return p;
}

const START: Readonly<Record<Shell, readonly string[]>> = {
  bash: ['--noprofile', '--norc', '-i'],
  zsh: ['-f', '-i'],
  fish: ['--no-config', '-i'],
};

const SETUP: Readonly<Record<Shell, string>> = {
  bash: `bind 'set bell-style none' 'set enable-bracketed-paste off'; PS1=''; eval "$(savepoint completion bash)"`,
  zsh: `PS1=''; unsetopt beep prompt_sp; autoload -Uz compinit; compinit -D -u; eval "$(savepoint completion zsh)"`,
  fish: `function fish_prompt; end; savepoint completion fish | source`,
};

/**
 * Types each line and Enter.
 * @returns the arguments that `savepoint` got from each
 */
export async function argumentsTyped(
  p: Project,
  shell: Shell,
  lines: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const bin = `${p.base}/bin`;
  mkdirSync(bin, { recursive: true });
  const answer = `${p.base}/arguments`;
  writeFileSync(
    `${bin}/savepoint`,
    `#!/bin/sh
case "$1" in
  completion | __complete) exec '${process.execPath}' '${main}' "$@" ;;
esac
for one in "$@"; do printf '%s\\0' "$one"; done > '${answer}'
echo "<<done>>"
`,
  );
  chmodSync(`${bin}/savepoint`, 0o755);
  const terminal = spawn(shell, [...START[shell]], {
    cwd: p.dir,
    cols: 200,
    rows: 50,
    name: 'xterm',
    env: { ...p.environment(), PATH: `${bin}:${process.env['PATH']}`, TERM: 'xterm', LC_ALL: 'C.UTF-8' },
  });
  const left = [`${SETUP[shell]}; savepoint ready`, ...lines];
  const found: (readonly string[])[] = [];
  let screen = '';
  return await new Promise((resolve, reject) => {
    const stop = (): void => terminal.kill('SIGKILL');
    let stuck = setTimeout(stop, STUCK_MS);
    const type = (): void => {
      clearTimeout(stuck);
      stuck = setTimeout(stop, STUCK_MS);
      terminal.write(`${left.shift()}\r`);
    };
    terminal.onData((data) => {
      screen += data;
      if (!screen.includes('<<done>>')) return;
      screen = '';
      found.push(readFileSync(answer, 'utf8').split('\0').slice(0, -1));
      if (left.length > 0) type();
      else stop();
    });
    terminal.onExit(() => {
      clearTimeout(stuck);
      if (found.length > lines.length) resolve(found.slice(1));
      else reject(new Error(`${shell} got stuck after ${JSON.stringify(found.at(-1))} and shows:\n${screen}`));
    });
    type();
  });
}
