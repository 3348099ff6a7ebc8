// @ts-check
/** Lenient access to JSON with an external schema: a value of an unexpected type reads as empty. */

/** @param {unknown} value @returns {Record<string, unknown>} */
export function object(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? /** @type {Record<string, unknown>} */ (value)
    : {};
}

/** @param {unknown} value @returns {readonly Record<string, unknown>[]} */
export function objects(value) {
  return Array.isArray(value) ? value.map(object) : [];
}

/** @param {unknown} value @returns {string} */
export function string(value) {
  return typeof value === 'string' ? value : '';
}

/**
 * Returns the text of a message's content: a string, or parts of which some have text.
 * @param {unknown} content
 * @returns {string}
 */
export function textOf(content) {
  if (typeof content === 'string') return content;
  return objects(content)
    .map(({ text, content: inner }) => string(text) || (inner === undefined ? '' : textOf(inner)))
    .join('\n');
}

/**
 * @param {readonly Record<string, unknown>[]} items in order
 * @param {(item: Record<string, unknown>) => boolean} isResult
 * @param {(item: Record<string, unknown>) => string} userText '' if it is none
 * @returns {readonly import('./plan.ts').UserText[]}
 */
export function userTexts(items, isResult, userText) {
  /** @type {import('./plan.ts').UserText[]} */
  const found = [];
  let results = 0;
  for (const item of items) {
    if (isResult(item)) results += 1;
    const text = userText(item);
    if (text !== '') found.push({ text, results });
  }
  return found;
}

/** @param {readonly Record<string, unknown>[]} messages @returns {string} text of the first user message */
export function firstUserText(messages) {
  const first = messages.find(({ role, content }) => role === 'user' && textOf(content) !== '');
  return first === undefined ? '' : textOf(first['content']);
}
