/** One tool call: from the arguments that a model sent to the answer it gets. */
import { showText } from '../content/show-name.ts';
import { SavepointError } from '../model/errors.ts';
import type { JsonName } from '../model/names.ts';
import { WAYS_ON } from '../rewind/conflict-choices.ts';
import type { Savepoint } from '../savepoint.ts';
import { requestProblems } from '../verbs/input/request-problems.ts';
import type { OtherProblems, VerbContext } from '../verbs/verb.ts';
import { boundText, boundValue, MAX_ANSWER_BYTES, MAX_TEXT_LENGTH, type Omission } from './bounds.ts';
import { contentSize } from './contents.ts';
import { textForModel } from './hints.ts';
import type { IssuedPreviews } from './issued-previews.ts';
import type { ToolSchemas } from './schemas.ts';
import type { Tool } from './tool.ts';

export interface ToolAnswer {
  readonly structured: StructuredAnswer;
  /** Files whose content was too long for the answer. */
  readonly omittedFiles: readonly JsonName[];
}

/** The fields of the tool's answer, and these. Fields without information are absent. */
export interface StructuredAnswer {
  readonly [field: string]: unknown;
  /** Of a preview: pass it back to carry the preview out. */
  readonly preview_id?: string;
  /** What to do with a preview. */
  readonly next_step?: string;
  readonly warnings?: readonly string[];
  /** What was left out because the answer would be too long. */
  readonly left_out?: readonly Omission[];
}

export interface ToolContext extends VerbContext {
  /** The previews that the same front end has returned. */
  readonly previews: IssuedPreviews;
}

/**
 * @param given untrusted arguments; checked here
 * @throws SavepointError USAGE if they do not match the schema; any error of the verb
 */
export async function callTool(
  tool: Tool,
  schemas: ToolSchemas,
  given: unknown,
  savepoint: Savepoint,
  { previews, ...context }: ToolContext,
): Promise<ToolAnswer> {
  const input = await checkArguments(tool, schemas, given, savepoint, context);
  const previewId = tool.twoSteps ? (input['preview_id'] as string | undefined) : undefined;
  const warnings = new Set<string>();
  const end = savepoint.on('warning', ({ message }) => void warnings.add(message));
  try {
    const output = await tool.verb.handle(savepoint, verbInput(tool, input, previewId), context);
    const answer = answerOf(tool, input, output, [...warnings]);
    if (answer.structured.preview_id !== undefined) previews.add(answer.structured.preview_id, tool, input);
    return answer;
  } catch (error) {
    if (previewId === undefined || !(error instanceof SavepointError) || error.code !== 'CONFLICT') throw error;
    // A conflict without paths: the plan is not that of the preview.
    if (error.data.paths.length === 0) throw previews.explain(previewId, tool, input, withPreviewHint(tool, error));
    throw withPreviewHint(tool, error);
  } finally {
    end();
  }
}

/** The same answer as text. All of it is safe to print. */
export function answerText(tool: Tool, structured: StructuredAnswer): string {
  const { preview_id: previewId, next_step: nextStep, warnings = [], left_out: leftOut = [] } = structured;
  const lines = [
    ...tool.render(structured),
    ...(previewId === undefined ? [] : [`preview_id: ${previewId}`]),
    ...(nextStep === undefined ? [] : [nextStep]),
    ...warnings.map((message) => `warning: ${showText(message)}`),
  ];
  return boundText(lines, leftOut, MAX_TEXT_LENGTH + contentSize(structured).characters);
}

/** @throws SavepointError USAGE with everything that is wrong */
async function checkArguments(
  tool: Tool,
  { input }: ToolSchemas,
  given: unknown,
  savepoint: Savepoint,
  context: VerbContext,
): Promise<Record<string, unknown>> {
  const parsed = input.safeParse(given ?? {});
  if (parsed.success) return parsed.data as Record<string, unknown>;
  const issues = requestProblems(parsed.error.issues, given, input)
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => {
      const at = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
      return { argument: truncateIssue(at.replace(/^\./, '')), why: truncateIssue(message) };
    });
  const problems = issues.map(({ argument, why }) => (argument === '' ? why : `${argument}: ${why}`)).join('; ');
  const others = await otherProblems(tool, given, savepoint, context);
  throw new SavepointError(
    'USAGE',
    `Invalid arguments for ${tool.name}: ${problems}${others === null ? '' : `. ${others.message}`}`,
    { argument: issues[0]?.argument ?? '', issues, ...(others === null ? {} : { details: others.details }) },
    { hint: `Nothing was changed. See the input schema of ${tool.name}.` },
  );
}

async function otherProblems(
  tool: Tool,
  given: unknown,
  savepoint: Savepoint,
  context: VerbContext,
): Promise<OtherProblems | null> {
  if (tool.verb.otherProblems === undefined || typeof given !== 'object' || given === null) return null;
  try {
    const input = toVerbInput(tool, given as Readonly<Record<string, unknown>>);
    return await tool.verb.otherProblems(savepoint, input, context);
  } catch (error) {
    // The call fails anyway, and what is wrong with its arguments is the better answer.
    if (error instanceof SavepointError) return null;
    throw error;
  }
}

const MAX_ISSUES = 100;
const MAX_ISSUE_LENGTH = 300;

function truncateIssue(text: string): string {
  return text.length > MAX_ISSUE_LENGTH ? `${text.slice(0, MAX_ISSUE_LENGTH)}…` : text;
}

function verbInput(tool: Tool, input: Readonly<Record<string, unknown>>, previewId: string | undefined): unknown {
  if (!tool.twoSteps) return toVerbInput(tool, input);
  const { preview_id: _, ...rest } = input;
  const fields = toVerbInput(tool, rest) as object;
  return previewId === undefined ? { ...fields, dryRun: true } : { ...fields, expected: previewId };
}

function toVerbInput({ argumentMapping: takes }: Tool, given: Readonly<Record<string, unknown>>): unknown {
  if (takes === 'all') return given;
  if ('toInput' in takes) return takes.toInput(given);
  return Object.fromEntries(Object.entries(given).map(([argument, value]) => [takes.fields[argument], value]));
}

function answerOf(
  tool: Tool,
  given: Readonly<Record<string, unknown>>,
  output: unknown,
  warnings: readonly string[],
): ToolAnswer {
  const shortened = tool.shorten?.(output as never, given) ?? { output, omittedFiles: [], leftOut: [] };
  const answer = tool.answer(shortened.output as never);
  const { value, leftOut } = boundValue(answer, MAX_ANSWER_BYTES + contentSize(answer).bytes);
  const preview = tool.twoSteps ? previewIdOf(output, given['preview_id']) : null;
  const next =
    preview !== null ? nextStep(tool) : tool.twoSteps && hasMergeConflict(output) ? textForModel(WAYS_ON) : null;
  const omissions = [...shortened.leftOut, ...leftOut];
  return {
    structured: {
      ...(value as Record<string, unknown>),
      ...(preview === null ? {} : { preview_id: preview }),
      ...(next === null ? {} : { next_step: next }),
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(omissions.length === 0 ? {} : { left_out: omissions }),
    },
    omittedFiles: shortened.omittedFiles,
  };
}

function previewIdOf(output: unknown, given: unknown): string | null {
  const { fingerprint, outcome } = output as { readonly fingerprint: string; readonly outcome: string };
  return given === undefined && outcome === 'ready' ? fingerprint : null;
}

function hasMergeConflict(output: unknown): boolean {
  const { plan } = output as { readonly plan: { readonly conflicts: readonly { readonly sides: unknown }[] } };
  return plan.conflicts.some(({ sides }) => sides !== null);
}

function nextStep({ name }: Tool): string {
  return `Nothing has been changed yet. To proceed, call ${name} again with this preview_id.`;
}

function withPreviewHint({ name }: Tool, error: SavepointError<'CONFLICT'>): SavepointError {
  const hint = `Nothing was changed. Call ${name} without preview_id to get a new preview.`;
  return new SavepointError('CONFLICT', error.message, error.data, { hint, cause: error });
}
