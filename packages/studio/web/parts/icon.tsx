/** The icons of the page, drawn with one stroke on a grid of 16. They never carry meaning alone. */

const SHAPES = {
  now: 'M2 8h3l2-5 3 10 2-5h2',
  timeline: 'M4 2v12M4 4h8M4 8h6M4 12h9',
  changes: 'M3 4h5M5.5 1.5v5M3 12h5M11 3v10M13.5 10.5 11 13l-2.5-2.5',
  plans: 'M3 3h10v10H3zM5.5 8l1.8 1.8L10.8 6',
  forks:
    'M4 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM12 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM4 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM4 5.5v5M12 5.5c0 3-3 3.5-8 3.5',
  play: 'M5 3.5v9l7-4.5z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  overview: 'M2 13h12M4 13V8M8 13V3M12 13V6',
  mark: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 6.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z',
  theme: 'M8 2a6 6 0 1 0 6 6A4.5 4.5 0 0 1 8 2z',
  keys: 'M1.5 4.5h13v7h-13zM4 7h.01M6.5 7h.01M9 7h.01M11.5 7h.01M5 9.5h6',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5 14 14',
  back: 'M6 3 2.5 6.5 6 10M3 6.5h6.5a4 4 0 0 1 0 8H7',
  open: 'M6 4l4 4-4 4',
  closed: 'M4 6l4 4 4-4',
  close: 'M4 4l8 8M12 4l-8 8',
  file: 'M4 1.5h5l3 3v10H4zM9 1.5v3h3',
  filter: 'M2 4h12M4.5 8h7M6.5 12h3',
  warning: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 12h.01',
} as const;

export type IconName = keyof typeof SHAPES;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={SHAPES[name]} />
    </svg>
  );
}
