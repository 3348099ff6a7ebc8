/** Records the calls of an agent's own tools in its session. */

import type { CallRequest, Session, ToolKind } from '@savepoint/core';
import { SavepointError } from '@savepoint/core';
import { recordedId, type ToolCallOptions } from './sdk-shapes.ts';

/** How the calls of one tool are recorded. */
export interface Tracking {
  /** What the tool does. Default `other`: it may write anywhere. */
  readonly kind?: ToolKind;
  /** Returns all paths that a call with this input writes: absolute, or relative to the workspace. */
  readonly paths?: (input: never) => readonly string[];
  /** Whether calls are recorded. Default true; set it to false for tools that only read. */
  readonly track?: boolean;
}

/** A tool of either SDK version. Only this field is used. */
export interface AnyTool {
  readonly execute?: unknown;
}

type Execute = (input: unknown, options: ToolCallOptions) => unknown;

/**
 * Returns the same tools, with each call recorded in the session. Changes on disk during a call are attributed to it,
 * even if it fails. Savepoint's own tools do not need this.
 * @param tracking options by tool name; a tool without options may write anywhere
 */
export function trackedTools<Tools extends Readonly<Record<string, AnyTool>>>(
  session: Session,
  tools: Tools,
  tracking: { readonly [Name in keyof Tools]?: Tracking } = {},
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
    ...(options.paths === undefined ? {} : { paths: await pathsOf(session, options.paths, input) }),
  });
  // The SDK emits preliminary results only if the function returns an async iterable, and not a promise of one. The
  // result of `execute` cannot decide that, because `execute` must not run before the call has begun.
  if (execute.constructor.name === 'AsyncGeneratorFunction') {
    return async function* (input, options) {
      const { id } = await session.begin(await requestOf(input, options));
      try {
        yield* execute(input, options) as AsyncGenerator;
      } finally {
        await session.end(id);
      }
    };
  }
  return async (input, options) => session.call(await requestOf(input, options), () => lastOf(execute(input, options)));
}

/** @throws SavepointError PATH_REFUSED before the tool runs, because a write to such a path could not be rolled back */
async function pathsOf(session: Session, paths: NonNullable<Tracking['paths']>, input: unknown) {
  const declared = await session.declaredPaths(paths(input as never));
  const [first] = declared.refused;
  if (first === undefined) return declared.paths;
  const message = `The path ${JSON.stringify(first.given)} is invalid: it ${first.why}.`;
  throw new SavepointError('PATH_REFUSED', message, { path: first.given, why: first.why });
}

/** Returns the last value of an async iterable once it has ended, because the tool may write until then. */
async function lastOf(result: unknown): Promise<unknown> {
  const value = await result;
  if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value)) return value;
  let last: unknown;
  for await (last of value as AsyncIterable<unknown>);
  return last;
}
