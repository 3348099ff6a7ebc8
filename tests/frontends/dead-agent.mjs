/**
 * Plays an agent: `node dead-agent.mjs COMMAND…`. Reads lines of JSON from stdin and answers each with a line: runs a hook
 * for an event, and a shell command for `{ "run": … }`. `{ "serve": … }` starts a command that stays, as a server does.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';

const command = process.argv.slice(2).map((word) => `'${word}'`);
let env = { ...process.env, CLAUDECODE: '1' };
for await (const line of createInterface({ input: process.stdin })) {
  const { run, serve, session_id } = JSON.parse(line);
  if (session_id !== undefined) env = { ...env, CLAUDE_CODE_SESSION_ID: session_id };
  if (run !== undefined) {
    console.log(spawnSync('sh', ['-c', run], { stdio: 'ignore', env }).status);
  } else if (serve !== undefined) {
    console.log(spawn('sh', ['-c', serve], { stdio: 'ignore', env }).pid);
  } else {
    // Agents run hooks through a shell.
    console.log(spawnSync('sh', ['-c', `${command.join(' ')}; exit $?`], { input: line, env }).status);
  }
}
