/** Events of an agent that works inside `savepoint run`, with one call of its shell. */
import type { Project } from '@savepoint/testkit/command';

/** @returns the input of Claude Code's hook */
export function innerEvent(p: Project, name: 'SessionStart' | 'PreToolUse' | 'PostToolUse'): string {
  return JSON.stringify({
    session_id: 'inner',
    cwd: p.dir,
    hook_event_name: name,
    tool_name: 'Bash',
    tool_input: { command: 'make' },
    tool_use_id: 't-1',
    ...(name === 'PostToolUse' ? { tool_response: { stdout: '', stderr: '', interrupted: false } } : {}),
  });
}
