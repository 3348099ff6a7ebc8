// @ts-check
/**
 * An agent works in a sandbox, led from outside: commands, files, checkpoints, and what it did taken back. Here the sandbox is
 * a folder of this machine; `sshSandbox` and `e2bSandbox` go in its place and nothing else changes:
 *
 *     npm run build && node examples/sandboxes/agent.mjs
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { executionAdapter, localSandbox } from '@savepoint/core';
import { nodePorts } from '@savepoint/core/node';

const base = mkdtempSync(join(tmpdir(), 'savepoint-example-'));
mkdirSync(join(base, 'shop'));
const dir = join(base, 'shop');

const ports = nodePorts();
const sandbox = localSandbox({ ports, env: { PATH: process.env['PATH'], HOME: base }, cwd: '/' });
// The one file that is brought into the sandbox: Savepoint itself.
const program = readFileSync(fileURLToPath(import.meta.resolve('@savepoint/cli/remote')));
const adapter = executionAdapter(sandbox, dir, { program, random: ports.random, home: join(base, 'stores') });
const { workspace } = adapter;

await adapter.write(`${dir}/price.txt`, Buffer.from('1.19\n'));
const { checkpoint } = await workspace.checkpoint({ message: 'before the agent' });
console.log(`${checkpoint.id}: ${checkpoint.description}`);

const session = workspace.session({ agent: 'my-agent' });
await session.call({ tool: 'bash', kind: 'shell', args: { command: 'raise the price' } }, async () => {
  const line = 'echo 1.29 > price.txt; echo raised > log.txt; exit 3';
  const { id, exit } = await adapter.run({ id: 'call_1', command: ['sh', '-c', line], cwd: dir, timeoutMs: 60_000 });
  console.log(`${id} ended with status ${exit}`);
});
const { changes } = await workspace.history({ session: session.id });
for (const change of changes) console.log(`${change.authors[0]?.actor.name}: ${change.operation} ${change.path}`);
for (const [root, structure] of await adapter.directoryStructures()) console.log(`in ${root || '.'}:\n${structure}`);

await workspace.rollback({ session: session.id, likely: true });
console.log(`price.txt: ${await adapter.read(`${dir}/price.txt`)}`.trim());
console.log(`log.txt: ${await adapter.read(`${dir}/log.txt`)}`);
await adapter.close();
rmSync(base, { recursive: true });
