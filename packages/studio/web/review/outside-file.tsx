/** A file that is not part of a change, with what is said about its lines. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type ContentSource, loadContent } from '../api/call.ts';
import { nameFromKey, shownName } from '../data/names.ts';
import { useWorkspace } from '../data/workspace.ts';
import type { DiffFile } from '../diff/diff-file.ts';
import { DiffList } from '../diff/diff-list.tsx';
import type { FindingsByLine } from '../diff/line-findings.ts';
import type { LineTarget } from '../diff/line-target.ts';
import { hunkOf } from '../diff/patch.ts';
import { Failure, Loading } from '../parts/message.tsx';

export interface OutsideFileProps {
  /** A `nameKey`. */
  readonly file: string;
  /** The state after the change. */
  readonly source: ContentSource;
  /** Differs whenever the source has other contents. */
  readonly of: string;
  readonly findings: FindingsByLine;
  readonly target: LineTarget | null;
  readonly onClose: () => void;
}

export function OutsideFile({ file, source, of, findings, target, onClose }: OutsideFileProps) {
  const { id } = useWorkspace();
  const { data, error, refetch } = useQuery({
    queryKey: [id, 'fixed', 'outside', source, file, of],
    queryFn: async ({ signal }) => fileOf(file, await loadContent(id, source, nameFromKey(file), signal)),
  });
  const files = useMemo(() => (data === undefined ? [] : [data]), [data]);
  return (
    <div className="outside-file">
      <p className="outside-bar">
        <button type="button" className="button small" onClick={onClose}>
          Back
        </button>
        <span>
          <code>{shownName(nameFromKey(file))}</code> is not changed here. This is the whole file.
        </span>
      </p>
      {error !== null && <Failure error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Loading what="the file" />}
      {data !== undefined && (
        <DiffList
          key={file}
          files={files}
          from={null}
          to={null}
          hasAuthors={false}
          isSideBySide={false}
          findings={findings}
          target={target}
          onFile={nothing}
          onTop={nothing}
        />
      )}
    </div>
  );
}

const nothing = (): void => {};

/** All lines as one hunk without changes. */
function fileOf(key: string, bytes: Uint8Array<ArrayBuffer>): DiffFile {
  const path = nameFromKey(key);
  const isBinary = bytes.includes(0);
  const lines = isBinary
    ? []
    : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replace(/\n$/, '').split('\n');
  const all = [1, lines.length] as const;
  return {
    key,
    change: {
      path,
      from: null,
      operation: 'patch',
      before: null,
      after: null,
      beforeUncaptured: null,
      afterUncaptured: null,
      added: null,
      removed: null,
      beforeSize: null,
      afterSize: bytes.length,
    },
    title: shownName(path),
    from: null,
    hunks: isBinary
      ? []
      : [
          hunkOf(
            all,
            all,
            lines.map((line) => ` ${line}`),
          ),
        ],
    notes: isBinary ? ['A binary file: its bytes are not shown as lines.'] : [],
    isImage: false,
    isLeftOut: false,
  };
}
