import type { AmountRole } from './amount-words.ts';
import type { PlacedAmount } from './place-amounts.ts';

export interface ScoredAmount {
  readonly amount: PlacedAmount;
  /** 0 to 1: how likely it is the total to pay. */
  readonly score: number;
  readonly rule: string;
}

const WORTH: Readonly<Record<AmountRole | 'none', number>> = {
  final: 0.88,
  inclusive: 0.84,
  total: 0.78,
  net_total: 0.76,
  subtotal: 0.36,
  net: 0.3,
  tender: 0.32,
  rounding: 0.1,
  none: 0.12,
  other: 0.1,
  tax: 0.05,
  change: 0.02,
};
const GAIN = { paid: 0.08, taxed: 0.08, lines: 0.06, rounded: 0.15, repeated: 0.02, low: 0.03, large: 0.03 };
const LOSS = { row: 0.3, negative: 0.3, changed: 0.2 };
/** Cash is rounded to five or ten hundredths. */
const MAX_ROUNDING = 9;
/** A sum of rounded taxes may be off by this. */
const SLACK = 2;
const MAX_REPEATS = 3;
/** Cash less change is the total, whatever OCR left of its label. */
const WORTH_IF_PAID = 0.6;

/** Every amount with how likely it is the total, by its label, its place and the sums that it is part of; the likeliest first. */
export const scoreTotals = (amounts: readonly PlacedAmount[]): ScoredAmount[] => {
  const evidence = gather(amounts);
  const lastRow = amounts.at(-1)?.row ?? 1;
  return amounts
    .map((amount) => scoreOf(amount, evidence, amount.row / lastRow))
    .toSorted((one, other) => other.score - one.score || other.amount.row - one.amount.row);
};

interface Evidence {
  /** Cash less change. */
  readonly paid: ReadonlySet<number>;
  /** Net and tax together. */
  readonly taxed: ReadonlySet<number>;
  /** Whether change was given: what was handed over is not the total then. */
  readonly isChanged: boolean;
  readonly lines: ReadonlySet<number>;
  /** Totals after rounding. */
  readonly rounded: ReadonlySet<number>;
  readonly counts: ReadonlyMap<number, number>;
  readonly largest: number;
}

const gather = (amounts: readonly PlacedAmount[]): Evidence => {
  const having = (...roles: (AmountRole | undefined)[]) => [
    ...new Set(amounts.filter(({ role, column }) => roles.includes(role) && column === 0).map(({ cents }) => cents)),
  ];
  const totals = having('final', 'inclusive', 'total', 'net_total');
  const counts = new Map<number, number>();
  for (const { cents } of amounts) counts.set(cents, (counts.get(cents) ?? 0) + 1);
  return {
    paid: combine(having('tender'), having('change'), (cash, change) => cash - Math.abs(change)),
    taxed: combine(having('net', 'subtotal'), having('tax'), (net, tax) => net + tax),
    isChanged: having('change').some((change) => change !== 0),
    lines: sumsOfLines(amounts),
    rounded: roundings(totals, having('rounding')),
    counts,
    largest: Math.max(0, ...totals),
  };
};

/** Enough for any document that is no list of accounts. */
const MAX_COMBINED = 12;

const combine = (ones: readonly number[], others: readonly number[], sum: (one: number, other: number) => number): Set<number> =>
  new Set(ones.slice(0, MAX_COMBINED).flatMap((one) => others.slice(0, MAX_COMBINED).map((other) => sum(one, other))));

/**
 * What totals are rounded to: a later total nearby that can be paid in coins. "Rounding" names the difference on
 * some receipts and what comes of it on others.
 */
const roundings = (totals: readonly number[], named: readonly number[]): Set<number> => {
  const rounded = new Set<number>();
  const later = [...totals, ...named.filter((value) => value > MAX_ROUNDING)].slice(0, 2 * MAX_COMBINED);
  later.forEach((total, at) => {
    const after = later.slice(at + 1).find((other) => other !== total && Math.abs(other - total) <= MAX_ROUNDING && isInCoins(other));
    if (after !== undefined && !isInCoins(total)) rounded.add(after);
  });
  return rounded;
};

/** The least coin that is in use nearly everywhere without those of one and two. */
const LEAST_COIN = 5;

const isInCoins = (cents: number): boolean => cents % LEAST_COIN === 0;

const MAX_LINES = 60;

/** The sums of the last amounts of two or more rows one after the other that have no label. */
const sumsOfLines = (amounts: readonly PlacedAmount[]): Set<number> => {
  const sums = new Set<number>();
  const items = amounts
    .filter(({ role, column, columns }) => (role === undefined || role === 'other') && column === columns - 1)
    .slice(0, MAX_LINES);
  items.forEach((_, first) => {
    let sum = 0;
    items.slice(first).forEach(({ cents }, more) => {
      sum += cents;
      if (more > 0) sums.add(sum);
    });
  });
  return sums;
};

const isNear = (sums: ReadonlySet<number>, value: number): boolean => {
  for (let off = -SLACK; off <= SLACK; off += 1) if (sums.has(value + off)) return true;
  return false;
};

const TOTAL_ROLES = new Set<AmountRole | undefined>(['final', 'inclusive', 'total', 'net_total']);

const scoreOf = (amount: PlacedAmount, evidence: Evidence, depth: number): ScoredAmount => {
  const { cents, role, column, columns, isOfTaxes } = amount;
  const isTotal = TOTAL_ROLES.has(role);
  const bySum = cents > 0 && evidence.lines.has(cents) && role !== 'other';
  let score = WORTH[role ?? 'none'] + GAIN.low * depth;
  if (cents <= 0) score -= LOSS.negative;
  if (role === 'tender' && evidence.isChanged) score -= LOSS.changed;
  if (evidence.paid.has(cents) && role !== 'change') score = Math.max(score + GAIN.paid, role === 'tender' ? 0 : WORTH_IF_PAID);
  if (isNear(evidence.taxed, cents) && isTotal) score += GAIN.taxed;
  if (bySum) score += GAIN.lines;
  score += GAIN.repeated * Math.min(MAX_REPEATS, (evidence.counts.get(cents) ?? 1) - 1);
  if (isTotal && cents === evidence.largest) score += GAIN.large;
  // the last row of a table of taxes: net and tax, and the total as the third
  if (isTotal && (isOfTaxes || (columns > 1 && !(column === columns - 1 && columns > 2)))) score -= LOSS.row;
  if (evidence.rounded.has(cents)) score += role === 'rounding' ? WORTH.final : GAIN.rounded;
  return { amount, score, rule: isTotal || role === 'rounding' ? 'total.keyword' : bySum ? 'total.lines' : `total.${role ?? 'amount'}` };
};
