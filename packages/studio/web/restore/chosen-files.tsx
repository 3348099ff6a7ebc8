import { memo, useEffect, useMemo, useRef } from 'react';
import { grouped } from '../data/grouped.ts';
import { folderAndFile } from '../data/names.ts';
import { plural } from '../data/times.ts';
import type { DiffFile } from '../diff/diff-file.ts';
import { Counts } from '../parts/counts.tsx';

export interface ChosenFilesProps {
  readonly files: readonly DiffFile[];
  /** The keys of files that stay. */
  readonly except: ReadonlySet<string>;
  readonly current: string | undefined;
  readonly onFile: (key: string) => void;
  readonly onChoose: (keys: readonly string[], isChosen: boolean) => void;
}

/** The files that would change, by folder, each with a box: what is not checked stays as it is. */
export const ChosenFiles = memo(function ChosenFiles({ files, except, current, onFile, onChoose }: ChosenFilesProps) {
  const folders = useMemo(() => grouped(files, ({ title }) => folderAndFile(title).folder), [files]);
  const keys = useMemo(() => files.map(({ key }) => key), [files]);
  const left = keys.filter((key) => !except.has(key)).length;
  return (
    <nav className="file-tree chosen-files" aria-label="Files to restore">
      <Box
        label={`${left === keys.length ? plural(left, 'file') : `${left} of ${plural(keys.length, 'file')}`}`}
        keys={keys}
        except={except}
        onChoose={onChoose}
      />
      {[...folders].map(([folder, its]) => (
        <section key={folder}>
          {folder !== '' && <Box label={folder} keys={its.map(({ key }) => key)} except={except} onChoose={onChoose} />}
          <ul>
            {its.map(({ key, title, change }) => (
              <li key={key} className={except.has(key) ? 'is-left' : ''}>
                <input
                  type="checkbox"
                  aria-label={`Restore ${title}`}
                  checked={!except.has(key)}
                  onChange={(event) => onChoose([key], event.target.checked)}
                />
                <button
                  type="button"
                  aria-current={key === current ? 'true' : undefined}
                  title={title}
                  onClick={() => onFile(key)}
                >
                  <span className="name">{folderAndFile(title).file}</span>
                  <Counts added={change.added} removed={change.removed} />
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
});

interface BoxProps extends Pick<ChosenFilesProps, 'except' | 'onChoose'> {
  readonly label: string;
  readonly keys: readonly string[];
}

/** The box of a folder: also half checked. */
function Box({ label, keys, except, onChoose }: BoxProps) {
  const left = keys.filter((key) => !except.has(key)).length;
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = left > 0 && left < keys.length;
  }, [left, keys.length]);
  return (
    <label className="folder-box">
      <input
        ref={box}
        type="checkbox"
        checked={left === keys.length}
        onChange={(event) => onChoose(keys, event.target.checked)}
      />
      <span>{label}</span>
    </label>
  );
}
