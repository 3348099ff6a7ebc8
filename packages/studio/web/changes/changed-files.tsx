import { useState } from 'react';
import { DiffList, type DiffListProps } from '../diff/diff-list.tsx';
import { FileTree } from './file-tree.tsx';

export interface ChangedFilesProps extends Omit<DiffListProps, 'onTop'> {
  /** What the diff is of: the diff of something else begins at its top again. */
  readonly of: string;
}

/** The changed files beside their diff. */
export function ChangedFiles({ of, ...diff }: ChangedFilesProps) {
  const [top, setTop] = useState<string>();
  return (
    <div className="changes">
      <FileTree files={diff.files} current={top} onFile={diff.onFile} />
      <DiffList key={of} {...diff} onTop={setTop} />
    </div>
  );
}
