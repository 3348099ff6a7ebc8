import { showText } from '@savepoint/core';
import { truncate } from '@savepoint/core/ports';

const MAX_CHARACTERS = 300;

/** Makes a text from others safe for a line that the model reads. */
export function shortText(text: string): string {
  return truncate(showText(text), MAX_CHARACTERS);
}
