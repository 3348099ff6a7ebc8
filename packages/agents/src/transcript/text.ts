import { field, fieldsOf } from '../fields.ts';

/** The text of a message: a string, or the text of its parts. Null if it has none. */
export function textOfParts(content: unknown): string | null {
  const parts = Array.isArray(content) ? content : [content];
  const texts = parts.flatMap((part) => {
    const text = typeof part === 'string' ? part : field(fieldsOf(part), 'text');
    return typeof text === 'string' && text.trim() !== '' ? [text] : [];
  });
  return texts.length === 0 ? null : texts.join('\n');
}
