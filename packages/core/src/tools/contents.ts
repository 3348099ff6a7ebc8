/** Handles file contents that are too long for an answer. */
import type { JsonName } from '../model/names.ts';
import type { VERBS } from '../verbs/table.ts';
import type { OutputOf } from '../verbs/verb.ts';
import type { ShortenedOutput } from './tool.ts';

type EditJson = OutputOf<typeof VERBS.edit>;

/** The most characters of all contents of one answer together. */
const CONTENT_CHARACTERS = 32 * 1024;

/**
 * Removes the contents that do not fit. The removed files are listed in `omittedFiles`, because they can be read from
 * disk. After a rename or a dry run they cannot, so they are not listed.
 */
export function withoutLongContents(output: EditJson): ShortenedOutput<EditJson> {
  const taken: JsonName[] = [];
  let left = CONTENT_CHARACTERS;
  let count = 0;
  const files = output.files.map((file) => {
    const content = file.final_content;
    if (content === undefined || content === null) return file;
    const length = typeof content === 'string' ? content.length : content.b64.length;
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
