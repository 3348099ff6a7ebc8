// @ts-check
/** OpenAI's Chat Completions API. */
import { firstUserText, object, objects, string, textOf, userTexts } from './json.mjs';

/** @typedef {import('./plan.ts').Step} Step */

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** @type {import('./plan.ts').Protocol} */
export const chat = {
  name: 'chat',
  matches: (path) => path.endsWith('/chat/completions'),

  read(body) {
    const messages = objects(body['messages']);
    return {
      model: string(body['model']),
      tools: objects(body['tools']).map((tool) => string(object(tool['function'])['name'])),
      results: messages
        .filter(({ role }) => role === 'tool')
        .map(({ tool_call_id, content }) => ({ call: string(tool_call_id), text: textOf(content), isError: false })),
      firstUserText: firstUserText(messages),
      userTexts: userTexts(
        messages,
        ({ role }) => role === 'tool',
        ({ role, content }) => (role === 'user' ? textOf(content) : ''),
      ),
      allText: messages.map(({ content }) => textOf(content)).join('\n'),
      streams: body['stream'] === true,
    };
  },

  whole: (step, { model }, number) => ({
    ...head(number, model, 'chat.completion'),
    choices: [{ index: 0, message: { role: 'assistant', ...said(step, number) }, finish_reason: finish(step) }],
    usage: USAGE,
  }),

  stream(step, { model }, number) {
    const chunk = head(number, model, 'chat.completion.chunk');
    const delta = { role: 'assistant', ...said(step, number) };
    return [
      { name: null, data: { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] } },
      { name: null, data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: finish(step) }], usage: USAGE } },
      { name: null, data: '[DONE]' },
    ];
  },
};

/** @param {number} number @param {string} model @param {string} kind */
function head(number, model, kind) {
  return { id: `chatcmpl-${number}`, object: kind, created: number, model };
}

/** @param {Step} step @param {number} number */
function said({ calls = [], text }, number) {
  const called = calls.map(({ name, input }, index) => ({
    index,
    id: `call_${number}_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  return { content: text ?? null, ...(called.length > 0 ? { tool_calls: called } : {}) };
}

/** @param {Step} step */
function finish({ calls = [] }) {
  return calls.length > 0 ? 'tool_calls' : 'stop';
}
