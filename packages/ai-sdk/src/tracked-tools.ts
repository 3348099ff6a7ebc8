/** Records the calls of an agent's own tools in its session. */

import type { CallRequest, GivenWrite, Session, ToolKind } from '@savepoint/core';
import { recordedId, type ToolCallOptions } from './sdk-shapes.ts';

/** How the calls of one tool are recorded. */
export interface Tracking<Input = never> {
  /** What the tool does. Default `other`: it may write anywhere. */
  readonly kind?: ToolKind;
  /** Returns all paths that a call with this input writes: absolute, or relative to the workspace. */
  readonly paths?: (input: Input) => readonly string[];
  /**
   * Returns what a call with this input writes to these paths: the whole new text, replacements, or null for a deleted
   * file. If the file is then exactly like that, the change is surely the agent's.
   */
  readonly writes?: (input: Input) => readonly PlannedWrite[];
  /** Whether calls are recorded. Default true; set it to false for tools that only read. */
  readonly track?: boolean;
}

/** What a tool writes to one path: absolute, or relative to the workspace. */
export interface PlannedWrite extends Omit<GivenWrite, 'path'> {
  readonly path: string;
}

/** A tool of either SDK version. Only this field is used. */
export interface AnyTool {
  readonly execute?: unknown;
}

/** What a tool's function takes. If its type is not known, the functions of its tracking may take anything. */
export type InputOfTool<Tool extends AnyTool> =
  Exclude<Tool['execute'], undefined> extends (input: infer Input, ...more: never[]) => unknown
    ? unknown extends Input
      ? never
      : Input
    : never;

type Execute = (input: unknown, options: ToolCallOptions) => unknown;

/**
 * Returns the same tools, with each call recorded in the session. Changes on disk during a call are attributed to it,
 * even if it fails. Savepoint's own tools do not need this. The `abortSignal` of a tool is also aborted when the session
 * goes back in its conversation, which waits until the tool has ended.
 * @param tracking options by tool name; a tool without options may write anywhere
 */
export function trackedTools<Tools extends Readonly<Record<string, AnyTool>>>(
  session: Session,
  tools: Tools,
  tracking: { readonly [Name in keyof Tools]?: Tracking<InputOfTool<Tools[Name]>> } = {},
): Tools {
  const entries = Object.entries(tools).map(([name, tool]) => {
    const options: Tracking = tracking[name] ?? {};
    if (typeof tool.execute !== 'function' || options.track === false) return [name, tool];
    return [name, { ...tool, execute: recordedExecute(session, name, tool.execute as Execute, options) }];
  });
  return Object.fromEntries(entries) as Tools;
}

/** Returns a function that calls `execute` between the start and the end of a call of the session. */
function recordedExecute(session: Session, name: string, execute: Execute, options: Tracking): Execute {
  const requestOf = async (input: unknown, { toolCallId }: ToolCallOptions): Promise<CallRequest> => ({
    tool: name,
    id: recordedId(toolCallId),
    args: input,
    kind: options.kind ?? 'other',
    ...(options.paths === undefined ? {} : { paths: options.paths(input as never) }),
    ...(options.writes === undefined ? {} : { writes: options.writes(input as never) }),
  });
  // The SDK emits preliminary results only if the function returns an async iterable, and not a promise of one. The
  // result of `execute` cannot decide that, because `execute` must not run before the call has begun.
  if (execute.constructor.name === 'AsyncGeneratorFunction') {
    return async function* (input, options) {
      options.abortSignal?.throwIfAborted();
      const { id } = await session.begin(await requestOf(input, options));
      const signals = [session.signalOf(id), options.abortSignal].filter((signal) => signal != null);
      try {
        yield* execute(input, { ...options, abortSignal: AbortSignal.any(signals) }) as AsyncGenerator;
      } finally {
        await session.end(id);
      }
    };
  }
  return async (input, options) =>
    session.call(
      await requestOf(input, options),
      ({ signal }) => lastOf(execute(input, { ...options, abortSignal: signal })),
      options.abortSignal == null ? {} : { signal: options.abortSignal },
    );
}

/** Returns the last value of an async iterable once it has ended, because the tool may write until then. */
async function lastOf(result: unknown): Promise<unknown> {
  const value = await result;
  if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value)) return value;
  let last: unknown;
  for await (last of value as AsyncIterable<unknown>);
  return last;
}
