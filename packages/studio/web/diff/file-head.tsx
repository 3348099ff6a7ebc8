import type { ReactNode } from 'react';
import { folderAndFile } from '../data/names.ts';
import { Counts } from '../parts/counts.tsx';
import { Icon } from '../parts/icon.tsx';
import { OperationTag } from '../parts/operation-tag.tsx';
import type { DiffFile } from './diff-file.ts';

export interface FileHeadProps {
  readonly file: DiffFile;
  readonly isClosed: boolean;
  readonly onToggle: () => void;
  readonly acts: ReactNode;
}

export function FileHead({ file, isClosed, onToggle, acts }: FileHeadProps) {
  const { folder, file: name } = folderAndFile(file.title);
  return (
    <div className="file-head">
      <button
        type="button"
        className="button quiet small"
        aria-expanded={!isClosed}
        aria-label={`${isClosed ? 'Show' : 'Hide'} the lines of ${file.title}`}
        onClick={onToggle}
      >
        <Icon name={isClosed ? 'open' : 'closed'} />
      </button>
      <h2 title={file.title}>
        {file.from !== null && <span className="from">{file.from} → </span>}
        <span className="folder">{folder}</span>
        {name}
      </h2>
      <OperationTag operation={file.change.operation} />
      <Counts added={file.change.added} removed={file.change.removed} />
      <span className="space" />
      {acts}
    </div>
  );
}
