/** The answer with the content of a file of a checkpoint, for a model: the fields, and the same as lines of text. */
import { showContent } from '../../content/show-name.ts';
import { nameFromJson } from '../../model/names.ts';
import type { VERBS } from '../../verbs/table.ts';
import type { OutputOf } from '../../verbs/verb.ts';
import { pathText } from './text.ts';

type CatJson = OutputOf<typeof VERBS.cat>;

export interface CatAnswer extends Pick<CatJson, 'checkpoint' | 'path' | 'size' | 'offset' | 'length' | 'content'> {
  /** Pass it as `offset` to get the next part. */
  readonly next?: number;
}

export function catAnswer({ checkpoint, path, size, offset, length, content, more }: CatJson): CatAnswer {
  return { checkpoint, path, size, offset, length, content, ...(more ? { next: offset + length } : {}) };
}

export function catLines({ checkpoint, path, size, offset, length, content, next }: CatAnswer): string[] {
  return [
    `${pathText(path)} in ${checkpoint}: bytes ${offset} to ${offset + length} of ${size}`,
    showContent(nameFromJson(content)),
    ...(next === undefined ? [] : [`More bytes follow: continue with offset ${next}.`]),
  ];
}
