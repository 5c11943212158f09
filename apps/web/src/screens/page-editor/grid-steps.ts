/** Where the arrow keys lead from the tile at `index` of `count` tiles in rows of `columns`; undefined for other keys. */
export const nextIndex = (key: string, index: number, count: number, columns: number): number | undefined => {
  const to = { ArrowLeft: index - 1, ArrowRight: index + 1, ArrowUp: index - columns, ArrowDown: index + columns, Home: 0, End: count - 1 }[
    key
  ];
  if (to === undefined) return undefined;
  return to < 0 || to >= count ? index : to;
};
