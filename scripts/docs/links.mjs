// @ts-check
import { posix } from 'node:path';

/**
 * Returns the links of a markdown file to files that do not exist. Links to the web are not checked.
 * @param {string} path from the project's top, with slashes
 * @param {string} markdown
 * @param {(file: string) => boolean} exists
 * @returns {string[]}
 */
export function brokenLinks(path, markdown, exists) {
  const prose = markdown.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)].flatMap((match) => {
    const link = (match[1] ?? '').replace(/#.*$/, '');
    if (link === '' || /^[a-z][a-z+.-]*:/i.test(link)) return [];
    const file = posix.join(posix.dirname(path), decodeURI(link));
    return exists(file) ? [] : [`${path}: the link to ${link} leads nowhere`];
  });
}
