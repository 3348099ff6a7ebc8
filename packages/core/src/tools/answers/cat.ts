/** The answer with the content of a file of a checkpoint or a plan, for a model: the fields, and the same as lines of text. */
import { showContent } from '../../content/show-name.ts';
import { nameFromJson } from '../../model/names.ts';
import type { VERBS } from '../../verbs/table.ts';
import type { OutputOf } from '../../verbs/verb.ts';
import { pathText } from './text.ts';

type CatJson = OutputOf<typeof VERBS.cat>;

export interface CatAnswer extends Pick<CatJson, 'path' | 'size' | 'offset' | 'length' | 'content'> {
  /** One of them, or none: the content is from the folder. */
  readonly checkpoint?: string;
  readonly plan?: CatJson['plan'];
  /** Pass it as `offset` to get the next part. */
  readonly next?: number;
}

export function catAnswer({ checkpoint, plan, path, size, offset, length, content, more }: CatJson): CatAnswer {
  return {
    ...(checkpoint === null ? {} : { checkpoint }),
    ...(plan === null ? {} : { plan }),
    ...{ path, size, offset, length, content },
    ...(more ? { next: offset + length } : {}),
  };
}

export function catLines({ checkpoint, plan, path, size, offset, length, content, next }: CatAnswer): string[] {
  const source = checkpoint ?? (plan ? `${plan.id} (${plan.state}, revision ${plan.revision})` : 'the folder');
  return [
    `${pathText(path)} in ${source}: bytes ${offset} to ${offset + length} of ${size}`,
    showContent(nameFromJson(content)),
    ...(next === undefined ? [] : [`More bytes follow: continue with offset ${next}.`]),
  ];
}
