import { memo, useCallback, useEffect, useMemo, useRef } from 'react';
import { grouped } from '../data/grouped.ts';
import { folderAndFile } from '../data/names.ts';
import { plural } from '../data/times.ts';
import type { DiffFile } from '../diff/diff-file.ts';
import { Counts } from '../parts/counts.tsx';

export interface FileTreeProps {
  readonly files: readonly DiffFile[];
  readonly current: string | undefined;
  readonly onFile: (key: string) => void;
}

const LETTERS = { create: 'A', write: 'M', patch: 'M', delete: 'D', rename: 'R', mode: 'P', kind: 'K' } as const;

/** The changed files by folder, beside the diff. */
export const FileTree = memo(function FileTree({ files, current, onFile }: FileTreeProps) {
  const folders = useMemo(() => grouped(files, ({ title }) => folderAndFile(title).folder), [files]);
  const chosen = useRef<HTMLButtonElement>(null);
  const latest = useRef(onFile);
  latest.current = onFile;
  const choose = useCallback((key: string) => latest.current(key), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another file has another button
  useEffect(() => {
    // It returns a promise in some browsers, which must not become the cleanup of the effect.
    void chosen.current?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <nav className="file-tree" aria-label="Changed files">
      <p className="total">{plural(files.length, 'file')}</p>
      {[...folders].map(([name, its]) => (
        <section key={name}>
          {name !== '' && <h3 title={name}>{name}</h3>}
          <ul>
            {its.map((file) => (
              <li key={file.key}>
                <FileButton file={file} chosen={file.key === current ? chosen : null} onFile={choose} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
});

interface FileButtonProps {
  readonly file: DiffFile;
  /** Null: it is not the file that the diff shows. */
  readonly chosen: React.Ref<HTMLButtonElement> | null;
  readonly onFile: (key: string) => void;
}

const FileButton = memo(function FileButton({ file, chosen, onFile }: FileButtonProps) {
  return (
    <button
      type="button"
      ref={chosen}
      aria-current={chosen === null ? undefined : 'true'}
      title={file.title}
      onClick={() => onFile(file.key)}
    >
      <span className={`letter ${file.change.operation}`}>{LETTERS[file.change.operation]}</span>
      <span className="name">{folderAndFile(file.title).file}</span>
      <Counts added={file.change.added} removed={file.change.removed} />
    </button>
  );
});
