// @ts-check
/** Draws the screen of an emulator as SVG: the same cells give the same bytes. */

/** @typedef {import('@xterm/headless').Terminal} Terminal */
/** @typedef {import('@xterm/headless').IBufferCell} Cell */

const CELL = { width: 8.4, height: 19 };
const FONT_SIZE = 14;
const MARGIN = 16;
const TITLE_ROWS = 36;
const THEME = {
  back: '#1b1e28',
  bar: '#13151d',
  fore: '#c8ccd8',
  colours: [
    '#3b4052',
    '#f07178',
    '#9ccf84',
    '#e6c07b',
    '#7aa8f0',
    '#c792ea',
    '#6cc7c9',
    '#c8ccd8',
    '#5c6379',
    '#ff8b92',
    '#b5e39c',
    '#f5d690',
    '#98bdff',
    '#dab0f5',
    '#8fdfe1',
    '#f4f6fb',
  ],
};

/** Lines of frames as strokes, because glyphs of many fonts leave gaps between rows. In eighths of a cell. */
const STROKES = new Map([
  ['─', 'M0 4H8'],
  ['│', 'M4 0V8'],
  ['╭', 'M4 8V6Q4 4 8 4'],
  ['╮', 'M4 8V6Q4 4 0 4'],
  ['╰', 'M4 0V2Q4 4 8 4'],
  ['╯', 'M4 0V2Q4 4 0 4'],
]);

/**
 * @param {Terminal} terminal
 * @param {string} title
 */
export function svgOf(terminal, title) {
  const { cols, rows } = terminal;
  const width = Math.ceil(cols * CELL.width) + 2 * MARGIN;
  const height = rows * CELL.height + TITLE_ROWS + MARGIN;
  const parts = Array.from({ length: rows }, (_, row) => rowOf(terminal, row)).flat();
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${THEME.back}"/>`,
    `<path d="M0 28V8a8 8 0 0 1 8-8H${width - 8}a8 8 0 0 1 8 8V28z" fill="${THEME.bar}"/>`,
    ...['#f07178', '#e6c07b', '#9ccf84'].map(
      (fill, index) => `<circle cx="${16 + index * 18}" cy="14" r="5.5" fill="${fill}"/>`,
    ),
    `<text x="${width / 2}" y="19" fill="#8a90a5" font-size="12" text-anchor="middle">${escaped(title)}</text>`,
    `<g transform="translate(${MARGIN} ${TITLE_ROWS})">`,
    ...parts,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** @param {Terminal} terminal @param {number} row */
function rowOf(terminal, row) {
  const { active } = terminal.buffer;
  const line = active.getLine(active.baseY + row);
  /** @type {{ text: string, column: number, columns: number, style: ReturnType<typeof styleOf> }[]} */
  const runs = [];
  for (let column = 0; column < terminal.cols; column++) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const style = styleOf(cell);
    const text = cell.getChars() || ' ';
    const last = runs.at(-1);
    // A frame, and a character that is not ASCII, are placed on their own: fonts disagree about their widths.
    const isJoined = last !== undefined && isSame(last.style, style) && isPlain(text) && isPlain(last.text);
    if (isJoined) {
      last.text += text;
      last.columns += 1;
    } else runs.push({ text, column, columns: cell.getWidth(), style });
  }
  return runs.flatMap((run) => [...backOf(run, row), ...textOf(run, row)]);
}

/** @param {{ column: number, columns: number, style: ReturnType<typeof styleOf> }} run @param {number} row */
function backOf({ column, columns, style }, row) {
  if (style.back === null) return [];
  const [x, y] = [column * CELL.width, row * CELL.height];
  return [
    `<rect x="${fixed(x)}" y="${y}" width="${fixed(columns * CELL.width + 0.3)}" height="${CELL.height}" fill="${style.back}"/>`,
  ];
}

/** @param {{ text: string, column: number, columns: number, style: ReturnType<typeof styleOf> }} run @param {number} row */
function textOf({ text, column, columns, style }, row) {
  if (text.trim() === '') return [];
  const [x, y] = [column * CELL.width, row * CELL.height];
  const stroke = STROKES.get(text);
  const opacity = style.isDim ? ' opacity="0.6"' : '';
  if (stroke !== undefined) {
    const scale = `translate(${fixed(x)} ${y}) scale(${CELL.width / 8} ${CELL.height / 8})`;
    return [
      `<path d="${stroke}" transform="${scale}" fill="none" stroke="${style.fore}"${opacity} vector-effect="non-scaling-stroke"/>`,
    ];
  }
  const start = text.length - text.trimStart().length;
  const shown = text.trim();
  const at = x + start * CELL.width;
  const length = isPlain(text) ? shown.length * CELL.width : columns * CELL.width;
  const weight = style.isBold ? ' font-weight="bold"' : '';
  const slant = style.isItalic ? ' font-style="italic"' : '';
  const fit = isPlain(text) ? ` textLength="${fixed(length)}" lengthAdjust="spacingAndGlyphs"` : '';
  return [
    `<text x="${fixed(at)}" y="${y + CELL.height - 5}" fill="${style.fore}"${weight}${slant}${opacity}${fit} xml:space="preserve">${escaped(shown)}</text>`,
  ];
}

/** @param {Cell} cell */
function styleOf(cell) {
  const fore = cell.isFgPalette() ? (THEME.colours[cell.getFgColor()] ?? THEME.fore) : THEME.fore;
  const back = cell.isBgPalette() ? (THEME.colours[cell.getBgColor()] ?? null) : null;
  const isInverse = cell.isInverse() !== 0;
  return {
    fore: isInverse ? (back ?? THEME.back) : fore,
    back: isInverse ? fore : back,
    isBold: cell.isBold() !== 0,
    isDim: cell.isDim() !== 0,
    isItalic: cell.isItalic() !== 0,
  };
}

/** @param {ReturnType<typeof styleOf>} a @param {ReturnType<typeof styleOf>} b */
function isSame(a, b) {
  return (
    a.fore === b.fore && a.back === b.back && a.isBold === b.isBold && a.isDim === b.isDim && a.isItalic === b.isItalic
  );
}

/** @param {string} text */
function isPlain(text) {
  return /^[\x20-\x7e]+$/.test(text);
}

/** @param {number} value */
function fixed(value) {
  return String(Math.round(value * 10) / 10);
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
