// @ts-check
/** A script in the place of a model: it says the same each time, and needs no network. */
import { MockLanguageModelV3 } from 'ai/test';

/** @type {readonly ((told: string) => object)[]} what it does next, by what it was told last */
const script = [
  // It did not look first: one text is not there, and one file.
  () =>
    call('multi_edit_files', {
      files: [
        { file_path: 'price.js', edits: [{ old_string: '1.19', new_string: '1.29' }] },
        { file_path: 'README.md', edits: [{ old_string: 'costs 1.19', new_string: 'costs 1.29' }] },
        { file_path: 'prices.js', edits: [{ old_string: '1.19', new_string: '1.29' }] },
      ],
    }),
  () =>
    call('multi_edit_files', {
      files: [
        { file_path: 'price.js', edits: [{ old_string: '1.19', new_string: '1.29' }] },
        { file_path: 'README.md', edits: [{ old_string: '1.19', new_string: '1.29' }] },
      ],
    }),
  () => ({ type: 'text', text: 'Both files say 1.29.' }),
  // Undo shows what it would do first.
  () => call('undo', {}),
  (told) => call('undo', { preview_id: /preview_id: (\S+)/.exec(told)?.[1] }),
  () => ({ type: 'text', text: 'Both files are as they were.' }),
];

let next = 0;

/** @param {string} toolName @param {object} input */
const call = (toolName, input) => ({
  type: 'tool-call',
  toolCallId: `call-${next}`,
  toolName,
  input: JSON.stringify(input),
});

export const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const last = /** @type {any} */ (prompt.at(-1)?.content.at(-1));
    const content = /** @type {any} */ (script[next]?.(last?.output?.value ?? ''));
    next += 1;
    return {
      content: [content],
      finishReason: { unified: content.type === 'text' ? 'stop' : 'tool-calls', raw: undefined },
      usage: {
        inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 0, text: 0, reasoning: 0 },
      },
      warnings: [],
    };
  },
});
