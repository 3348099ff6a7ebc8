/** Events of agents around a call, in the formats of the released programs. */

/** What an agent wants a tool to do, independent of its protocol. */
export type Task =
  | { readonly kind: 'write'; readonly path: string; readonly text: string }
  | { readonly kind: 'edit'; readonly path: string; readonly edits: readonly Replacement[] }
  | { readonly kind: 'patch'; readonly files: readonly PatchedFile[] }
  | { readonly kind: 'shell'; readonly commands: readonly string[]; readonly background: boolean };

export interface Replacement {
  readonly old: string;
  readonly new: string;
  readonly all: boolean;
}

/** Without `lines`, the file is deleted. Without `old`, it is new. */
export interface PatchedFile {
  readonly path: string;
  readonly old?: readonly string[];
  readonly lines?: readonly string[];
}

/** What a file tool did to its only path. Texts have line feeds only, as agents report them. */
export interface Done {
  readonly found: string | null;
  readonly written: string;
}

export interface Sent {
  /** The argument that the agent's settings add after its name. */
  readonly hint: string | null;
  readonly event: object;
}

export interface CallEvents {
  readonly tool: string;
  readonly begun: Sent;
  /** @param done null for a shell command or a patch */
  readonly ended: (done: Done | null) => Sent;
  /** Null: the agent reports nothing about a call that failed. */
  readonly failed: (why: string) => Sent | null;
}

export type Ability = 'write' | 'edit' | 'several' | 'all' | 'patch' | 'shell' | 'background';

export interface Protocol {
  readonly name: string;
  /** What its tools can do. */
  readonly can: readonly Ability[];
  start(session: string): Sent;
  prompt(session: string, text: string): Sent;
  stop(session: string): Sent;
  /** @param subAgent its id, if a sub-agent of the session makes the call */
  call(session: string, task: Task, subAgent: string | null): CallEvents;
}

/** @param dir the agent's folder @param tick returns another number each time */
export function protocolsIn(dir: string, tick: () => number): Readonly<Record<string, Protocol>> {
  return {
    claude: claudeIn(dir, tick),
    gemini: geminiIn(dir, tick),
    copilot: copilotIn(dir, tick),
    codex: codexIn(dir, tick),
  };
}

export function patchText(files: readonly PatchedFile[]): string {
  const sections = files.map(({ path, old, lines }) => {
    if (lines === undefined) return `*** Delete File: ${path}\n`;
    const added = lines.map((line) => `+${line}\n`).join('');
    if (old === undefined) return `*** Add File: ${path}\n${added}`;
    const body: string[] = [];
    let next = 0;
    for (const line of old) {
      if (!lines.includes(line)) {
        body.push(`-${line}\n`);
        continue;
      }
      while (next < lines.length && lines[next] !== line) body.push(`+${lines[next++]}\n`);
      next += 1;
      body.push(` ${line}\n`);
    }
    while (next < lines.length) body.push(`+${lines[next++]}\n`);
    return `*** Update File: ${path}\n@@\n${body.join('')}`;
  });
  return `*** Begin Patch\n${sections.join('')}*** End Patch\n`;
}

/** As Claude Code and Codex name a sub-agent. */
const ofSubAgent = (id: string | null): object => (id === null ? {} : { agent_id: id, agent_type: 'general-purpose' });
const plain = (event: object): Sent => ({ hint: null, event });
const pathIn = (dir: string, path: string): string => `${dir}/${path}`;

function claudeIn(dir: string, tick: () => number): Protocol {
  const about = (session: string, name: string): object => ({
    session_id: session,
    transcript_path: `/transcripts/${session}.jsonl`,
    cwd: dir,
    hook_event_name: name,
  });
  const turn = { permission_mode: 'default', effort: { level: 'medium' } };
  const inputOf = (task: Task): readonly [tool: string, input: object] => {
    switch (task.kind) {
      case 'write':
        return ['Write', { file_path: pathIn(dir, task.path), content: task.text }];
      case 'edit': {
        const edits = task.edits.map((one) => ({ old_string: one.old, new_string: one.new, replace_all: one.all }));
        const file_path = pathIn(dir, task.path);
        return edits.length === 1 ? ['Edit', { file_path, ...edits[0] }] : ['MultiEdit', { file_path, edits }];
      }
      case 'shell':
        return [
          'Bash',
          {
            command: task.commands.join('; '),
            description: 'Works',
            ...(task.background ? { run_in_background: true } : {}),
          },
        ];
      case 'patch':
        throw new Error('Claude Code has no such tool');
    }
  };
  return {
    name: 'claude',
    can: ['write', 'edit', 'several', 'all', 'shell', 'background'],
    start: (session) => plain({ ...about(session, 'SessionStart'), source: 'startup' }),
    prompt: (session, prompt) => {
      const id = `prompt-${tick()}`;
      return plain({ ...about(session, 'UserPromptSubmit'), ...turn, prompt_id: id, prompt });
    },
    stop: (session) => plain({ ...about(session, 'Stop'), ...turn, stop_hook_active: false, background_tasks: [] }),
    call: (session, task, subAgent) => {
      const [tool, input] = inputOf(task);
      const call = {
        ...turn,
        ...ofSubAgent(subAgent),
        tool_name: tool,
        tool_input: input,
        tool_use_id: `toolu_${tick()}`,
      };
      const respond = (done: Done | null): object => {
        if (done === null) {
          const id = task.kind === 'shell' && task.background ? { backgroundTaskId: `bash_${tick()}` } : {};
          return { stdout: '', stderr: '', interrupted: false, isImage: false, ...id };
        }
        // The tool for several edits has another name for what it found.
        if (tool === 'MultiEdit') return { ...input, originalFileContents: done.found, structuredPatch: [] };
        const rest = { originalFile: done.found, structuredPatch: [], userModified: false };
        return tool === 'Write'
          ? { type: done.found === null ? 'create' : 'update', ...rest, content: done.written }
          : { ...rest, replaceAll: false };
      };
      return {
        tool,
        begun: plain({ ...about(session, 'PreToolUse'), ...call }),
        ended: (done) =>
          plain({ ...about(session, 'PostToolUse'), ...call, tool_response: respond(done), duration_ms: 9 }),
        failed: (error) => plain({ ...about(session, 'PostToolUseFailure'), ...call, error, is_interrupt: false }),
      };
    },
  };
}

function geminiIn(dir: string, tick: () => number): Protocol {
  const about = (session: string, name: string): object => ({
    session_id: session,
    transcript_path: `/transcripts/${session}.jsonl`,
    cwd: dir,
    hook_event_name: name,
    timestamp: new Date(1_795_000_000_000 + tick() * 7).toISOString(),
  });
  const inputOf = (task: Task): readonly [tool: string, input: object] => {
    switch (task.kind) {
      case 'write':
        return ['write_file', { file_path: pathIn(dir, task.path), content: task.text }];
      case 'edit': {
        const [one] = task.edits as [Replacement];
        const many = one.all ? { allow_multiple: true } : {};
        return [
          'replace',
          { file_path: pathIn(dir, task.path), old_string: one.old, new_string: one.new, instruction: 'Edit', ...many },
        ];
      }
      case 'shell':
        return [
          'run_shell_command',
          { command: task.commands.join('; '), description: 'Works', is_background: task.background },
        ];
      case 'patch':
        throw new Error('Gemini CLI has no such tool');
    }
  };
  return {
    name: 'gemini',
    can: ['write', 'edit', 'all', 'shell', 'background'],
    start: (session) => plain({ ...about(session, 'SessionStart'), source: 'startup' }),
    prompt: (session, prompt) => plain({ ...about(session, 'BeforeAgent'), prompt }),
    stop: (session) => plain({ ...about(session, 'AfterAgent'), prompt: 'x', prompt_response: 'Done.' }),
    call: (session, task) => {
      const [tool, input] = inputOf(task);
      const call = { tool_name: tool, tool_input: input };
      const after = (tool_response: object): Sent => plain({ ...about(session, 'AfterTool'), ...call, tool_response });
      return {
        tool,
        begun: plain({ ...about(session, 'BeforeTool'), ...call }),
        ended: (done) =>
          after({
            llmContent: 'Success',
            returnDisplay:
              done === null
                ? ''
                : {
                    fileDiff: '',
                    originalContent: done.found ?? '',
                    newContent: done.written,
                    isNewFile: done.found === null,
                  },
          }),
        failed: (message) =>
          after({ llmContent: message, returnDisplay: message, error: { message, type: 'edit_no_occurrence_found' } }),
      };
    },
  };
}

function copilotIn(dir: string, tick: () => number): Protocol {
  const about = (session: string): object => ({
    sessionId: session,
    timestamp: 1_795_000_000_000 + tick() * 7,
    cwd: dir,
  });
  const named = (hint: string, event: object): Sent => ({ hint, event });
  const inputOf = (task: Task): readonly [tool: string, input: object] => {
    switch (task.kind) {
      case 'write':
        return ['create', { path: pathIn(dir, task.path), file_text: task.text }];
      case 'edit': {
        const [one] = task.edits as [Replacement];
        return ['edit', { path: pathIn(dir, task.path), old_str: one.old, new_str: one.new }];
      }
      case 'shell':
        return [
          'bash',
          {
            command: task.commands.join('; '),
            description: 'Works',
            ...(task.background ? { mode: 'async' } : {}),
          },
        ];
      case 'patch':
        return ['apply_patch', { input: patchText(task.files) }];
    }
  };
  return {
    name: 'copilot',
    can: ['write', 'edit', 'patch', 'shell', 'background'],
    start: (session) => named('sessionStart', { ...about(session), source: 'new' }),
    prompt: (session, prompt) => named('userPromptSubmitted', { ...about(session), prompt }),
    stop: (session) => named('agentStop', { ...about(session), stopReason: 'end_turn', stop_hook_active: false }),
    call: (session, task) => {
      const [toolName, toolArgs] = inputOf(task);
      const after = (toolResult: object): Sent =>
        named('postToolUse', { ...about(session), toolName, toolArgs, toolResult });
      return {
        tool: toolName,
        begun: named('preToolUse', { ...about(session), toolName, toolArgs }),
        ended: () => after({ resultType: 'success', textResultForLlm: 'Done.' }),
        failed: (textResultForLlm) => after({ resultType: 'failure', textResultForLlm }),
      };
    },
  };
}

function codexIn(dir: string, tick: () => number): Protocol {
  const about = (session: string, name: string): object => ({
    session_id: session,
    transcript_path: `/transcripts/${session}.jsonl`,
    cwd: dir,
    hook_event_name: name,
    model: 'm',
    permission_mode: 'default',
  });
  return {
    name: 'codex',
    can: ['patch', 'patch', 'shell'],
    start: (session) => plain({ ...about(session, 'SessionStart'), source: 'startup' }),
    prompt: (session, prompt) => {
      const turn_id = `turn-${tick()}`;
      return plain({ ...about(session, 'UserPromptSubmit'), turn_id, prompt });
    },
    stop: (session) => plain({ ...about(session, 'Stop'), turn_id: 'turn', stop_hook_active: false }),
    call: (session, task, subAgent) => {
      const [tool, command] =
        task.kind === 'patch'
          ? ['apply_patch', patchText(task.files)]
          : ['Bash', task.kind === 'shell' ? task.commands.join('; ') : ''];
      const call = {
        turn_id: 'turn',
        ...ofSubAgent(subAgent),
        tool_name: tool,
        tool_input: { command },
        tool_use_id: `call_${tick()}`,
      };
      const after = (tool_response: string): Sent =>
        plain({ ...about(session, 'PostToolUse'), ...call, tool_response });
      return {
        tool,
        begun: plain({ ...about(session, 'PreToolUse'), ...call }),
        ended: () => after(tool === 'Bash' ? '' : 'Exit code: 0\nOutput:\nSuccess. Updated the following files:\n'),
        failed: () => null,
      };
    },
  };
}
