/** One call of a client: opens the workspace, calls the tool, and returns the result in the form of the protocol. */
import { type DiskPath, open, type SavepointError } from '@savepoint/core';
import {
  answerText,
  callTool,
  failureText,
  type IssuedPreviews,
  type ReadyTool,
  type StructuredAnswer,
} from '@savepoint/core/tools';
import { linkTo, type ResourceLink } from './links.ts';
import type { Machine, SandboxesShell } from './roots.ts';

/** The parts of a call that come from the client. */
export interface ToolCallContext {
  readonly signal: AbortSignal;
  /** The client's program, if it gave its name. */
  readonly client: { readonly name: string; readonly version: string | null } | null;
  /** The client's own id of this tool call. It links the call to the events of the client's hooks. */
  readonly toolUseId: string | null;
  /** Reports progress; null if the client did not ask for it. */
  readonly progress: ((message: string) => void) | null;
}

/** State that the calls of one server share. */
export interface CallState {
  readonly machine: Machine;
  readonly previews: IssuedPreviews;
  readonly sandboxesShell: SandboxesShell;
}

interface TextContent {
  readonly type: 'text';
  readonly text: string;
}

export interface CallResult {
  readonly [key: string]: unknown;
  readonly content: (TextContent | ResourceLink)[];
  readonly structuredContent: StructuredAnswer;
}

export interface FailedResult {
  readonly [key: string]: unknown;
  readonly isError: true;
  readonly content: [TextContent];
}

/** @throws SavepointError, and rethrows unexpected errors unchanged */
export async function performCall(
  { tool, schemas }: ReadyTool,
  given: unknown,
  folder: DiskPath,
  { machine, previews, sandboxesShell }: CallState,
  call: ToolCallContext,
): Promise<CallResult> {
  const { client, progress, signal, toolUseId } = call;
  const savepoint = open({
    dir: folder,
    ...machine,
    actor: {
      kind: 'agent',
      name: client?.name ?? 'mcp',
      ...(client?.version == null ? {} : { version: client.version }),
    },
  });
  if (progress !== null) {
    savepoint.on('progress', ({ phase, done, total }) =>
      progress(total === null ? `${phase}: ${done}` : `${phase}: ${done} of ${total}`),
    );
    savepoint.on('waiting', ({ pid }) => progress(`waiting for another process (pid ${pid})`));
  }
  const isSandboxed = async (): Promise<boolean> => client !== null && (await sandboxesShell(client.name));
  const context = { signal, previews, isSandboxed, toolCall: toolUseId ?? { tool: tool.name, args: given } };
  const { structured, omittedFiles: taken } = await callTool(tool, schemas, given, savepoint, context);
  return {
    content: [{ type: 'text', text: answerText(tool, structured) }, ...taken.map((path) => linkTo(folder, path))],
    structuredContent: structured,
  };
}

/** The error as JSON in the text. There is no structured content, so that every client passes on the text. */
export function failedResult(failure: SavepointError): FailedResult {
  return { isError: true, content: [{ type: 'text', text: failureText(failure) }] };
}
