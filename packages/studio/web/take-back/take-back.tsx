/** Opens the dialog that takes something back, from any part of the page. */
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import type { TakeBackRequest } from './requests.ts';
import { TakeBackDialog } from './take-back-dialog.tsx';

const TakeBackContext = createContext<(request: TakeBackRequest) => void>(() => undefined);

export function useTakeBack(): (request: TakeBackRequest) => void {
  return useContext(TakeBackContext);
}

export function TakeBackProvider({ children }: { readonly children: ReactNode }) {
  const [request, setRequest] = useState<TakeBackRequest | null>(null);
  const close = useCallback(() => setRequest(null), []);
  const dialog = useMemo(
    () => (request === null ? null : <TakeBackDialog request={request} onClose={close} />),
    [request, close],
  );
  return (
    <TakeBackContext value={setRequest}>
      {children}
      {dialog}
    </TakeBackContext>
  );
}
