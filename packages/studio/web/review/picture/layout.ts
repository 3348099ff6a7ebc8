/** Where everything of a picture is, in pixels. Files of a folder are below its name, and columns fill the width. */
import { grouped } from '../../data/grouped.ts';
import { folderAndFile } from '../../data/names.ts';
import type { PictureFile } from './graph.ts';
import type { Layer } from './layers.ts';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly layers: readonly { readonly title: string; readonly omitted: number; readonly box: Box }[];
  readonly folders: readonly { readonly key: string; readonly title: string; readonly box: Box }[];
  /** In reading order. */
  readonly files: readonly { readonly file: PictureFile; readonly box: Box }[];
}

const LEAST_COLUMN = 184;
/** Between columns: lines go through here. */
const GUTTER = 28;
const ROW = 22;
const FOLDER = 22;
const TITLE = 32;
const AFTER_LAYER = 12;

export function layoutOf(layers: readonly Layer[], width: number): Layout {
  const columns = Math.max(1, Math.floor((width + GUTTER) / (LEAST_COLUMN + GUTTER)));
  const columnWidth = Math.floor((width - (columns - 1) * GUTTER) / columns) - GUTTER / columns;
  const drawn: Layout = { width, height: 0, layers: [], folders: [], files: [] };
  const parts = { layers: [...drawn.layers], folders: [...drawn.folders], files: [...drawn.files] };
  let y = 0;
  for (const [index, { title, omitted, files }] of layers.entries()) {
    const top = y + TITLE;
    let bottom = top;
    for (const { column, row, item } of flow(files, columns)) {
      const at = { x: GUTTER + column * (columnWidth + GUTTER), y: top + row, width: columnWidth };
      if ('file' in item) parts.files.push({ file: item.file, box: { ...at, height: ROW } });
      else parts.folders.push({ key: `${index} ${column} ${row}`, title: item.folder, box: { ...at, height: FOLDER } });
      bottom = Math.max(bottom, at.y + ROW);
    }
    parts.layers.push({ title, omitted, box: { x: 0, y, width, height: bottom - y + AFTER_LAYER } });
    y = bottom + AFTER_LAYER;
  }
  return { width, height: y, ...parts };
}

/** A line from a file to one that it needs, along the left of both. */
export function linePath(from: Box, to: Box): string {
  const [start, end] = [from.y + from.height / 2, to.y + to.height / 2];
  const bow = from.x === to.x ? Math.min(GUTTER - 4, 10 + Math.abs(end - start) / 24) : GUTTER - 6;
  return `M${from.x} ${start}C${from.x - bow} ${start} ${to.x - bow} ${end} ${to.x - 2} ${end}`;
}

type Item = { readonly file: PictureFile } | { readonly folder: string };

/** Columns of about the same height. A folder that goes on in the next column is named again there. */
function* flow(
  files: readonly PictureFile[],
  columns: number,
): Generator<{ readonly column: number; readonly row: number; readonly item: Item }> {
  const folders = [...grouped(files, ({ title }) => folderAndFile(title).folder)].sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const most = Math.ceil((files.length * ROW + folders.length * FOLDER) / columns / ROW) * ROW + FOLDER;
  let column = 0;
  let row = 0;
  for (const [folder, its] of folders) {
    let isNamed = false;
    for (const file of [...its].sort((one, other) => (one.title < other.title ? -1 : 1))) {
      const height = isNamed ? ROW : FOLDER + ROW;
      if (row > 0 && row + height > most && column < columns - 1) {
        column += 1;
        row = 0;
        isNamed = false;
      }
      if (!isNamed) {
        yield { column, row, item: { folder: folder === '' ? './' : folder } };
        row += FOLDER;
        isNamed = true;
      }
      yield { column, row, item: { file } };
      row += ROW;
    }
  }
}
