/** A map of the code, for somebody who starts on a task. */

import { givenPaths } from '../../io/given-path.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { EMPTY_SNAPSHOT } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import type { JsonName } from '../../model/names.ts';
import { scanWorkspace } from '../../timeline/capture/capture.ts';
import type { CodeMapReport } from '../code/code-map.ts';
import type { Engine } from '../engine.ts';

export interface MapRequest {
  /** The length of the map at most. A token is counted as four bytes. Default: 2,000. */
  readonly tokens?: number;
  /** Files and folders that are being worked on: what they use, and what uses them, comes first. */
  readonly focus?: readonly JsonName[];
}

export interface MapCalls {
  /**
   * Ranks the source files as they are now by how much others refer to them, and describes as many as fit. Nothing runs,
   * and nothing is stored, except facts about files in the cache.
   * @throws SavepointError NO_WORKSPACE, USAGE, PATH_REFUSED, CANCELLED
   */
  map(request?: MapRequest, options?: CallOptions): Promise<CodeMapReport>;
}

const DEFAULT_TOKENS = 2_000;
const MOST_TOKENS = 1_000_000;

export function mapCalls(engine: Engine): MapCalls {
  return {
    map: ({ tokens = DEFAULT_TOKENS, focus = [] } = {}, options = {}) =>
      engine.read(async (workspace) => {
        if (!Number.isSafeInteger(tokens) || tokens < 1 || tokens > MOST_TOKENS) throw wrongLength(tokens);
        const wanted = givenPaths(workspace, focus);
        const { scan, objects, latest } = await scanWorkspace(workspace, engine.pace(options), { missing: 'empty' });
        const states = { objects, base: latest?.snapshot ?? EMPTY_SNAPSHOT, proposed: scan.snapshot };
        // Loaded lazily: most calls analyse nothing.
        const { mapStates } = await import('../code/code-map.ts');
        return mapStates(engine, workspace, states, { tokens, focus: wanted }, options);
      }),
  };
}

function wrongLength(tokens: number): SavepointError {
  const message = `The length of a map must be between 1 and ${MOST_TOKENS} tokens, not ${tokens}.`;
  return new SavepointError('USAGE', message, { argument: 'tokens' });
}
