/** The lines of a syntax tree, as highlighters of the web make it (hast). */

export interface SyntaxNode {
  readonly type: string;
  readonly value?: string;
  readonly properties?: { readonly className?: unknown };
  readonly children?: readonly SyntaxNode[];
}

export type SyntaxPart<Syntax> = readonly [syntax: Syntax, text: string];

/**
 * @param plain for text that no node around it classifies
 * @param syntaxOf what the classes of a node mean; null: what they mean for the node around it
 */
export function syntaxLines<Syntax>(
  tree: SyntaxNode,
  plain: Syntax,
  syntaxOf: (classes: readonly unknown[]) => Syntax | null,
): readonly (readonly SyntaxPart<Syntax>[])[] {
  const lines: SyntaxPart<Syntax>[][] = [[]];
  const visit = (node: SyntaxNode, syntax: Syntax): void => {
    if (node.type === 'text') {
      for (const [index, text] of (node.value ?? '').split('\n').entries()) {
        if (index > 0) lines.push([]);
        if (text !== '') lines.at(-1)?.push([syntax, text]);
      }
      return;
    }
    const classes = node.properties?.className;
    const own = (Array.isArray(classes) ? syntaxOf(classes) : null) ?? syntax;
    for (const child of node.children ?? []) visit(child, own);
  };
  visit(tree, plain);
  return lines;
}
