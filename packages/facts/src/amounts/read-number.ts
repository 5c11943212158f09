import type { Atom } from '../text/atoms.ts';

/** A number as it is written for money. */
export interface NumberShape {
  /** In hundredths, positive. */
  readonly cents: number;
  readonly hasDecimals: boolean;
  /** The atom behind it. */
  readonly next: number;
}

const SEPARATORS = new Set(['.', ',', "'", '’']);
const MAX_PARTS = 6;
/** Beyond it hundredths are no longer exact. */
const MAX_DIGITS = 13;

/**
 * The number that begins at the atom `at`, with either sign for decimals and for thousands: 1,234.50, 1.234,50, 1'234.50, 50,-, .05.
 * With `groupsBySpace` also 1 234,50. Undefined where it is another kind of number, and for none.
 */
export const readNumber = (atoms: readonly Atom[], at: number, groupsBySpace: boolean): NumberShape | undefined => {
  const first = atoms[at];
  if (first === undefined) return undefined;
  if (first.text === '.' && first.isSpaced) return readBareDecimals(atoms, at);
  if (first.kind !== 'digits') return undefined;
  const { parts, separators, next } = collect(atoms, at, groupsBySpace);
  const digits = parts.reduce((sum, part) => sum + part.length, 0);
  if (digits > MAX_DIGITS || parts.length > MAX_PARTS) return { cents: 0, hasDecimals: false, next };
  return readRound(atoms, parts, next) ?? decide(parts, separators, next);
};

/** ".05" */
const readBareDecimals = (atoms: readonly Atom[], at: number): NumberShape | undefined => {
  const digits = atoms[at + 1];
  if (digits?.kind !== 'digits' || digits.isSpaced || digits.text.length !== 2) return undefined;
  return { cents: Number(digits.text), hasDecimals: true, next: at + 2 };
};

const collect = (atoms: readonly Atom[], at: number, groupsBySpace: boolean) => {
  const parts = [atoms[at]?.text ?? ''];
  const separators: string[] = [];
  let next = at + 1;
  let areSpaces = true;
  for (;;) {
    const [sign, digits] = [atoms[next], atoms[next + 1]];
    if (sign !== undefined && SEPARATORS.has(sign.text) && !sign.isSpaced && digits?.kind === 'digits' && !digits.isSpaced) {
      areSpaces = false;
      separators.push(sign.text === '’' ? "'" : sign.text);
      parts.push(digits.text);
      next += 2;
    } else if (groupsBySpace && isGroup(sign) && (parts.at(-1)?.length ?? 0) <= 3 && areSpaces) {
      separators.push(' ');
      parts.push(sign?.text ?? '');
      next += 1;
    } else return { parts, separators, next };
  }
};

const isGroup = (atom: Atom | undefined): boolean => atom?.kind === 'digits' && atom.text.length === 3;

const DASHES = new Set(['-', '–', '—']);

/** "50,-" */
const readRound = (atoms: readonly Atom[], parts: readonly string[], next: number): NumberShape | undefined => {
  const [sign, dash] = [atoms[next], atoms[next + 1]];
  if (parts.length !== 1 || sign === undefined || dash === undefined || (sign.text !== ',' && sign.text !== '.')) return undefined;
  if (sign.isSpaced || dash.isSpaced || !DASHES.has(dash.text) || atoms[next + 2]?.kind === 'digits') return undefined;
  return { cents: Number(parts[0]) * 100, hasDecimals: true, next: next + 2 };
};

const decide = (parts: readonly string[], separators: readonly string[], next: number): NumberShape => {
  const none = { cents: 0, hasDecimals: false, next };
  const last = parts.at(-1) ?? '';
  const separator = separators.at(-1);
  const hasDecimals = separator !== undefined && separator !== "'" && separator !== ' ' && last.length === 2;
  const groups = hasDecimals ? parts.slice(0, -1) : parts;
  const between = hasDecimals ? separators.slice(0, -1) : separators;
  if (!areGroups(groups, between) || (hasDecimals && between.includes(separator))) return none;
  return { cents: Number(groups.join('')) * 100 + (hasDecimals ? Number(last) : 0), hasDecimals, next };
};

/** Groups of three, or of two as in India, with one separator between them. */
const areGroups = (groups: readonly string[], between: readonly string[]): boolean => {
  if (between.some((separator) => separator !== between[0])) return false;
  return groups.slice(1).every(({ length }, at) => length === 3 || (length === 2 && at < groups.length - 2 && between[0] === ','));
};
