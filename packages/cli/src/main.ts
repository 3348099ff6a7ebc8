#!/usr/bin/env node
// Hooks come first, and what they do not need is not even loaded: an agent waits for them at every step.
if (process.argv[2] === 'hook') {
  const { hook } = await import('./hook.ts');
  await hook(process.argv.slice(3));
} else {
  const { run } = await import('./run.ts');
  process.exitCode = await run(process.argv.slice(2), process.env);
}
