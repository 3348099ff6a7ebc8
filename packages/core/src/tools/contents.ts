/** The contents of files in the answer of an edit: as many as the caller has asked for. */
import { showContent } from '../content/show-name.ts';
import { bytesFromText, type JsonName } from '../model/names.ts';
import type { VERBS } from '../verbs/table.ts';
import type { OutputOf } from '../verbs/verb.ts';
import type { ShortenedOutput } from './tool.ts';

type EditJson = OutputOf<typeof VERBS.edit>;
type Content = EditJson['files'][number]['final_content'];

/** The most characters of all contents of one answer together, by default and at most. */
export const CONTENT_CHARACTERS = 32 * 1024;
export const MOST_CONTENT_CHARACTERS = 4 * 1024 * 1024;

/**
 * Removes the contents that do not fit. The removed files are listed in `omittedFiles`, because they can be read from
 * disk. After a rename or a dry run they cannot, so they are not listed.
 * @param given the arguments of the tool; `max_content` is the most characters
 */
export function withoutLongContents(
  output: EditJson,
  given: Readonly<Record<string, unknown>>,
): ShortenedOutput<EditJson> {
  const taken: JsonName[] = [];
  let left = (given['max_content'] as number | undefined) ?? CONTENT_CHARACTERS;
  let count = 0;
  const files = output.files.map((file) => {
    const content = file.final_content;
    if (content === undefined || content === null) return file;
    const length = textOf(content).length;
    if (length <= left) {
      left -= length;
      return file;
    }
    count += length;
    if (!output.dry_run && file.operation !== 'rename') taken.push(file.file_path);
    return { ...file, final_content: null };
  });
  if (count === 0) return { output, omittedFiles: taken, leftOut: [] };
  return {
    output: { ...output, files },
    omittedFiles: taken,
    leftOut: [{ at: 'files[].final_content', count, of: 'characters' }],
  };
}

/** How much longer an answer may be because of the contents in it. */
export function contentSize(answer: object): { readonly bytes: number; readonly characters: number } {
  const { files } = answer as { readonly files?: unknown };
  let [bytes, characters] = [0, 0];
  if (!Array.isArray(files)) return { bytes, characters };
  for (const { final_content: content } of files as readonly { readonly final_content?: Content }[]) {
    if (content === undefined || content === null) continue;
    bytes += Buffer.byteLength(JSON.stringify(content));
    characters += showContent(bytesFromText(textOf(content))).length;
  }
  return { bytes, characters };
}

function textOf(content: NonNullable<Content>): string {
  return typeof content === 'string' ? content : content.b64;
}
