/** The part of a node of a parser's tree that is looked at; as Lezer has it. */
interface INode {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly firstChild: INode | null;
  readonly nextSibling: INode | null;
}

/** A parser of Python, such as the one that colours it. */
export interface IPythonParser {
  parse(text: string): {
    readonly topNode: INode;
    iterate(walk: {
      enter(node: { readonly type: { readonly isError: boolean } }): void;
    }): void;
  };
}

/** Characters of a message in which Python is looked for: nobody types more by mistake. */
const LONGEST = 20_000;

/** Statements that nobody writes in prose. */
const CLEAR: ReadonlySet<string> = new Set([
  'ImportStatement',
  'FunctionDefinition',
  'ClassDefinition',
  'DecoratedStatement',
  'UpdateStatement'
]);

/** Statements that may be a line of prose, such as "with love: me", but not in a block of lines. */
const BLOCKS: ReadonlySet<string> = new Set([
  'ForStatement',
  'IfStatement',
  'TryStatement',
  'WhileStatement',
  'WithStatement'
]);

/** Functions that are called by themselves. */
const CALLED =
  /^(?:print|display|help|dir|len|type|list|dict|set|sorted|sum|min|max|range|open|input)$/;

/**
 * Return whether a message parses as Python and reads like it.
 *
 * A word, a number or a list of points parses as well: there must be a statement that nobody writes in
 * prose. Where it is unsure, it is a message.
 */
export function readsLikePython(
  source: string,
  parser: IPythonParser
): boolean {
  const text = source.trim();
  if (text === '' || text.length > LONGEST) {
    return false;
  }
  const tree = parser.parse(text);
  let isWhole = true;
  tree.iterate({
    enter: ({ type }) => {
      isWhole &&= !type.isError;
    }
  });
  return isWhole && childrenOf(tree.topNode).some(one => isCode(one, text));
}

function isCode(node: INode, text: string): boolean {
  const { name, from, to } = node;
  const children = childrenOf(node);
  switch (name) {
    case 'AssignStatement':
      // "note: yes" has none.
      return children.some(child => child.name === 'AssignOp');
    case 'StatementGroup':
      return children.some(child => isCode(child, text));
    case 'ExpressionStatement':
      return children.length === 1 && isCall(children[0], text);
    default:
      return (
        CLEAR.has(name) ||
        (BLOCKS.has(name) && text.slice(from, to).includes('\n'))
      );
  }
}

/** Return whether an expression calls a method or a well-known function, or any with a text or a name. */
function isCall(node: INode, text: string): boolean {
  const [called, list] = childrenOf(node);
  if (node.name === 'AwaitExpression') {
    return list !== undefined && isCall(list, text);
  }
  // "Thanks (again)" is prose.
  if (node.name !== 'CallExpression' || list.from !== called.to) {
    return false;
  }
  const isNamed = CALLED.test(text.slice(called.from, called.to));
  const clear = new Set(['String', 'FormatString', 'AssignOp']);
  return (
    isNamed ||
    called.name === 'MemberExpression' ||
    childrenOf(list).some(({ name }) => clear.has(name))
  );
}

function childrenOf(node: INode): INode[] {
  const children: INode[] = [];
  for (let one = node.firstChild; one !== null; one = one.nextSibling) {
    children.push(one);
  }
  return children;
}
