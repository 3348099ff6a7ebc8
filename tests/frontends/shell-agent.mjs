/** Plays an agent: `node shell-agent.mjs NODE SAVEPOINT`. Each line on stdin is `{ event }` for its hook or `{ command }`. */
import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';

const hook = [...process.argv.slice(2), 'hook', 'claude'].map((word) => `'${word}'`).join(' ');
for await (const line of createInterface({ input: process.stdin })) {
  const { event, command } = JSON.parse(line);
  const [script, input] = event === undefined ? [command, ''] : [`${hook}; exit $?`, JSON.stringify(event)];
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { input, encoding: 'utf8' });
  console.log(JSON.stringify({ status, stdout, stderr }));
}
