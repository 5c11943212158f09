import type { DecimalText, Invoice } from '../invoice.ts';
import { type Decimal, parseDecimal, ZERO } from '../values/decimal.ts';

/** A business rule of EN 16931-1. */
export interface Rule {
  /** Such as `BR-CO-10`. */
  readonly code: string;
  /** What it asks for, in English. */
  readonly message: string;
  /** Whether an invoice keeps it. */
  readonly holds: (invoice: Invoice) => boolean;
}

export const rule = (code: string, message: string, holds: Rule['holds']): Rule => ({ code, message, holds });

export const isGiven = (value: string | undefined): value is string => value !== undefined;

/** A missing amount counts as nothing in a sum. */
export const amountOf = (text: DecimalText | undefined): Decimal => parseDecimal(text) ?? ZERO;

export const isDecimal = (text: DecimalText | undefined): boolean => parseDecimal(text) !== undefined;

export const isNegative = (text: DecimalText | undefined): boolean => amountOf(text).units < 0n;

export const isPositive = (text: DecimalText | undefined): boolean => amountOf(text).units > 0n;
