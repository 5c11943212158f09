/** What came of putting one directory in order. */
export type Outcome =
  /** With the name it had and the one it has now, where that had to change. */
  | { readonly kind: 'settled'; readonly moved?: { readonly name: string; readonly to: string | null } }
  /** It stays as it is for now; tried again. */
  | { readonly kind: 'stuck'; readonly name: string; readonly reason: string };

export const SETTLED: Outcome = { kind: 'settled' };
