/** A dialog of the browser itself: it keeps the focus inside, closes with Escape, and gives the focus back. */
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { Icon } from './icon.tsx';

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly foot?: ReactNode;
}

export function Dialog({ title, onClose, children, foot }: DialogProps) {
  const ref = useModal(onClose);
  return (
    <dialog ref={ref} aria-label={title}>
      <div className="head">
        <h2>{title}</h2>
        <button type="button" className="button quiet small" onClick={onClose} aria-label="Close">
          <Icon name="close" />
        </button>
      </div>
      <div className="body">{children}</div>
      {foot !== undefined && <div className="foot">{foot}</div>}
    </dialog>
  );
}

export function useModal(onClose: () => void) {
  const ref = useRef<HTMLDialogElement>(null);
  // Before the dialog leaves the page: a dialog that is removed while it is open does not give the focus back.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    const close = (event: Event): void => {
      event.preventDefault();
      onClose();
    };
    const closeOutside = (event: MouseEvent): void => {
      if (event.target === dialog) onClose();
    };
    dialog.addEventListener('cancel', close);
    dialog.addEventListener('click', closeOutside);
    return () => {
      dialog.removeEventListener('cancel', close);
      dialog.removeEventListener('click', closeOutside);
    };
  }, [onClose]);
  return ref;
}
