/** Short messages about what was done, with a way to undo it. */
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import { shownLines } from '../data/names.ts';
import { Icon } from './icon.tsx';

export interface Toast {
  readonly text: string;
  readonly isFailure?: boolean;
  readonly action?: { readonly label: string; readonly run: () => void };
}

type Show = (toast: Toast) => void;

const STAYS_MS = 12_000;
const MOST = 3;

const ToastContext = createContext<Show>(() => undefined);

export function useToast(): Show {
  return useContext(ToastContext);
}

export function Toasts({ children }: { readonly children: ReactNode }) {
  const [shown, setShown] = useState<readonly (Toast & { readonly id: number })[]>([]);
  const remove = useCallback((id: number) => setShown((now) => now.filter((toast) => toast.id !== id)), []);
  const show = useCallback<Show>(
    (toast) => {
      const id = Math.random();
      setShown((now) => [...now, { ...toast, id }].slice(-MOST));
      setTimeout(() => remove(id), STAYS_MS);
    },
    [remove],
  );
  const list = useMemo(
    () =>
      shown.map(({ id, text, isFailure, action }) => (
        <div
          key={id}
          className={`toast ${isFailure === true ? 'failure' : ''}`}
          role={isFailure === true ? 'alert' : 'status'}
        >
          <p>{shownLines(text)}</p>
          {action !== undefined && (
            <button
              type="button"
              className="button small"
              onClick={() => {
                remove(id);
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
          <button
            type="button"
            className="button quiet small"
            onClick={() => remove(id)}
            aria-label="Close the message"
          >
            <Icon name="close" />
          </button>
        </div>
      )),
    [shown, remove],
  );
  return (
    <ToastContext value={show}>
      {children}
      <div className="toasts">{list}</div>
    </ToastContext>
  );
}
