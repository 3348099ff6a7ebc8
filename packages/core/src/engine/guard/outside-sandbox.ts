/** Checks that an agent asks for run outside of the sandbox that its program may run commands in. */

import { SavepointError } from '../../model/errors.ts';
import { readGuard } from '../../store/state/guard.ts';
import type { Engine } from '../engine.ts';

/** @throws SavepointError NEEDS_CONFIRMATION unless a person allowed checks outside of the sandbox of an agent */
export async function assertOutsideAllowed(engine: Engine, verb: string): Promise<void> {
  const settings = await engine.read(({ ports, store }) => readGuard(ports, store.layout));
  if (settings?.outsideSandbox === true) return;
  throw new SavepointError(
    'NEEDS_CONFIRMATION',
    'The agent runs its commands in a sandbox, and the checks would run outside of it.',
    { verb },
    {
      hint: 'Nothing was run. Ask the user to allow it: `savepoint guard on --check NAME --outside-sandbox`.',
    },
  );
}
