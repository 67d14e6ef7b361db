/** A node of PostgreSQL's own parse tree, as `debug_print_parse` writes it: `{CASE :casetype 25 :args ({CASEWHEN ...})}`. */
export interface TreeNode {
  readonly type: string;
  /** The values of each field: nodes, lists of them, and text. */
  readonly fields: ReadonlyMap<string, readonly TreeValue[]>;
}

export type TreeValue = string | TreeNode | readonly TreeValue[];

/** Brackets, and what stands between them and spaces; a backslash takes the meaning of the character after it. */
const TOKEN = /[(){}]|(?:\\.|[^\s(){}\\])+/gs;

/** Reads one value from a tree's text. */
export function parseTree(text: string): TreeValue {
  const tokens = text.match(TOKEN) ?? [];
  let next = 0;
  const value = (): TreeValue => {
    const token = tokens[next++]!;
    if (token === '{') return node();
    if (token !== '(') return token;
    const items: TreeValue[] = [];
    while (tokens[next] !== ')') items.push(value());
    next++;
    return items;
  };
  const node = (): TreeNode => {
    const type = tokens[next++]!;
    const fields = new Map<string, TreeValue[]>();
    let field: TreeValue[] = [];
    while (tokens[next] !== '}') {
      const token = tokens[next]!;
      if (token.startsWith(':') && token.length > 1) {
        fields.set(token.slice(1), (field = []));
        next++;
      } else field.push(value());
    }
    next++;
    return { type, fields };
  };
  return value();
}

/** All nodes of a value, each before those within it. @param isEntered false: those within the node are left out */
export function* nodesOf(
  value: TreeValue | undefined,
  isEntered: (node: TreeNode) => boolean = () => true,
): Generator<TreeNode> {
  if (value === undefined || typeof value === 'string') return;
  if (isNode(value)) {
    yield value;
    if (isEntered(value)) for (const field of value.fields.values()) yield* nodesOf(field, isEntered);
  } else for (const item of value) yield* nodesOf(item, isEntered);
}

function isNode(value: Exclude<TreeValue, string>): value is TreeNode {
  return 'fields' in value;
}

/** The text of a field; empty if it has none. */
export function textOf(node: TreeNode, field: string): string {
  const [value] = node.fields.get(field) ?? [];
  return typeof value === 'string' ? value : '';
}

/** The node in a field, if it is one. */
export function nodeOf(node: TreeNode, field: string): TreeNode | undefined {
  const [value] = node.fields.get(field) ?? [];
  return value !== undefined && typeof value !== 'string' && isNode(value) ? value : undefined;
}
