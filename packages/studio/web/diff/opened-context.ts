/** The hidden lines of a diff that a person has opened. */
import { useCallback, useState } from 'react';
import { asWireError, type ContentSource, loadContent } from '../api/call.ts';
import { useWorkspace } from '../data/workspace.ts';
import { useToast } from '../parts/toasts.tsx';
import { type DiffFile, versionBefore } from './diff-file.ts';
import type { OpenedContext } from './hidden-lines.ts';

export interface OpenedLines {
  readonly opened: ReadonlyMap<string, OpenedContext>;
  /** @param gap its number in the file */
  readonly open: (file: DiffFile, gap: number, count: number) => void;
}

/** Hidden lines are the same on both sides, so they are read from the state before. @param before null: it is not known */
export function useOpenedContext(before: ContentSource | null): OpenedLines {
  const { id } = useWorkspace();
  const toast = useToast();
  const [opened, setOpened] = useState<ReadonlyMap<string, OpenedContext>>(new Map());
  const open = useCallback(
    (file: DiffFile, gap: number, count: number) => {
      if (before === null) return;
      const version = versionBefore(file);
      const isSame = (one: OpenedContext | undefined): one is OpenedContext => one?.version === version;
      const show = (lines: readonly string[]): void =>
        setOpened((now) => {
          const last = now.get(file.key);
          const shown = isSame(last) ? last.shown : {};
          const next = { version, lines, shown: { ...shown, [gap]: (shown[gap] ?? 0) + count } };
          return new Map([...now, [file.key, next]]);
        });
      const known = opened.get(file.key);
      if (isSame(known)) return show(known.lines);
      loadContent(id, before, file.change.from ?? file.change.path).then(
        (bytes) => show(TEXT.decode(bytes).replace(/\n$/, '').split('\n')),
        (error: unknown) => toast({ text: asWireError(error).message, isFailure: true }),
      );
    },
    [id, before, opened, toast],
  );
  return { opened, open };
}

const TEXT = new TextDecoder('utf-8', { ignoreBOM: true });
