/** Colours of the terminal's theme: only its 16 colours and attributes. Without colours, attributes remain. */
import type { Style } from '../../view.ts';

type Paint = (text: string) => string;

export interface Paints extends Style {
  readonly inverse: Paint;
  readonly name: Paint;
  readonly place: Paint;
  readonly mark: Paint;
  /** Parts of source code. */
  readonly keyword: Paint;
  readonly literal: Paint;
  readonly call: Paint;
}

const as =
  (code: number, end: number): Paint =>
  (text) =>
    text === '' ? '' : `\x1b[${code}m${text}\x1b[${end}m`;
const plain: Paint = (text) => text;
const attributes = { strong: as(1, 22), faint: as(2, 22), inverse: as(7, 27) };

export const COLOURED: Paints = {
  ...attributes,
  good: as(32, 39),
  bad: as(31, 39),
  id: as(33, 39),
  name: as(36, 39),
  place: as(34, 39),
  mark: as(35, 39),
  keyword: as(35, 39),
  literal: as(33, 39),
  call: as(34, 39),
};

export const UNCOLOURED: Paints = {
  ...attributes,
  good: plain,
  bad: plain,
  id: plain,
  name: plain,
  place: plain,
  mark: plain,
  keyword: plain,
  literal: plain,
  call: plain,
};
