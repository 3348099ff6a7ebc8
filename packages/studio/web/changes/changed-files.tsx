import { useState } from 'react';
import { plural } from '../data/times.ts';
import { DiffList, type DiffListProps } from '../diff/diff-list.tsx';
import { FileTree, type FileTreeProps } from './file-tree.tsx';

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
      <FileChoice files={diff.files} current={top} onFile={diff.onFile} />
      <DiffList key={of} {...diff} onTop={setTop} />
    </div>
  );
}

/** In place of the tree, where there is no room for it. */
function FileChoice({ files, current, onFile }: FileTreeProps) {
  return (
    <div className="file-choice">
      <select
        className="field"
        aria-label="Go to a changed file"
        value={current ?? files[0]?.key}
        onChange={(event) => onFile(event.target.value)}
      >
        {files.map(({ key, title, change: { added, removed } }) => (
          <option key={key} value={key}>
            {title}
            {added === null && removed === null ? '' : ` +${added ?? 0} −${removed ?? 0}`}
          </option>
        ))}
      </select>
      <span>{plural(files.length, 'file')}</span>
    </div>
  );
}
