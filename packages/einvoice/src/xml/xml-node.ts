/** An element by its local name. Of an element with children the text is dropped: no e-invoice mixes them. */
export interface XmlNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlNode[];
  text: string;
}

/** Elements that a syntax called otherwise in another version: `New|Old`. */
type Step = string;

const isNamed = (node: XmlNode, step: Step): boolean => node.name === step || (step.includes('|') && step.split('|').includes(node.name));

/** The children of that name. */
export const all = (node: XmlNode | undefined, step: Step): XmlNode[] => node?.children.filter((child) => isNamed(child, step)) ?? [];

/** The first element on the way down; undefined where a step is not there. */
export const at = (node: XmlNode | undefined, ...path: readonly Step[]): XmlNode | undefined => {
  let found = node;
  for (const step of path) found = found?.children.find((child) => isNamed(child, step));
  return found;
};

/** The text of an element without white space around it, undefined where it is empty or not there. */
export const textOf = (node: XmlNode | undefined): string | undefined => {
  const text = node?.text.trim();
  return text === '' ? undefined : text;
};

/** The first text at the end of that path: where an element is repeated, the first that has one counts. */
export const textAt = (node: XmlNode | undefined, ...path: readonly Step[]): string | undefined => {
  const [step, ...rest] = path;
  if (node === undefined || step === undefined) return textOf(node);
  for (const child of node.children) {
    const text = isNamed(child, step) ? textAt(child, ...rest) : undefined;
    if (text !== undefined) return text;
  }
  return undefined;
};

/** The texts of all children of that name that have one. */
export const textsAt = (node: XmlNode | undefined, step: Step): string[] =>
  all(node, step)
    .map(textOf)
    .filter((text) => text !== undefined);

export const attributeOf = (node: XmlNode | undefined, name: string): string | undefined => {
  const value = node?.attributes[name]?.trim();
  return value === '' ? undefined : value;
};
