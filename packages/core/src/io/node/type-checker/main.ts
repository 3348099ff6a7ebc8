/** Reads a request, loads the project's own TypeScript, and prints what it reports about both states. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TypeCheckEvent, TypeCheckRequest } from '../../type-checker.ts';
import { checkFiles } from './check-files.ts';
import { type Checker, CheckerProblem, type States } from './checker.ts';
import { loadLanguageService } from './language-service.ts';
import { enforceLimits } from './limits.ts';
import { StateFiles } from './state-files.ts';
import { loadUnstableApi } from './unstable-api.ts';

const print = process.stdout.write.bind(process.stdout);
// What the project's code prints is not an event.
process.stdout.write = process.stderr.write.bind(process.stderr);

await run(JSON.parse(readFileSync(0, 'utf8')) as TypeCheckRequest);

async function run(request: TypeCheckRequest): Promise<void> {
  enforceLimits(request);
  const send = (event: TypeCheckEvent): void => void print(`${JSON.stringify(event)}\n`);
  try {
    const states: States = { base: new StateFiles(request, 'base'), proposed: new StateFiles(request, 'proposed') };
    const { checker, version } = await load(request, states);
    send({ kind: 'opened', version });
    try {
      await checkFiles({ request, states, checker, send });
    } finally {
      await checker.close();
    }
    send({ kind: 'end' });
  } catch (error) {
    const reason = error instanceof CheckerProblem ? error.reason : 'crashed';
    send({ kind: 'problem', config: null, reason, message: error instanceof Error ? error.message : String(error) });
  }
  // Whatever the project's code has started does not keep it alive.
  print('', () => process.exit());
}

async function load(
  request: TypeCheckRequest,
  states: States,
): Promise<{ readonly checker: Checker; readonly version: string }> {
  const folder = join(states.base.root, request.typescript);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string };
  const isNative = Number.parseInt(version, 10) >= 7;
  return {
    version,
    checker: isNative ? await loadUnstableApi(folder, states, request.configs) : loadLanguageService(folder, states),
  };
}
