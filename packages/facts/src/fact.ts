import type { FactKind } from '@sheaf/vocabulary/facts';
import type { Box } from '@sheaf/vocabulary/page-words';
import type { DateOrder } from './dates/word-dates.ts';

/** Something that a document states. */
export interface Fact {
  readonly kind: FactKind;
  /** Dates as YYYY-MM-DD, amounts as decimals with two places, currencies by ISO 4217, numbers and names as written. */
  readonly value: string;
  /** Number of the page, as the caller numbers them; undefined where the file name states it. */
  readonly page: number | undefined;
  /** In fractions of the page; undefined where the positions of its words are unknown. */
  readonly box: Box | undefined;
  /** 0 to 1. */
  readonly confidence: number;
  /** Name of the rule that found it, for explanations and tests: `date.label`, `total.keyword`. */
  readonly rule: string;
  /** Whether the same characters also state something else, such as 03/04/2025, until a person confirms one. */
  readonly isAmbiguous: boolean;
  /** Of an ambiguous date: the order in which its numbers give this value. */
  readonly dateOrder?: DateOrder | undefined;
  /** Of a known correspondent. */
  readonly correspondentId?: string | undefined;
}

/** The best first; of equal values of a kind the one with the highest confidence. At most `limit` of each kind. */
export const rankFacts = (facts: readonly Fact[], limit: number): Fact[] => {
  const ranked = facts.toSorted((one, other) => other.confidence - one.confidence);
  const seen = new Set<string>();
  const counts = new Map<FactKind, number>();
  return ranked.filter(({ kind, value }) => {
    const key = `${kind} ${value}`;
    const count = counts.get(kind) ?? 0;
    if (seen.has(key) || count >= limit) return false;
    seen.add(key);
    counts.set(kind, count + 1);
    return true;
  });
};

/** Two decimals, within 0 and 1. */
export const toConfidence = (score: number): number => Math.round(Math.min(1, Math.max(0, score)) * 100) / 100;
