import { useEffect, useState } from 'react';
import { loadContent } from '../api/call.ts';
import { bytesText } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import type { DiffFile } from './diff-file.ts';

export interface ImageRowProps {
  readonly file: DiffFile;
  /** The checkpoints before and after; null: there is none. */
  readonly from: string | null;
  readonly to: string | null;
}

/** An image before and after, from bytes that the page loads itself. */
export function ImageRow({ file, from, to }: ImageRowProps) {
  const { change } = file;
  return (
    <div className="images">
      <Image
        label="Before"
        at={change.before === null ? null : from}
        path={change.from ?? change.path}
        size={change.beforeSize}
      />
      <Image label="After" at={change.after === null ? null : to} path={change.path} size={change.afterSize} />
    </div>
  );
}

interface ImageProps {
  readonly label: string;
  readonly at: string | null;
  readonly path: DiffFile['change']['path'];
  readonly size: number | null;
}

function Image({ label, at, path, size }: ImageProps) {
  const { id } = useWorkspace();
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (at === null || typeof path !== 'string') return;
    const ended = new AbortController();
    let made: string | null = null;
    loadContent(id, at, path, ended.signal).then(
      (bytes) => {
        if (ended.signal.aborted) return;
        made = URL.createObjectURL(new Blob([bytes]));
        setAddress(made);
      },
      () => setAddress(null),
    );
    return () => {
      ended.abort();
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [id, at, path]);
  return (
    <figure>
      <figcaption>
        {label}
        {size !== null && ` · ${bytesText(size)}`}
      </figcaption>
      {address === null ? <p className="loading">No image</p> : <img src={address} alt={`${label} the change`} />}
    </figure>
  );
}
