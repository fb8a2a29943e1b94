import { FORMULA_CLASS } from '../safe/dialect';

/** What stood in a formula's element before it was drawn. */
const drawnFrom = new WeakMap<Element, Node>();

/** Remember the formulas of an element, which are about to be drawn in their places. */
export function rememberFormulas(element: HTMLElement): void {
  const own = element.classList.contains(FORMULA_CLASS) ? [element] : [];
  const inside = element.querySelectorAll(`.${FORMULA_CLASS}`);
  for (const formula of [...own, ...inside]) {
    drawnFrom.set(formula, formula.cloneNode(true));
  }
}

/**
 * Put nodes in the place of others, but keep what is equal: with it a person's selection stays, and
 * a formula that is drawn.
 *
 * @param before - The nodes end before it.
 * @returns The nodes that stand there now, and those elements that are new.
 */
export function morph(
  parent: Node,
  old: readonly ChildNode[],
  fresh: readonly ChildNode[],
  before: Node | null
): { nodes: ChildNode[]; added: HTMLElement[] } {
  const added: HTMLElement[] = [];
  const nodes = fresh.map((node, i) => {
    const was = old.at(i);
    if (was?.parentNode === parent && keeps(was, node, added)) {
      return was;
    }
    const next = old.slice(i).find(other => other.parentNode === parent);
    parent.insertBefore(node, next ?? before);
    if (node instanceof HTMLElement) {
      added.push(node);
    }
    return node;
  });
  const kept = new Set(nodes);
  old.filter(node => !kept.has(node)).forEach(node => node.remove());
  return { nodes, added };
}

/** Return whether a node is now like a fresh one; it has been changed where both differ. */
function keeps(was: ChildNode, node: ChildNode, added: HTMLElement[]): boolean {
  if (was.isEqualNode(node)) {
    return true;
  }
  if (was instanceof Text && node instanceof Text) {
    if (node.data.startsWith(was.data)) {
      was.appendData(node.data.slice(was.data.length));
    } else {
      was.data = node.data;
    }
    return true;
  }
  if (!(was instanceof HTMLElement && node instanceof HTMLElement)) {
    return false;
  }
  const drawn = drawnFrom.get(was);
  if (drawn !== undefined) {
    return drawn.isEqualNode(node);
  }
  if (!was.cloneNode().isEqualNode(node.cloneNode())) {
    return false;
  }
  const children = morph(was, [...was.childNodes], [...node.childNodes], null);
  added.push(...children.added);
  return true;
}
