/** Who really runs a hook: settings of one agent are run by others as well. */

import type { Environment, Protocol } from '../agent.ts';
import type { AgentName } from '../event.ts';
import type { Fields } from '../fields.ts';
import { AGENTS } from '../table.ts';

export interface Caller {
  readonly protocol: Protocol;
  /** The caller runs a hook of ours from settings of its own as well, and that one deals with the event. */
  readonly toldElsewhere: boolean;
}

/** @param name whose settings the hook stands in */
export function callerOf(name: AgentName, _event: Fields, _env: Environment): Caller {
  return { protocol: AGENTS[name], toldElsewhere: false };
}
