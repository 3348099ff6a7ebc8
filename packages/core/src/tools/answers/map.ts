/** The map of the code, for a model. */
import { mapLines } from '../../verbs/shapes/map-text.ts';
import type { VERBS } from '../../verbs/table.ts';
import type { OutputOf } from '../../verbs/verb.ts';

export interface MapAnswer {
  readonly text: string;
}

export function mapAnswer(output: OutputOf<typeof VERBS.map>): MapAnswer {
  return { text: mapLines(output).join('\n') };
}
