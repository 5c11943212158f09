/**
 * Asks `ask` for all who want to know at the same time together, and not again within `maxAgeMs` after it has answered. A failure is
 * thrown to those who waited for it and kept for nobody else.
 */
export const shareAnswer = <T>(ask: () => Promise<T>, maxAgeMs: number): (() => Promise<T>) => {
  let kept: { readonly answer: Promise<T>; goodUntilMs: number } | undefined;
  return () => {
    if (kept !== undefined && performance.now() < kept.goodUntilMs) return kept.answer;
    const asked = { answer: ask(), goodUntilMs: Number.POSITIVE_INFINITY };
    kept = asked;
    asked.answer.then(
      () => (asked.goodUntilMs = performance.now() + maxAgeMs),
      () => (asked.goodUntilMs = 0),
    );
    return asked.answer;
  };
};
