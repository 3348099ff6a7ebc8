/** A turn of an agent, as its hooks report it. */
import fs from 'node:fs';
import type { Project } from '@savepoint/testkit/command';

/** @param isReported whether its tool reports what it wrote, so that the author is sure and not only likely */
export function hookedTurn(
  p: Project,
  prompt: string,
  files: Readonly<Record<string, string>>,
  isReported = false,
): void {
  say(p, { hook_event_name: 'UserPromptSubmit', prompt });
  for (const [file, content] of Object.entries(files)) {
    const call = {
      tool_name: 'Write',
      tool_input: { file_path: p.at(file), content },
      tool_use_id: `call-${file}-${prompt.length}`,
    };
    say(p, { hook_event_name: 'PreToolUse', ...call });
    const originalFile = fs.existsSync(p.at(file)) ? p.read(file) : null;
    p.write(file, content);
    const reported = { filePath: p.at(file), type: originalFile === null ? 'create' : 'update', content, originalFile };
    say(p, { hook_event_name: 'PostToolUse', ...call, tool_response: isReported ? reported : { success: true } });
  }
  // On a busy machine, the work of a hook goes on in another process.
  const deadline = Date.now() + GIVE_UP_MS;
  while (recordedFiles(p) < Object.keys(files).length) {
    if (Date.now() > deadline) throw new Error('the turn was not recorded');
  }
}

const GIVE_UP_MS = 60_000;

function recordedFiles(p: Project): number {
  const { turns } = JSON.parse(p.ok('turns', '--json', '--limit', '1').stdout) as {
    readonly turns: readonly { readonly files: number }[];
  };
  return turns[0]?.files ?? 0;
}

export function say(p: Project, event: object): void {
  const input = JSON.stringify({ session_id: 'session-1', cwd: p.dir, ...event });
  const { status, stderr } = p.run(['hook', 'claude'], { input });
  if (status !== 0) throw new Error(`the hook ended with ${status}: ${stderr}`);
}
