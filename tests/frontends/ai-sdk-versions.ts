import type { SavepointTools } from '@savepoint/ai-sdk';
import * as sdk7 from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import * as sdk6 from 'ai-6';
import { MockLanguageModelV3 } from 'ai-6/test';

/** What the model does in one step. It receives the results of the previous step. */
export type Step = (reported: readonly string[]) => readonly ToolCall[];

export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
}

export interface Run {
  /** The result of each call, as the SDK returns it. */
  readonly parts: readonly { readonly type: string; readonly toolName?: string; readonly output?: unknown }[];
  /** The result of each call as the model received it, in order. */
  readonly reported: readonly { readonly type: string; readonly value: string }[];
  /** The tools as the model's provider receives them. */
  readonly tools: readonly { readonly name?: string; readonly description?: string; readonly inputSchema?: unknown }[];
}

interface Prompted {
  readonly role: string;
  readonly content: unknown;
}

interface Version {
  readonly version: 6 | 7;
  readonly run: (tools: SavepointTools, steps: readonly Step[], abortSignal?: AbortSignal) => Promise<Run>;
}

const prompt = 'Do what the script says.';
const nothing = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 };

/** The ids of the calls are `call-STEP-INDEX`, from 0. */
function scripted(steps: readonly Step[]) {
  let at = 0;
  return async (options: { readonly prompt: readonly Prompted[] }) => {
    const last = options.prompt.at(-1);
    const reported = last?.role === 'tool' ? outputsOf([last]).map(({ value }) => value) : [];
    const step = at++;
    const calls = (steps[step]?.(reported) ?? []).map(({ name, input }, index) => ({
      type: 'tool-call' as const,
      toolCallId: `call-${step}-${index}`,
      toolName: name,
      input: JSON.stringify(input),
    }));
    const isDone = calls.length === 0;
    return {
      content: isDone ? [{ type: 'text' as const, text: 'Done.' }] : calls,
      finishReason: { unified: isDone ? ('stop' as const) : ('tool-calls' as const), raw: undefined },
      usage: { inputTokens: nothing, outputTokens: nothing },
      warnings: [],
    };
  };
}

function outputsOf(messages: readonly Prompted[]): Run['reported'] {
  return messages
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => content as { readonly output: Run['reported'][number] }[])
    .map(({ output }) => output);
}

/** The real SDK in both versions. Each is called with its own types, so that the compiler checks that the tools fit. */
export const VERSIONS: readonly Version[] = [
  {
    version: 6,
    run: async (tools, steps, abortSignal) => {
      const model = new MockLanguageModelV3({ doGenerate: scripted(steps) });
      const stopWhen = sdk6.stepCountIs(steps.length + 1);
      const done = await sdk6.generateText({ model, tools, prompt, stopWhen, ...(abortSignal && { abortSignal }) });
      return runOf(done.steps, model.doGenerateCalls);
    },
  },
  {
    version: 7,
    run: async (tools, steps, abortSignal) => {
      const model = new MockLanguageModelV4({ doGenerate: scripted(steps) });
      const stopWhen = sdk7.stepCountIs(steps.length + 1);
      const done = await sdk7.generateText({ model, tools, prompt, stopWhen, ...(abortSignal && { abortSignal }) });
      return runOf(done.steps, model.doGenerateCalls);
    },
  },
];

function runOf(
  steps: readonly { readonly content: Run['parts'] }[],
  calls: readonly { readonly prompt: readonly Prompted[]; readonly tools?: Run['tools'] | undefined }[],
): Run {
  return {
    parts: steps.flatMap(({ content }) => content),
    reported: outputsOf(calls.at(-1)?.prompt ?? []),
    tools: calls[0]?.tools ?? [],
  };
}
