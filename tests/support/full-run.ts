import { isFullRun } from '@sheaf/testkit';

/** `declare` in the full run; in the usual run it declares nothing. */
export const fullOnly = <Declare extends object>(declare: Declare): Declare => (isFullRun ? declare : ((() => {}) as unknown as Declare));

/** Of `cases`, those that the usual run tries: the first, and each `n`th after it. The full run tries all. */
export const oneIn = <T>(n: number, cases: readonly T[]): T[] => cases.filter((_, at) => isFullRun || at % n === 0);

/** Of `cases`, those whose turn it is in the usual run: another `n`th of them in each turn. The full run tries all. */
export const inTurn = <T>(turn: number, n: number, cases: readonly T[]): T[] => cases.filter((_, at) => isFullRun || (at + turn) % n === 0);
