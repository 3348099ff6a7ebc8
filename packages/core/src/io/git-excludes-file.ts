/**
 * The value of `core.excludesFile` in the text of a git configuration file, or null: the last one wins, `include` is
 * not followed, a line that git would refuse is passed over. One character per byte.
 */
export function excludesFileIn(config: string): string | null {
  const values = settingsIn(config).flatMap(({ name, value }) =>
    name === 'core.excludesfile' && value !== null ? [value] : [],
  );
  return values.at(-1) ?? null;
}

export interface GitSetting {
  /** `section.key` in lower case; what stands between the two is left out. */
  readonly name: string;
  /** Null: there is none, or it is malformed. */
  readonly value: string | null;
}

/** Every setting of a configuration file, in order. */
export function settingsIn(config: string): readonly GitSetting[] {
  const found: GitSetting[] = [];
  let section = '';
  for (const line of logicalLines(config)) {
    let rest = line.trimStart();
    const header = /^\[\s*([A-Za-z0-9.-]+)\s*("(?:[^"\\]|\\.)*")?\s*\]/.exec(rest);
    if (header !== null) {
      const name = header[1]?.toLowerCase() ?? '';
      section = header[2] === undefined ? name : `${name}.*`;
      rest = rest.slice(header[0].length).trimStart();
    }
    const setting = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=(.*)|(?=[#;]|$))/s.exec(rest);
    if (setting === null) continue;
    const value = setting[2] === undefined ? null : unquote(setting[2]);
    found.push({ name: `${section}.${setting[1]?.toLowerCase()}`, value });
  }
  return found;
}

/** Lines with those joined whose end is escaped by a backslash. */
function logicalLines(config: string): string[] {
  const lines: string[] = [];
  let begun = '';
  for (const line of config.replace(/^\xef\xbb\xbf/, '').split(/\r?\n/)) {
    const comment = /^\s*[#;]/.test(line) && begun === '';
    const backslashes = /\\*$/.exec(line)?.[0].length ?? 0;
    if (!comment && backslashes % 2 === 1) {
      begun += line.slice(0, -1);
    } else {
      lines.push(begun + line);
      begun = '';
    }
  }
  if (begun !== '') lines.push(begun);
  return lines;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '"': '"', '\\': '\\' };

/** The value as git reads it: quotes and escapes resolved, comment and outer blanks gone; null if it is malformed. */
function unquote(raw: string): string | null {
  let value = '';
  let kept = 0; // characters that are safe from the trimming of blanks at the end
  let quoted = false;
  const text = raw.trimStart();
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '"') {
      quoted = !quoted;
      kept = value.length;
    } else if (char === '\\') {
      const meant = ESCAPES[text.charAt(++i)];
      if (meant === undefined) return null;
      value += meant;
      kept = value.length;
    } else if (!quoted && (char === '#' || char === ';')) {
      break;
    } else {
      value += char;
      if (quoted || !/\s/.test(char)) kept = value.length;
    }
  }
  return quoted ? null : value.slice(0, kept);
}
