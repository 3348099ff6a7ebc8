import { type TreePath, textFromBytes } from '../../model/names.ts';

/** Returns `tsc` in the top folder, `tsc:packages/a` below it. Bytes that are not text are escaped. */
export function checkName(tool: string, folder: TreePath): string {
  if (folder === '') return tool;
  return `${tool}:${textFromBytes(folder) ?? encodeURI(folder)}`;
}
