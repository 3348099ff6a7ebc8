/**
 * `@savepoint/core/text`: for the page of Studio. Makes text from outside safe to show, and needs nothing but JavaScript,
 * so it runs in a browser.
 */
export { showText } from './content/show-name.ts';
