// @ts-check
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Hooks and commands that the daemon answers. */

const COMMAND = fileURLToPath(new URL('../packages/cli/bundle/savepoint.js', import.meta.url));
const SCRIPT = fileURLToPath(new URL('../packages/cli/bundle/savepoint-hook', import.meta.url));
const PATIENCE_MS = 30_000;

/** @param {{ base: string, project: string }} options `base`: an empty folder for its stores and its socket */
export async function startDaemon({ base, project }) {
  const home = join(base, 'home');
  const runtime = join(base, 'run');
  for (const folder of [home, runtime]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = { HOME: base, SAVEPOINT_HOME: home };
  const env = { ...process.env, ...own, XDG_RUNTIME_DIR: runtime };
  const child = spawn(process.execPath, [COMMAND, 'daemon', 'run', '--idle', '600'], { env, stdio: 'ignore' });
  const socketPath = join(home, 'daemon', 's');
  for (let waited = 0; !existsSync(socketPath); waited += 10) {
    if (waited > PATIENCE_MS || child.exitCode !== null) throw new Error('the daemon does not start');
    await sleep(10);
  }
  const build = /savepoint-build: ([^']+)'/.exec(readFileSync(SCRIPT, 'utf8'))?.[1] ?? '';
  let calls = 0;
  /** @param {'PreToolUse' | 'PostToolUse'} name */
  const eventOf = (name) => {
    if (name === 'PreToolUse') calls += 1;
    return JSON.stringify({
      session_id: 'bench',
      cwd: project,
      permission_mode: 'default',
      hook_event_name: name,
      tool_name: 'Bash',
      tool_input: { command: 'make' },
      tool_use_id: `call-${calls}`,
      ...(name === 'PostToolUse' ? { tool_response: { stdout: '', stderr: '' } } : {}),
    });
  };
  return {
    pid: /** @type {number} */ (child.pid),
    /** What commands need to find it. */
    env: { ...own, XDG_RUNTIME_DIR: runtime },
    /**
     * Asks the daemon directly, without starting a process.
     * @param {'PreToolUse' | 'PostToolUse'} name
     * @returns {Promise<number>} milliseconds
     */
    async asked(name) {
      const body = `${Object.entries(own)
        .map(([key, value]) => `${key}=${value}\0`)
        .join('')}${eventOf(name)}`;
      const started = performance.now();
      const sent = request({
        socketPath,
        path: '/hook/claude',
        method: 'POST',
        headers: { host: 'savepoint', 'savepoint-build': build, 'content-type': 'application/octet-stream' },
      });
      sent.end(body);
      const [response] = await once(sent, 'response');
      response.resume();
      await once(response, 'end');
      if (response.statusCode !== 200) throw new Error(`the daemon answers ${response.statusCode}`);
      return performance.now() - started;
    },
    /**
     * Runs the command line from an agent's settings, with all processes that it starts.
     * @param {'PreToolUse' | 'PostToolUse'} name
     * @param {Readonly<Record<string, string>>} [more] additional environment variables
     * @returns {number} milliseconds
     */
    whole(name, more = {}) {
      const input = eventOf(name);
      const line = [process.execPath, COMMAND, 'hook', 'claude'];
      const started = performance.now();
      const done = spawnSync(SCRIPT, line, { cwd: project, env: { ...env, ...more }, input });
      const ms = performance.now() - started;
      if (done.status !== 0) throw new Error(`the hook: ${done.status ?? done.signal}\n${done.stderr}`);
      return ms;
    },
    async end() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
