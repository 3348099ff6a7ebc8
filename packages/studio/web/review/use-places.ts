import { useMemo } from 'react';
import type { DiffFile } from '../diff/diff-file.ts';
import type { LineTarget } from '../diff/line-target.ts';
import type { OnPlace } from './places.tsx';
import type { ReviewSearch } from './search.ts';

type PlaceSearch = ReviewSearch & { readonly file?: string };

/** Places of a changed file are in its diff; those of others in a view of the file. */
export function usePlaces(
  files: readonly DiffFile[],
  { file, outside, line, side }: PlaceSearch,
  onSearch: (change: PlaceSearch) => void,
): { readonly target: LineTarget | null; readonly onPlace: OnPlace } {
  const shown = outside ?? file;
  const target = useMemo(
    () => (shown === undefined || line === undefined ? null : { file: shown, line, side: side ?? ('after' as const) }),
    [shown, line, side],
  );
  const onPlace = useMemo((): OnPlace => {
    const changed = new Set(files.map(({ key }) => key));
    return (place) => {
      const at = { line: place.line ?? undefined, side: place.side === 'before' ? place.side : undefined };
      if (changed.has(place.file)) onSearch({ ...at, view: undefined, outside: undefined, file: place.file });
      else onSearch({ ...at, outside: place.file });
    };
  }, [files, onSearch]);
  return { target, onPlace };
}
