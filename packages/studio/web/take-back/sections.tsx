/** Parts of a preview: what happens to some paths, under one title. */
import type { ReactNode } from 'react';

interface SectionProps {
  readonly title: string;
  readonly tone?: 'danger' | 'warning';
  readonly children: ReactNode;
}

export function Section({ title, tone, children }: SectionProps) {
  return (
    <section className={tone ?? ''}>
      <h3>{title}</h3>
      <ul>{children}</ul>
    </section>
  );
}

export function Line({ path, text }: { readonly path: string; readonly text: string }) {
  return (
    <li>
      <code>{path}</code> <span>{text}</span>
    </li>
  );
}
