/** Plays an agent: `node dead-agent.mjs COMMAND… `. Runs a hook for each line of JSON on stdin, and answers with a line. */
import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';

const command = process.argv.slice(2).map((word) => `'${word}'`);
for await (const line of createInterface({ input: process.stdin })) {
  // Agents run hooks through a shell.
  const { status } = spawnSync('sh', ['-c', `${command.join(' ')}; exit $?`], { input: line });
  console.log(status);
}
