/** What is removed from an office file, as the log counts it. */
export const REFERENCE_KINDS = ['relationship', 'link', 'field', 'formula', 'part'] as const;
export type ReferenceKind = (typeof REFERENCE_KINDS)[number];

export type ReferenceCounts = Partial<Record<ReferenceKind, number>>;

export const countKinds = (kinds: Iterable<ReferenceKind>): ReferenceCounts => {
  const counts: ReferenceCounts = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};

export const addCounts = (counts: ReferenceCounts, more: ReferenceCounts): ReferenceCounts => {
  const sum: ReferenceCounts = { ...counts };
  for (const kind of REFERENCE_KINDS) {
    const total = (counts[kind] ?? 0) + (more[kind] ?? 0);
    if (total > 0) sum[kind] = total;
  }
  return sum;
};
