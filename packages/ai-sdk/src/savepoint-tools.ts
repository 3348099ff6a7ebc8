import { type Savepoint, SavepointError } from '@savepoint/core';
import {
  answerText,
  asFailure,
  callTool,
  inputJsonSchema,
  type ReadyTool,
  readyTools,
  SerialQueue,
  safeJson,
  TOOLS,
  type ToolName,
} from '@savepoint/core/tools';
import {
  type InputSchema,
  type JsonSchemaMaker,
  type ModelOutput,
  recordedId,
  type SavepointTool,
  type ToolOutput,
} from './sdk-shapes.ts';
import { ToolFailure } from './tool-failure.ts';

export interface ToolsOptions<Name extends ToolName = ToolName> {
  /** The names of the tools that the agent gets. Default: all. */
  readonly only?: readonly Name[];
}

/** Can be given to the SDK as `tools`, alone or spread among others. */
export type SavepointTools<Name extends ToolName = ToolName> = { readonly [Key in Name]: SavepointTool };

/**
 * The tools for one workspace. Whose acts they are says the `actor` that the workspace was opened with.
 * @throws SavepointError USAGE when `only` names a tool that does not exist
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
  const queue = queueOf(savepoint);
  return {
    title,
    description,
    inputSchema: inputSchema(inputJsonSchema(schemas, 'draft-07')),
    async execute(input, { toolCallId, abortSignal }) {
      const toolCall = recordedId(toolCallId);
      const context = abortSignal === undefined ? { toolCall } : { toolCall, signal: abortSignal };
      try {
        const { structured, warnings } = await queue.run(abortSignal, () =>
          callTool(tool, schemas, input, savepoint, context),
        );
        return { ...structured, warnings };
      } catch (error) {
        throw new ToolFailure(asFailure(error));
      }
    },
    toModelOutput: ({ output }) => ({ type: 'text', value: modelText(tool, output) }),
  };
}

/** Contents that were asked for have no place among lines; then the whole answer is told as JSON. */
function modelText(tool: ReadyTool['tool'], output: ToolOutput): ModelOutput['value'] {
  const files = output['files'];
  const hasContents = Array.isArray(files) && files.some((file: object) => 'final_content' in file);
  return hasContents ? safeJson(output) : answerText(tool, output, output.warnings);
}

/**
 * Lets everything through: the call itself checks it, and refuses with a code, and with each argument that is wrong. What
 * the SDK would say instead repeats the whole input to the model.
 */
function inputSchema(schema: Readonly<Record<string, unknown>>): InputSchema {
  const jsonSchema: JsonSchemaMaker = ({ target }) => {
    if (target !== 'draft-07') throw new Error(`JSON schema ${target} is not supported; use draft-07.`);
    // The SDK writes into what it gets.
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

/** The SDK makes all calls of one step at once; they take turns, also those of tools that were made apart. */
const queues = new WeakMap<Savepoint, SerialQueue>();

function queueOf(savepoint: Savepoint): SerialQueue {
  const turns = queues.get(savepoint) ?? new SerialQueue();
  queues.set(savepoint, turns);
  return turns;
}

function noSuchTool(name: string): SavepointError {
  return new SavepointError(
    'USAGE',
    `Unknown tool ${JSON.stringify(name)}.`,
    { argument: 'only' },
    { hint: `Available tools: ${TOOLS.map((tool) => tool.name).join(', ')}.` },
  );
}
