/** Where the findings of a review lead to. */
import type { ReactNode } from 'react';
import { type JsonName, nameKey, shownName } from '../data/names.ts';

export interface Place {
  /** A `nameKey`. */
  readonly file: string;
  readonly line: number | null;
  readonly side: 'before' | 'after';
}

export type OnPlace = (place: Place) => void;

export interface PlaceButtonProps {
  readonly path: JsonName;
  readonly line: number | null;
  readonly side?: Place['side'];
  readonly onPlace: OnPlace;
}

export function PlaceButton({ path, line, side = 'after', onPlace }: PlaceButtonProps): ReactNode {
  return (
    <button type="button" className="place" onClick={() => onPlace({ file: nameKey(path), line, side })}>
      {shownName(path)}
      {line !== null && <span>:{line}</span>}
    </button>
  );
}
