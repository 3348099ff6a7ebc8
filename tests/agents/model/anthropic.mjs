// @ts-check
/** Anthropic's Messages API. */
import { firstUserText, object, objects, string, textOf, userTexts } from './json.mjs';

/** @typedef {import('./plan.ts').Step} Step */
/** @typedef {import('./plan.ts').SentEvent} SentEvent */

const USAGE = { input_tokens: 10, output_tokens: 5 };

/** @type {import('./plan.ts').Protocol} */
export const anthropic = {
  name: 'anthropic',
  matches: (path) => path.endsWith('/messages'),

  read(body) {
    const messages = objects(body['messages']);
    const blocks = messages.flatMap(({ content }) => objects(content));
    return {
      model: string(body['model']),
      tools: objects(body['tools']).map(({ name }) => string(name)),
      results: blocks
        .filter(({ type }) => type === 'tool_result')
        .map((block) => ({
          call: string(block['tool_use_id']),
          text: textOf(block['content']),
          isError: block['is_error'] === true,
        })),
      firstUserText: firstUserText(messages),
      userTexts: userTexts(
        messages
          .filter(({ role }) => role === 'user')
          .flatMap(({ content }) => (typeof content === 'string' ? [{ text: content }] : objects(content))),
        ({ type }) => type === 'tool_result',
        ({ text }) => string(text),
      ),
      allText: [body['system'], ...messages.map(({ content }) => content)].map(textOf).join('\n'),
      streams: body['stream'] === true,
    };
  },

  whole: (step, { model }, number) => ({
    ...message(model, number),
    content: blocksOf(step, number),
    stop_reason: stopReason(step),
  }),

  stream(step, { model }, number) {
    /** @type {SentEvent[]} */
    const events = [event('message_start', { message: message(model, number) })];
    for (const [index, block] of blocksOf(step, number).entries()) {
      events.push(...blockEvents(index, block));
    }
    events.push(
      event('message_delta', {
        delta: { stop_reason: stopReason(step), stop_sequence: null },
        usage: { output_tokens: USAGE.output_tokens },
      }),
      event('message_stop', {}),
    );
    return events;
  },
};

/** @param {string} model @param {number} number */
function message(model, number) {
  return {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: USAGE,
  };
}

/** @param {Step} step */
function stopReason(step) {
  return (step.calls ?? []).length > 0 ? 'tool_use' : 'end_turn';
}

/** @param {Step} step @param {number} number @returns {readonly Record<string, unknown>[]} */
function blocksOf({ calls = [], text }, number) {
  const said = text === undefined ? [] : [{ type: 'text', text }];
  const called = calls.map(({ name, input }, index) => ({
    type: 'tool_use',
    id: `toolu_${number}_${index}`,
    name,
    input,
  }));
  return [...said, ...called];
}

/** @param {number} index @param {Record<string, unknown>} block @returns {readonly SentEvent[]} */
function blockEvents(index, block) {
  const isCall = block['type'] === 'tool_use';
  const empty = isCall ? { ...block, input: {} } : { ...block, text: '' };
  const delta = isCall
    ? { type: 'input_json_delta', partial_json: JSON.stringify(object(block['input'])) }
    : { type: 'text_delta', text: block['text'] };
  return [
    event('content_block_start', { index, content_block: empty }),
    event('content_block_delta', { index, delta }),
    event('content_block_stop', { index }),
  ];
}

/** @param {string} type @param {Record<string, unknown>} rest @returns {SentEvent} */
function event(type, rest) {
  return { name: type, data: { type, ...rest } };
}
