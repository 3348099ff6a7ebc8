import { folderAndFile, shownName } from '../data/names.ts';
import { plural } from '../data/times.ts';
import { type Drafts, openIn } from './drafts.ts';
import type { ConflictFile } from './sides.ts';

export interface ConflictListProps {
  readonly files: readonly ConflictFile[];
  readonly drafts: Drafts;
  readonly current: string;
  readonly onFile: (key: string) => void;
}

/** The files in conflict, and which of them are resolved. */
export function ConflictList({ files, drafts, current, onFile }: ConflictListProps) {
  return (
    <nav className="file-tree" aria-label="Files in conflict">
      <p className="total">{plural(files.length, 'file')} in conflict</p>
      <ul>
        {files.map((file) => {
          const { folder, file: name } = folderAndFile(shownName(file.path));
          const isResolved = openIn(file, drafts.get(file.key)) === 0;
          return (
            <li key={file.key}>
              <button
                type="button"
                aria-current={file.key === current ? 'true' : undefined}
                title={`${folder}${name}`}
                onClick={() => onFile(file.key)}
              >
                <span className="name">
                  {folder !== '' && <span className="folder">{folder}</span>}
                  <span className="file">{name}</span>
                </span>
                <span className={`tag ${isResolved ? 'pass' : 'warning'}`}>{isResolved ? 'resolved' : 'open'}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
