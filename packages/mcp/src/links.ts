/** Links to files whose content is too long for an answer. */
import { type DiskPath, type JsonName, nameFromJson } from '@savepoint/core';

/** A resource that the client can read itself. */
export interface ResourceLink {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly description: string;
}

/** @param folder the folder that a relative path refers to */
export function linkTo(folder: DiskPath, path: JsonName): ResourceLink {
  const bytes = nameFromJson(path);
  const absolute = /^(?:\/|[A-Za-z]:[\\/])/.test(bytes) ? bytes : `${folder}/${bytes}`;
  const encoded = absolute
    .replaceAll('\\', process.platform === 'win32' ? '/' : '\\')
    .replace(/[^\w./~:-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`);
  return {
    type: 'resource_link',
    uri: `file://${encoded.startsWith('/') ? '' : '/'}${encoded}`,
    name: typeof path === 'string' ? path : encoded,
    description: 'The final content, which is too long for this answer.',
  };
}
