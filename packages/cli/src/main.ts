#!/usr/bin/env node
import { useCompileCache } from './compile-cache.ts';
import { limitHeap } from './heap-growth.ts';

const args = process.argv.slice(2);
const [first, ...others] = args;
limitHeap(args);
// A tab in a shell writes nothing.
useCompileCache(process.env, { adds: first !== '__complete' });
// Hooks take the fastest path and load only what they need, because agents wait for them at every step.
if (first === 'hook') {
  const { hook } = await import('./hook.ts');
  await hook(others);
} else if ((first === '--version' || first === '-V') && others.length === 0) {
  const { ownVersion } = await import('./own-version.ts');
  process.stdout.on('error', () => undefined).write(`${ownVersion()}\n`);
} else if (first === '__complete') {
  const { complete } = await import('./completion/complete.ts');
  await complete(others, process.env);
} else {
  const { runByDaemon } = await import('./daemon/client.ts');
  const answered = await runByDaemon(args, process.env);
  if (typeof answered === 'number') process.exitCode = answered;
  else {
    const { run } = await import('./run.ts');
    process.exitCode = await run(args, process.env, answered?.interrupt);
  }
}
