/**
 * Detects which agent runs a hook. Other agents also run the hooks in Claude Code's settings: Copilot CLI, VS Code, and
 * Cursor if that is turned on. Their changes are recorded under their own names. If their own settings have our hook as
 * well, that hook reports the event.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment, Protocol } from '../agent.ts';
import { copilot } from '../copilot.ts';
import { cursor } from '../cursor.ts';
import type { AgentName } from '../event.ts';
import { type Fields, field, firstTextIn, textIn } from '../fields.ts';
import { homeFolder } from '../settings/home-folder.ts';
import { isHookCommand } from '../settings/hook-command.ts';
import { AGENTS } from '../table.ts';
import { vscode } from '../vscode.ts';

export interface Caller {
  readonly protocol: Protocol;
  /** The caller also runs our hook from its own settings, and that hook handles the event. */
  readonly isHandledElsewhere: boolean;
}

/** @param name the agent whose settings have the hook */
export function callerOf(name: AgentName, event: Fields, env: Environment): Caller {
  if (name !== 'claude') return { protocol: AGENTS[name], isHandledElsewhere: false };
  if (env['COPILOT_CLI'] === '1') {
    const folder = env['COPILOT_PROJECT_DIR'] ?? textIn(event, 'cwd');
    const own = [
      ...(folder === null ? [] : [join(folder, ...copilot.integration.project)]),
      join(env['COPILOT_HOME'] ?? join(homeFolder(env), '.copilot'), 'settings.json'),
    ];
    return { protocol: copilot, isHandledElsewhere: own.some((file) => hasOurHook(file, 'copilot')) };
  }
  if (textIn(event, 'cursor_version', 'conversation_id') !== null) {
    const folder = firstTextIn(event, 'workspace_roots');
    const own = [
      ...(folder === null ? [] : [join(folder, ...cursor.integration.project)]),
      join(homeFolder(env), '.cursor', 'hooks.json'),
    ];
    return { protocol: cursor, isHandledElsewhere: own.some((file) => hasOurHook(file, 'cursor')) };
  }
  const speaksOtherwise = field(event, 'session_id') === undefined && textIn(event, 'hookEventName') !== null;
  return { protocol: speaksOtherwise ? vscode : AGENTS.claude, isHandledElsewhere: false };
}

function hasOurHook(file: string, agent: AgentName): boolean {
  try {
    return isHookCommand(readFileSync(file, 'utf8'), agent);
  } catch {
    return false;
  }
}
