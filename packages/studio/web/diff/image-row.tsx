import { useEffect, useState } from 'react';
import { type ContentSource, loadContent } from '../api/call.ts';
import { bytesText } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import type { DiffFile } from './diff-file.ts';

export interface ImageRowProps {
  readonly file: DiffFile;
  /** Null: the state is not known. */
  readonly before: ContentSource | null;
  readonly after: ContentSource | null;
}

/** An image before and after, from bytes that the page loads itself. */
export function ImageRow({ file: { change }, before, after }: ImageRowProps) {
  return (
    <div className="images">
      <Image
        label="Before"
        source={change.before === null ? null : before}
        path={change.from ?? change.path}
        size={change.beforeSize}
        version={versionOf(change.before)}
      />
      <Image
        label="After"
        source={change.after === null ? null : after}
        path={change.path}
        size={change.afterSize}
        version={versionOf(change.after)}
      />
    </div>
  );
}

interface ImageProps {
  readonly label: string;
  /** Null: there is no image. */
  readonly source: ContentSource | null;
  readonly path: DiffFile['change']['path'];
  readonly size: number | null;
  /** Another one when the content is another. */
  readonly version: string;
}

type Shown = { readonly address: string } | 'loading' | 'failed';

function Image({ label, source, path, size, version }: ImageProps) {
  const shown = useImage(source, path, version);
  const [measured, setMeasured] = useState<string | null>(null);
  const [broken, setBroken] = useState<string | null>(null);
  const isThere = typeof shown === 'object' && shown.address !== broken;
  return (
    <figure>
      <figcaption>
        {label}
        {size !== null && ` · ${bytesText(size)}`}
        {isThere && measured !== null && ` · ${measured}`}
      </figcaption>
      {source === null ? (
        <p>No image</p>
      ) : shown === 'loading' ? (
        <p role="status">Loading …</p>
      ) : !isThere ? (
        <p>The image cannot be shown.</p>
      ) : (
        <img
          src={shown.address}
          alt={`${label} the change`}
          onError={() => setBroken(shown.address)}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setMeasured(`${naturalWidth} × ${naturalHeight}`)
          }
        />
      )}
    </figure>
  );
}

function useImage(source: ContentSource | null, path: ImageProps['path'], version: string): Shown {
  const { id } = useWorkspace();
  const [shown, setShown] = useState<Shown>('loading');
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version of the same path has other bytes
  useEffect(() => {
    if (source === null) return;
    const ended = new AbortController();
    let address: string | null = null;
    setShown('loading');
    loadContent(id, source, path, ended.signal).then(
      (bytes) => {
        if (ended.signal.aborted) return;
        address = URL.createObjectURL(new Blob([bytes]));
        setShown({ address });
      },
      () => {
        if (!ended.signal.aborted) setShown('failed');
      },
    );
    return () => {
      ended.abort();
      if (address !== null) URL.revokeObjectURL(address);
    };
  }, [id, source, path, version]);
  return shown;
}

function versionOf(entry: DiffFile['change']['after']): string {
  return entry !== null && 'id' in entry ? entry.id : '';
}
