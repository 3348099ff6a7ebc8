/** Adds entries to lists of a JSON text, and removes them again. All other bytes are preserved. */

import { childSpans, type JsonNode, memberOf, parseJsonText, plainValueOf, skipSpace } from './json-text.ts';

/** Thrown if a value has the wrong type: not a list or not an object. */
export class SettingsShapeError extends Error {
  override readonly name = 'SettingsShapeError';
}

/**
 * Returns the text with `value` appended to the list at these keys.
 * @throws JsonTextError, SettingsShapeError
 */
export function withEntry(text: string, list: readonly string[], value: unknown): string {
  const layout = layoutOf(text);
  let node = parseJsonText(text);
  for (const [depth, key] of list.entries()) {
    if (node.kind !== 'object') throw new SettingsShapeError(`${keysText(list.slice(0, depth))} is not an object`);
    const next = memberOf(node, key);
    if (next === null) {
      const rest = list.slice(depth + 1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), [value]);
      return withChild(text, node, depth, `${JSON.stringify(key)}: ${formatJson(rest, depth + 1, layout)}`, layout);
    }
    node = next;
  }
  if (node.kind !== 'array') throw new SettingsShapeError(`${keysText(list)} is not a list`);
  return withChild(text, node, list.length, formatJson(value, list.length + 1, layout), layout);
}

/** Returns the text without our items in these lists. Lists and objects that become empty are removed as well. */
export function withoutEntries(
  text: string,
  lists: readonly (readonly string[])[],
  isOurs: (value: unknown) => boolean,
): string {
  let rest = text;
  for (const list of lists) rest = withoutEntriesOf(rest, list, isOurs);
  return rest;
}

export function entriesOf(text: string, list: readonly string[]): readonly unknown[] {
  const node = list.reduce<JsonNode | null>((at, key) => (at === null ? null : memberOf(at, key)), parseJsonText(text));
  return node?.kind === 'array' ? node.items.map(plainValueOf) : [];
}

function withoutEntriesOf(text: string, list: readonly string[], isOurs: (value: unknown) => boolean): string {
  let rest = text;
  for (;;) {
    const way = nodesAlong(rest, list);
    const node = way.at(-1);
    if (way.length <= list.length || node?.kind !== 'array') return rest;
    const index = node.items.findIndex((item) => isOurs(plainValueOf(item)));
    if (index < 0) return rest;
    if (node.items.length > 1) {
      rest = withoutChild(rest, node, index);
      continue;
    }
    // The list, and the objects around it, were created for this item.
    let depth = list.length - 1;
    while (depth > 0 && childSpans(way[depth]!).length === 1) depth -= 1;
    const holder = way[depth]!;
    if (holder.kind !== 'object') return rest;
    return withoutChild(
      rest,
      holder,
      holder.members.findLastIndex(({ key }) => key === list[depth]),
    );
  }
}

/** Returns the top node and one node per key, as far as they exist. */
function nodesAlong(text: string, list: readonly string[]): readonly JsonNode[] {
  const nodes = [parseJsonText(text)];
  for (const key of list) {
    const next = memberOf(nodes.at(-1)!, key);
    if (next === null) break;
    nodes.push(next);
  }
  return nodes;
}

interface Layout {
  readonly indent: string;
  readonly newline: string;
}

function layoutOf(text: string): Layout {
  return { indent: /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ', newline: text.includes('\r\n') ? '\r\n' : '\n' };
}

function formatJson(value: unknown, depth: number, { indent, newline }: Layout): string {
  return JSON.stringify(value, null, indent).replaceAll('\n', newline + indent.repeat(depth));
}

/** @param depth the depth of the node that gets the child; its children are indented one level more */
function withChild(text: string, node: JsonNode, depth: number, child: string, { indent, newline }: Layout): string {
  const inner = newline + indent.repeat(depth + 1);
  const last = childSpans(node).at(-1);
  if (last === undefined) {
    const inside = text.slice(node.start + 1, node.end - 1);
    const kept = inside.trim() === '' ? '' : inside.trimEnd();
    return `${text.slice(0, node.start + 1)}${kept}${inner}${child}${newline}${indent.repeat(depth)}${text.slice(node.end - 1)}`;
  }
  const comma = skipSpace(text, last.end);
  if (text[comma] === ',') return `${text.slice(0, comma + 1)}${inner}${child}${text.slice(comma + 1)}`;
  // A comment on the same line belongs to that line.
  const comment = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/)(?=[ \t]*\r?\n)/.exec(text.slice(last.end))?.[0] ?? '';
  return `${text.slice(0, last.end)},${comment}${inner}${child}${text.slice(last.end + comment.length)}`;
}

function withoutChild(text: string, node: JsonNode, index: number): string {
  const children = childSpans(node);
  const child = children[index];
  if (child === undefined) return text;
  const [previous, next] = [children[index - 1], children[index + 1]];
  if (previous !== undefined) {
    const between = text.slice(skipSpace(text, previous.end) + 1, child.start).trimEnd();
    // Keep a comment in between. The comma after a comment needs its own line.
    const kept = between === '' || next === undefined ? between : `${between}\n`;
    return text.slice(0, previous.end) + kept + text.slice(child.end);
  }
  if (next !== undefined) {
    const comma = skipSpace(text, child.end);
    return text.slice(0, child.start) + text.slice(comma + 1).trimStart();
  }
  const comma = skipSpace(text, child.end);
  const after = text[comma] === ',' ? comma + 1 : child.end;
  const inside = text.slice(node.start + 1, child.start).trimEnd() + text.slice(after, node.end - 1).trimEnd();
  return text.slice(0, node.start + 1) + inside + text.slice(node.end - 1);
}

function keysText(keys: readonly string[]): string {
  return keys.length === 0 ? 'The file' : `"${keys.join('.')}"`;
}
