/** Opens a bundle for review: one that is dropped on the page, or chosen by a command of the palette. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { shownText } from '../data/names.ts';
import { type Command, useCommands } from '../shell/keys.ts';
import { useOpenBundle } from './use-open-bundle.ts';

export function BundleDrop() {
  const { opening, open } = useOpenBundle();
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useFileDrop(setOver, open);
  const commands = useMemo<readonly Command[]>(
    () => [{ label: 'Open a bundle to review it', run: () => input.current?.click() }],
    [],
  );
  useCommands(commands);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="Bundle to review"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file !== undefined) open(file);
          target.value = '';
        }}
      />
      {isOver && <div className="drop-here">Drop a bundle here to review it. Nothing in your files changes.</div>}
      {opening !== null && (
        <p className="drop-here opening" role="status">
          Opening {shownText(opening.name)} …{' '}
          {opening.sent < 1 ? `${Math.floor(opening.sent * 100)} % sent` : 'checking its contents'}
        </p>
      )}
    </>
  );
}

function useFileDrop(setOver: (isOver: boolean) => void, open: (file: File) => void): void {
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    const hasFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
    const over = (event: DragEvent): void => {
      if (!hasFile(event)) return;
      // Otherwise the browser opens the file in place of the page.
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      if (!hasFile(event)) return;
      event.preventDefault();
      setOver(false);
      const [file] = event.dataTransfer?.files ?? [];
      if (file !== undefined) latest.current(file);
    };
    window.addEventListener('dragover', over);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, [setOver]);
}
