/**
 * `@savepoint/core/text`: what front ends need to show text from outside. It needs nothing but JavaScript, so the page of
 * Studio has it in the browser.
 */
export { unescapeBytes } from './content/c-quote.ts';
export { type FindingCause, findingCauses } from './content/finding-causes.ts';
export { patchParts } from './content/patch-parts.ts';
export { showText } from './content/show-name.ts';
export { type SyntaxNode, type SyntaxPart, syntaxLines } from './content/syntax-lines.ts';
export { typesUnsaid, type UnsaidToShow, unsaidText } from './content/unsaid-text.ts';
