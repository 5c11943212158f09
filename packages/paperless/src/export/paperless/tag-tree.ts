interface Node {
  readonly pk: number;
  readonly parent: number | null;
}

type TreeFields = Readonly<Record<`tn_${string}`, string | number | null>>;

/** The lists of thousands of tags beside each other would outgrow the documents; the count is enough. */
const MAX_LISTED = 500;

const listed = (pks: readonly number[]): string => (pks.length > MAX_LISTED ? '' : pks.join(','));

/** The tags above each, the highest first. Rings are cut where they close. */
const ancestorsIn = (parents: ReadonlyMap<number, number | null>, pk: number): number[] => {
  const found = new Set<number>();
  for (let above = parents.get(pk) ?? null; above !== null && above !== pk && !found.has(above); above = parents.get(above) ?? null)
    found.add(above);
  return [...found].toReversed();
};

/** What django-treenode keeps of the place of a tag in its tree, beside its parent, for each. */
export const tagTree = (nodes: readonly Node[]): ((pk: number) => TreeFields) => {
  const parents = new Map(nodes.map(({ pk, parent }) => [pk, parent]));
  const children = new Map([...Map.groupBy(nodes, ({ parent }) => parent)].map(([parent, below]) => [parent, below.map(({ pk }) => pk)]));
  const childrenOf = (pk: number | null): readonly number[] => children.get(pk) ?? [];
  const places = new Map([...children.values()].flatMap((beside) => beside.map((pk, index) => [pk, index])));
  const orders = new Map(nodes.map(({ pk }, index) => [pk, index]));
  const descendantsOf = (pk: number): number[] => {
    const found = new Set<number>();
    const visit = (upper: number): void => {
      for (const lower of childrenOf(upper)) {
        if (lower === pk || found.has(lower)) continue;
        found.add(lower);
        visit(lower);
      }
    };
    visit(pk);
    return [...found];
  };
  return (pk) => {
    const parent = parents.get(pk) ?? null;
    const ancestors = ancestorsIn(parents, pk);
    const descendants = descendantsOf(pk);
    const beside = childrenOf(parent);
    const levels = descendants.map((lower) => ancestorsIn(parents, lower).length - ancestors.length);
    return {
      tn_ancestors_pks: listed(ancestors),
      tn_ancestors_count: ancestors.length,
      tn_children_pks: listed(childrenOf(pk)),
      tn_children_count: childrenOf(pk).length,
      tn_depth: levels.reduce((most, level) => Math.max(most, level), 0),
      tn_descendants_pks: listed(descendants),
      tn_descendants_count: descendants.length,
      tn_index: places.get(pk) ?? 0,
      tn_level: ancestors.length + 1,
      tn_priority: 0,
      tn_order: orders.get(pk) ?? 0,
      tn_siblings_pks: beside.length > MAX_LISTED ? '' : listed(beside.filter((other) => other !== pk)),
      tn_siblings_count: beside.length - 1,
      tn_parent: parent,
    };
  };
};
