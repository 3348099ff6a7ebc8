import type { CallRequest, Session, ToolKind } from '@savepoint/core';
import { SavepointError } from '@savepoint/core';
import { recordedId, type ToolCallOptions } from './sdk-shapes.ts';

/** What is known of one of the agent's own tools. */
export interface Tracking {
  /** Default `other`: it may write anywhere. */
  readonly kind?: ToolKind;
  /** The paths that a call with this input writes, and no others: absolute, or relative to the workspace. */
  readonly paths?: (input: never) => readonly string[];
  /** False for tools that only read. Default true. */
  readonly track?: boolean;
}

/** A tool of the SDK, of either version, as far as it is used here. */
export interface AnyTool {
  readonly execute?: unknown;
}

type Execute = (input: unknown, options: ToolCallOptions) => unknown;

/**
 * The same tools, each call of them bracketed in the session: what changes on disk while one works is on record as its
 * doing, also when it fails. Savepoint's own tools need none of it.
 * @param tracking by the names of the tools; a tool that is not named may write anywhere
 */
export function trackedTools<Tools extends Readonly<Record<string, AnyTool>>>(
  session: Session,
  tools: Tools,
  tracking: { readonly [Name in keyof Tools]?: Tracking } = {},
): Tools {
  const entries = Object.entries(tools).map(([name, tool]) => {
    const options: Tracking = tracking[name] ?? {};
    if (typeof tool.execute !== 'function' || options.track === false) return [name, tool];
    return [name, { ...tool, execute: bracketExecute(session, name, tool.execute as Execute, options) }];
  });
  return Object.fromEntries(entries) as Tools;
}

function bracketExecute(session: Session, name: string, execute: Execute, options: Tracking): Execute {
  const requestOf = async (input: unknown, { toolCallId }: ToolCallOptions): Promise<CallRequest> => ({
    tool: name,
    id: recordedId(toolCallId),
    args: input,
    kind: options.kind ?? 'other',
    ...(options.paths === undefined ? {} : { paths: await pathsOf(session, options.paths, input) }),
  });
  // The SDK tells a tool that gives preliminary results by its kind of function, before it calls it.
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

/** @throws SavepointError PATH_REFUSED, before the tool works: what it would write there could not be taken back */
async function pathsOf(session: Session, paths: NonNullable<Tracking['paths']>, input: unknown) {
  const declared = await session.declaredPaths(paths(input as never));
  const [first] = declared.refused;
  if (first === undefined) return declared.paths;
  const message = `The path ${JSON.stringify(first.given)} is invalid: it ${first.why}.`;
  throw new SavepointError('PATH_REFUSED', message, { path: first.given, why: first.why });
}

/** Of results that come one by one the last is the answer; the tool works until then. */
async function lastOf(result: unknown): Promise<unknown> {
  const settled = await result;
  if (typeof settled !== 'object' || settled === null || !(Symbol.asyncIterator in settled)) return settled;
  let last: unknown;
  for await (last of settled as AsyncIterable<unknown>);
  return last;
}
