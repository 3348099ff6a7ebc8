/** Contents of files that are too long for an answer: a link to the file stands in for them. */
import { type DiskPath, type JsonName, nameFromJson, type OutputOf, type VERBS } from '@savepoint/core';
import type { Link, Linked } from './tool.ts';

type Edited = OutputOf<typeof VERBS.edit>;

/** Characters of all contents of one answer together. */
const ROOM = 32 * 1024;

/**
 * Takes out the contents for which there is no room. What is on disk is linked; a file that has another name now, or of
 * which an edit was only tried, is not.
 * @param folder that the paths are relative to
 */
export function withoutLongContents(output: Edited, folder: DiskPath): Linked<Edited> {
  const links: Link[] = [];
  let left = ROOM;
  let taken = 0;
  const files = output.files.map((file) => {
    const content = file.final_content;
    if (content === undefined || content === null) return file;
    const length = typeof content === 'string' ? content.length : content.b64.length;
    if (length <= left) {
      left -= length;
      return file;
    }
    taken += length;
    if (!output.dry_run && file.operation !== 'rename') links.push(linkTo(folder, file.file_path));
    return { ...file, final_content: null };
  });
  if (taken === 0) return { output, links, leftOut: [] };
  return {
    output: { ...output, files },
    links,
    leftOut: [{ at: 'files[].final_content', count: taken, of: 'characters' }],
  };
}

function linkTo(folder: DiskPath, path: JsonName): Link {
  const bytes = nameFromJson(path);
  const whole = /^(?:\/|[A-Za-z]:[\\/])/.test(bytes) ? bytes : `${folder}/${bytes}`;
  const encoded = whole
    .replaceAll('\\', process.platform === 'win32' ? '/' : '\\')
    .replace(/[^\w./~:-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`);
  return {
    type: 'resource_link',
    uri: `file://${encoded.startsWith('/') ? '' : '/'}${encoded}`,
    name: typeof path === 'string' ? path : encoded,
    description: 'The final content, which is too long for this answer.',
  };
}
