// @ts-check
/** A script in the place of a model: it says the same each time, and needs no network. */
import { MockLanguageModelV3 } from 'ai/test';

/** @type {Parameters<typeof scriptedModel>[0]} the next steps, which may depend on the last result */
const script = [
  // It did not look first: one text is not there, and one file.
  {
    tool: 'multi_edit_files',
    input: {
      files: [
        { file_path: 'price.js', edits: [{ old_string: '1.19', new_string: '1.29' }] },
        { file_path: 'README.md', edits: [{ old_string: 'costs 1.19', new_string: 'costs 1.29' }] },
        { file_path: 'prices.js', edits: [{ old_string: '1.19', new_string: '1.29' }] },
      ],
    },
  },
  {
    tool: 'multi_edit_files',
    input: {
      files: [
        { file_path: 'price.js', edits: [{ old_string: '1.19', new_string: '1.29' }] },
        { file_path: 'README.md', edits: [{ old_string: '1.19', new_string: '1.29' }] },
      ],
    },
  },
  { text: 'Both files say 1.29.' },
  // Undo shows what it would do first.
  { tool: 'undo', input: {} },
  (result) => ({ tool: 'undo', input: { preview_id: /preview_id: (\S+)/.exec(result)?.[1] } }),
  { text: 'Both files are as they were.' },
];

export const model = scriptedModel(script);

/**
 * @typedef {{ readonly text: string } | { readonly tool: string, readonly input: object }} Step
 * @param {readonly (Step | ((result: string) => Step))[]} steps
 */
export function scriptedModel(steps) {
  let next = 0;
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const last = /** @type {any} */ (prompt.at(-1)?.content.at(-1));
      const step = steps[next];
      const said = typeof step === 'function' ? step(last?.output?.value ?? '') : (step ?? { text: '' });
      next += 1;
      const isText = 'text' in said;
      return {
        content: [isText ? { type: 'text', text: said.text } : call(`call-${next}`, said)],
        finishReason: { unified: isText ? 'stop' : 'tool-calls', raw: undefined },
        usage: {
          inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 0, text: 0, reasoning: 0 },
        },
        warnings: [],
      };
    },
  });
}

/** @param {string} toolCallId @param {{ readonly tool: string, readonly input: object }} step */
function call(toolCallId, { tool, input }) {
  return { type: /** @type {const} */ ('tool-call'), toolCallId, toolName: tool, input: JSON.stringify(input) };
}
