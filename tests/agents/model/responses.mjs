// @ts-check
/** OpenAI's Responses API. */
import { objects, string, textOf, userTexts } from './json.mjs';

/** @typedef {import('./plan.ts').Step} Step */
/** @typedef {import('./plan.ts').SentEvent} SentEvent */

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

/** @type {import('./plan.ts').Protocol} */
export const responses = {
  name: 'responses',
  matches: (path) => path.endsWith('/responses'),

  read(body) {
    const input = objects(body['input']);
    return {
      model: string(body['model']),
      tools: objects(body['tools']).map(({ name, type }) => string(name) || string(type)),
      results: input
        .filter(({ type }) => string(type).endsWith('_call_output'))
        .map(({ call_id, output }) => ({ call: string(call_id), text: textOf(output), isError: false })),
      firstUserText: input
        .filter(({ role }) => role === 'user')
        .map(({ content }) => textOf(content))
        .join('\n'),
      userTexts: userTexts(
        input,
        ({ type }) => string(type).endsWith('_call_output'),
        ({ role, content }) => (role === 'user' ? textOf(content) : ''),
      ),
      allText: [body['instructions'], ...input.map(({ content, output }) => content ?? output)].map(textOf).join('\n'),
      streams: body['stream'] === true,
    };
  },

  whole: (step, { model }, number) => response(step, model, number),

  stream(step, { model }, number) {
    const done = response(step, model, number);
    const events = [event('response.created', { response: { ...done, status: 'in_progress', output: [] } })];
    for (const [index, item] of done.output.entries()) events.push(...itemEvents(index, item));
    events.push(event('response.completed', { response: done }));
    return events.map(({ name, data }, at) => ({ name, data: { ...data, sequence_number: at } }));
  },
};

/** @param {Step} step @param {string} model @param {number} number */
function response(step, model, number) {
  return {
    id: `resp_${number}`,
    object: 'response',
    created_at: number,
    model,
    status: 'completed',
    output: itemsOf(step, number),
    usage: USAGE,
  };
}

/** @param {Step} step @param {number} number @returns {readonly Record<string, unknown>[]} */
function itemsOf({ calls = [], text }, number) {
  const said = {
    type: 'message',
    id: `msg_${number}`,
    role: 'assistant',
    status: 'completed',
    content: [textPart(text ?? '')],
  };
  const called = calls.map(({ name, input }, index) => {
    const common = { call_id: `call_${number}_${index}`, name, status: 'completed' };
    return typeof input === 'string'
      ? { type: 'custom_tool_call', id: `ctc_${number}_${index}`, ...common, input }
      : { type: 'function_call', id: `fc_${number}_${index}`, ...common, arguments: JSON.stringify(input) };
  });
  return text === undefined ? called : [said, ...called];
}

/** @param {string} text */
function textPart(text) {
  return { type: 'output_text', text, annotations: [] };
}

/** @param {number} index @param {Record<string, unknown>} item */
function itemEvents(index, item) {
  const at = { item_id: item['id'], output_index: index };
  const begun = { ...item, status: 'in_progress' };
  const added = /** @param {Record<string, unknown>} empty */ (empty) =>
    event('response.output_item.added', { output_index: index, item: { ...begun, ...empty } });
  const done = event('response.output_item.done', { output_index: index, item });
  if (item['type'] === 'function_call') {
    const args = item['arguments'];
    return [
      added({ arguments: '' }),
      event('response.function_call_arguments.delta', { ...at, delta: args }),
      event('response.function_call_arguments.done', { ...at, arguments: args }),
      done,
    ];
  }
  if (item['type'] === 'custom_tool_call') return [added({}), done];
  const [part] = objects(item['content']);
  const text = string(part?.['text']);
  const inPart = { ...at, content_index: 0 };
  return [
    added({ content: [] }),
    event('response.content_part.added', { ...inPart, part: textPart('') }),
    event('response.output_text.delta', { ...inPart, delta: text }),
    event('response.output_text.done', { ...inPart, text }),
    event('response.content_part.done', { ...inPart, part }),
    done,
  ];
}

/** @param {string} type @param {Record<string, unknown>} rest */
function event(type, rest) {
  return { name: type, data: { type, ...rest } };
}
