/**
 * JSON with comments and trailing commas, in any layout. `jsonc-parser` parses it into a tree with positions, so that
 * one place can be changed and all other bytes are preserved. Its `modify` is not used, because it reformats other
 * parts and removes comments (docs/decisions/0031).
 */

import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

interface TextSpan {
  /** From the first character of the value to the position after its last. */
  readonly start: number;
  readonly end: number;
}

interface JsonMember {
  readonly key: string;
  readonly keyStart: number;
  readonly value: JsonNode;
}

export type JsonNode = TextSpan &
  (
    | { readonly kind: 'object'; readonly members: readonly JsonMember[] }
    | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
    | { readonly kind: 'plain'; readonly plain: unknown }
  );

/** Invalid JSON; the message has the position. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError';
}

/** Limited, because the parser is recursive. */
const MAX_DEPTH = 100;
const BYTE_ORDER_MARK = '\ufeff';

const ERROR_TEXTS: Readonly<Record<string, string>> = {
  ValueExpected: 'a value is missing',
  PropertyNameExpected: 'a name in quotes is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma or an end is missing',
  CloseBraceExpected: 'a comma or an end is missing',
  CloseBracketExpected: 'a comma or an end is missing',
  EndOfFileExpected: 'there is text after the end',
  UnexpectedEndOfComment: 'a comment has no end',
  UnexpectedEndOfString: 'a string has no end',
};

/** @throws JsonTextError */
export function parseJsonText(text: string): JsonNode {
  assertShallow(text);
  const errors: ParseError[] = [];
  const tree = parseTree(withoutMark(text), errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined)
    throw jsonTextError(text, first.offset, ERROR_TEXTS[printParseErrorCode(first.error)] ?? 'a value is invalid');
  if (tree === undefined) throw jsonTextError(text, text.length, 'a value is missing');
  return nodeOf(tree);
}

export function plainValueOf(node: JsonNode): unknown {
  switch (node.kind) {
    case 'plain':
      return node.plain;
    case 'array':
      return node.items.map(plainValueOf);
    case 'object':
      return Object.fromEntries(node.members.map(({ key, value }) => [key, plainValueOf(value)]));
  }
}

/** Returns the value of a member. If several members have the same name, the last one wins, as in JSON parsers. */
export function memberOf(node: JsonNode, key: string): JsonNode | null {
  if (node.kind !== 'object') return null;
  return node.members.findLast((member) => member.key === key)?.value ?? null;
}

/** Returns the spans of the children of an object or a list. The span of a member includes its key. */
export function childSpans(node: JsonNode): readonly TextSpan[] {
  if (node.kind === 'array') return node.items;
  if (node.kind === 'object') return node.members.map(({ keyStart, value }) => ({ start: keyStart, end: value.end }));
  return [];
}

/** Returns the position after white space and comments. */
export function skipSpace(text: string, at: number): number {
  const scanner = createScanner(withoutMark(text), true);
  scanner.setPosition(at);
  scanner.scan();
  return scanner.getTokenOffset();
}

/** Replaces a byte-order mark with a space, so that all positions stay the same. */
function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? ` ${text.slice(1)}` : text;
}

/** @throws JsonTextError */
function assertShallow(text: string): void {
  const scanner = createScanner(withoutMark(text), true);
  let depth = 0;
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const sign = text.charAt(scanner.getTokenOffset());
    if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
    if (depth > MAX_DEPTH)
      throw jsonTextError(text, scanner.getTokenOffset(), `it is nested more than ${MAX_DEPTH} levels deep`);
  }
}

function nodeOf(node: Node): JsonNode {
  const span = { start: node.offset, end: node.offset + node.length };
  const children = node.children ?? [];
  if (node.type === 'array') return { ...span, kind: 'array', items: children.map(nodeOf) };
  if (node.type !== 'object') return { ...span, kind: 'plain', plain: node.value };
  const members = children.flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined
      ? []
      : [{ key: String(key.value), keyStart: key.offset, value: nodeOf(value) }],
  );
  return { ...span, kind: 'object', members };
}

function jsonTextError(text: string, at: number, what: string): JsonTextError {
  const before = text.slice(0, at);
  const column = at - before.lastIndexOf('\n');
  return new JsonTextError(`${what} (line ${before.split('\n').length}, column ${column})`);
}
