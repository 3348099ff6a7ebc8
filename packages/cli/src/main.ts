#!/usr/bin/env node
import { useCompileCache } from './compile-cache.ts';

useCompileCache(process.env);
const [first, ...others] = process.argv.slice(2);
// Hooks take the fastest path and load only what they need, because agents wait for them at every step.
if (first === 'hook') {
  const { hook } = await import('./hook.ts');
  await hook(others);
} else if ((first === '--version' || first === '-V') && others.length === 0) {
  const { ownVersion } = await import('./own-version.ts');
  process.stdout.on('error', () => undefined).write(`${ownVersion()}\n`);
} else {
  const { run } = await import('./run.ts');
  process.exitCode = await run(process.argv.slice(2), process.env);
}
