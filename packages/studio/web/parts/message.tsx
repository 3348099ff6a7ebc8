/** What a view shows in place of its content: nothing there yet, still loading, or an error with what to do. */
import type { ReactNode } from 'react';
import { asWireError } from '../api/call.ts';
import { shownLines, shownText } from '../data/names.ts';

export function Loading({ what }: { readonly what: string }) {
  return (
    <p className="loading" role="status">
      Loading {what} …
    </p>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="message">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  return warnings.map((warning) => (
    <p key={warning} className="notice">
      {shownText(warning)}
    </p>
  ));
}

export function Failure({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const { code, message, hint } = asWireError(error);
  return (
    <section className="message failure" role="alert">
      <h2>{shownLines(message)}</h2>
      <p>{shownLines(hint)}</p>
      <p>
        <code>{code}</code>
      </p>
      {retry !== undefined && (
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>
      )}
    </section>
  );
}
