/** Events of an agent in a copy, as words of a shell script that reports them as the hooks of Claude Code do. */
import { main as MAIN } from '@savepoint/testkit/command';

const IN_COPY = { session_id: 's1', cwd: 'CWD', prompt_id: 'p1' };

export function prompt(words: string): string {
  return hook({ ...IN_COPY, hook_event_name: 'UserPromptSubmit', prompt: words });
}

export const STOP = hook({ ...IN_COPY, hook_event_name: 'Stop' });

function hook(event: object): string {
  const main = [process.execPath, MAIN].map((word) => `'${word}'`).join(' ');
  return `printf '%s' '${JSON.stringify(event)}' | sed "s#CWD#$PWD#" | ${main} hook claude`;
}
