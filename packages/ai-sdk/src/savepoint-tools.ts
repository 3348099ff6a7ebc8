import { type Savepoint, SavepointError } from '@savepoint/core';
import {
  answerText,
  asFailure,
  callTool,
  IssuedPreviews,
  inputJsonSchema,
  type ReadyTool,
  readyTools,
  SerialQueue,
  TOOLS,
  type ToolName,
} from '@savepoint/core/tools';
import { type InputSchema, type JsonSchemaMaker, recordedId, type SavepointTool } from './sdk-shapes.ts';
import { ToolFailure } from './tool-failure.ts';

export interface ToolsOptions<Name extends ToolName = ToolName> {
  /** The tools to offer to the agent. Default: all. */
  readonly only?: readonly Name[];
}

/** Can be passed to the SDK as `tools`, alone or spread together with others. */
export type SavepointTools<Name extends ToolName = ToolName> = { readonly [Key in Name]: SavepointTool };

/**
 * Returns the tools for one workspace. Their changes are attributed to the `actor` that the workspace was opened with.
 * @throws SavepointError USAGE if `only` names a tool that does not exist
 */
export async function savepointTools<const Name extends ToolName = ToolName>(
  savepoint: Savepoint,
  options: ToolsOptions<Name> = {},
): Promise<SavepointTools<Name>> {
  const ready = await readyTools();
  const names: readonly string[] = options.only ?? TOOLS.map(({ name }) => name);
  const tools = names.map((name) => {
    const it = ready.get(name);
    if (it === undefined) throw noSuchTool(name);
    return [name, sdkTool(it, savepoint)];
  });
  return Object.fromEntries(tools) as SavepointTools<Name>;
}

function sdkTool({ tool, schemas }: ReadyTool, savepoint: Savepoint): SavepointTool {
  const { title, description } = tool;
  const { queue, previews } = stateOf(savepoint);
  return {
    title,
    description,
    inputSchema: inputSchema(inputJsonSchema(schemas, 'draft-07')),
    async execute(input, { toolCallId, abortSignal }) {
      const toolCall = recordedId(toolCallId);
      const context = { toolCall, previews, ...(abortSignal === undefined ? {} : { signal: abortSignal }) };
      try {
        const { structured } = await queue.run(abortSignal, () => callTool(tool, schemas, input, savepoint, context));
        return structured;
      } catch (error) {
        throw new ToolFailure(asFailure(error));
      }
    },
    toModelOutput: ({ output }) => ({ type: 'text', value: answerText(tool, output) }),
  };
}

/**
 * Accepts any input. `callTool` validates it, and reports an error code and every invalid argument. The SDK's own error
 * would repeat the whole input to the model.
 */
function inputSchema(schema: Readonly<Record<string, unknown>>): InputSchema {
  const jsonSchema: JsonSchemaMaker = ({ target }) => {
    if (target !== 'draft-07') throw new Error(`JSON schema ${target} is not supported; use draft-07.`);
    // The SDK modifies the object that it gets.
    return structuredClone(schema) as Record<string, unknown>;
  };
  return {
    '~standard': {
      version: 1,
      vendor: 'savepoint',
      validate: (value) => ({ value }),
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  };
}

interface SharedState {
  /** The SDK runs all calls of one step concurrently. This queue serializes them. */
  readonly queue: SerialQueue;
  readonly previews: IssuedPreviews;
}

/** Shared by separate sets of tools for one workspace. */
const states = new WeakMap<Savepoint, SharedState>();

function stateOf(savepoint: Savepoint): SharedState {
  const state = states.get(savepoint) ?? { queue: new SerialQueue(), previews: new IssuedPreviews() };
  states.set(savepoint, state);
  return state;
}

function noSuchTool(name: string): SavepointError {
  return new SavepointError(
    'USAGE',
    `Unknown tool ${JSON.stringify(name)}.`,
    { argument: 'only' },
    { hint: `Available tools: ${TOOLS.map((tool) => tool.name).join(', ')}.` },
  );
}
