// @ts-check
/** Google's generateContent API. */
import { object, objects, string, textOf, userTexts } from './json.mjs';

/** @typedef {import('./plan.ts').Step} Step */

const USAGE = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
const PATH = /\/models\/([^/:]+):(streamGenerateContent|generateContent)$/;
/** Gemini CLI asks a small model which model to use. */
const ROUTED = { reasoning: 'x', model_choice: 'flash', complexity_reasoning: 'x', complexity_score: 1 };

/** @type {import('./plan.ts').Protocol} */
export const gemini = {
  name: 'gemini',
  matches: (path) => PATH.test(path),

  read(body, path) {
    const [, model = '', method] = PATH.exec(path) ?? [];
    const contents = objects(body['contents']);
    const parts = contents.flatMap(({ parts: inner }) => objects(inner));
    const results = parts.filter(({ functionResponse }) => functionResponse !== undefined);
    return {
      model,
      tools: objects(body['tools'])
        .flatMap(({ functionDeclarations }) => objects(functionDeclarations))
        .map(({ name }) => string(name)),
      results: results.map(({ functionResponse }) => {
        const { id, name, response } = object(functionResponse);
        const { output, error } = object(response);
        return {
          call: string(id) || string(name),
          text: string(output) || string(error),
          isError: error !== undefined,
        };
      }),
      firstUserText: contents
        .filter(({ role }) => role === 'user')
        .slice(0, 2)
        .map(({ parts: inner }) => textOf(inner))
        .join('\n'),
      userTexts: userTexts(
        contents.filter(({ role }) => role === 'user').flatMap(({ parts: inner }) => objects(inner)),
        ({ functionResponse }) => functionResponse !== undefined,
        ({ text }) => string(text),
      ),
      allText: [object(body['systemInstruction'])['parts'], parts].map(textOf).join('\n'),
      streams: method === 'streamGenerateContent',
    };
  },

  whole: (step, conversation) => answer(step, conversation),
  stream: (step, conversation) => [{ name: null, data: answer(step, conversation) }],
};

/** @param {Step} step @param {import('./plan.ts').Conversation} conversation */
function answer({ calls = [], text }, { model, tools }) {
  const called = calls.map(({ name, input }) => ({ functionCall: { name, args: input } }));
  const said = tools.length === 0 ? JSON.stringify(ROUTED) : text;
  const parts = [...(said === undefined ? [] : [{ text: said }]), ...called];
  const candidate = { content: { role: 'model', parts }, finishReason: 'STOP', index: 0 };
  return { candidates: [candidate], usageMetadata: USAGE, modelVersion: model };
}
