/** One call of a tool: from what the client sent to what it is told. */
import { type DiskPath, open, SavepointError, showText } from '@savepoint/core';
import type { Machine } from '../roots.ts';
import { bounded, boundedText, LONGEST_ANSWER } from './bounds.ts';
import type { ToolSchemas } from './schemas.ts';
import type { Call, Link, Tool } from './tool.ts';

export interface ToolAnswer {
  readonly [key: string]: unknown;
  readonly content: ({ readonly type: 'text'; readonly text: string } | Link)[];
  readonly structuredContent: Record<string, unknown>;
}

/** @throws SavepointError, and whatever else goes wrong */
export async function callTool(
  tool: Tool,
  schemas: ToolSchemas,
  given: unknown,
  folder: DiskPath,
  machine: Machine,
  call: Call,
): Promise<ToolAnswer> {
  const input = checked(tool, schemas, given);
  const previewId = tool.twoSteps ? (input['preview_id'] as string | undefined) : undefined;
  const { client } = call;
  const savepoint = open({
    dir: folder,
    ...machine,
    actor: {
      kind: 'agent',
      name: client?.name ?? 'mcp',
      ...(client?.version == null ? {} : { version: client.version }),
    },
  });
  const warnings = new Set<string>();
  savepoint.on('warning', ({ message }) => void warnings.add(message));
  const { progress } = call;
  if (progress !== null) {
    savepoint.on('progress', ({ phase, done, total }) =>
      progress(total === null ? `${phase}: ${done}` : `${phase}: ${done} of ${total}`),
    );
    savepoint.on('waiting', ({ pid }) => progress(`waiting for another process (pid ${pid})`));
  }
  let output: unknown;
  try {
    const context = { signal: call.signal, ...(call.toolUseId === null ? {} : { toolCall: call.toolUseId }) };
    output = await tool.verb.handle(savepoint, verbInput(tool, input, previewId), context);
  } catch (error) {
    throw previewId === undefined ? error : withPreviewHint(tool, error);
  }
  return answerOf(tool, output, previewId, folder, [...warnings]);
}

/** @throws SavepointError USAGE */
function checked(tool: Tool, { input }: ToolSchemas, given: unknown): Record<string, unknown> {
  const parsed = input.safeParse(given ?? {});
  if (parsed.success) return parsed.data as Record<string, unknown>;
  const issues = parsed.error.issues.slice(0, MOST_ISSUES).map(({ path, message }) => {
    const at = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
    return { argument: shortened(at.replace(/^\./, '')), why: shortened(message) };
  });
  const told = issues.map(({ argument, why }) => (argument === '' ? why : `${argument}: ${why}`)).join('; ');
  throw new SavepointError(
    'USAGE',
    `The arguments of ${tool.name} are not what it takes: ${told}`,
    { argument: issues[0]?.argument ?? '', issues },
    { hint: `Nothing was done. See the input schema of ${tool.name}.` },
  );
}

const MOST_ISSUES = 20;
const LONGEST_ISSUE = 300;

function shortened(text: string): string {
  return text.length > LONGEST_ISSUE ? `${text.slice(0, LONGEST_ISSUE)}…` : text;
}

function verbInput(tool: Tool, input: Readonly<Record<string, unknown>>, previewId: string | undefined): unknown {
  if (!tool.twoSteps) return asVerbInput(tool, input);
  const { preview_id: _, ...rest } = input;
  const fields = asVerbInput(tool, rest) as object;
  return previewId === undefined ? { ...fields, dryRun: true } : { ...fields, expected: previewId };
}

function asVerbInput({ takes }: Tool, given: Readonly<Record<string, unknown>>): unknown {
  if (takes === 'all') return given;
  if ('toInput' in takes) return takes.toInput(given);
  return Object.fromEntries(Object.entries(given).map(([argument, value]) => [takes.fields[argument], value]));
}

function answerOf(
  tool: Tool,
  output: unknown,
  previewId: string | undefined,
  folder: DiskPath,
  warnings: readonly string[],
): ToolAnswer {
  const linked = tool.link?.(output as never, folder) ?? { output, links: [], leftOut: [] };
  const { value, leftOut: cut } = bounded(linked.output, LONGEST_ANSWER);
  const leftOut = [...linked.leftOut, ...cut];
  const lines = [...tool.render(value as never)];
  const structured: Record<string, unknown> = { ...(value as Record<string, unknown>) };
  if (tool.twoSteps) {
    const { fingerprint, outcome } = output as { readonly fingerprint: string; readonly outcome: string };
    const isReady = previewId === undefined && outcome === 'ready';
    structured['preview_id'] = isReady ? fingerprint : null;
    if (isReady) {
      lines.push(`preview_id: ${fingerprint}`);
      lines.push(`Nothing was changed yet. To do it, call ${tool.name} again with this preview_id.`);
    }
  }
  lines.push(...warnings.map((message) => `warning: ${showText(message)}`));
  return {
    content: [{ type: 'text', text: boundedText(lines, leftOut) }, ...linked.links],
    structuredContent: { ...structured, left_out: leftOut },
  };
}

function withPreviewHint(tool: Tool, error: unknown): unknown {
  if (!(error instanceof SavepointError) || error.code !== 'CONFLICT') return error;
  const hint = `Nothing was changed. Call ${tool.name} without preview_id to see what it would do now.`;
  return new SavepointError('CONFLICT', error.message, error.data, { hint, cause: error });
}
