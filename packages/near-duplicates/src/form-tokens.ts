import type { TextToken } from './text-tokens.ts';

/** Among fewer texts nothing is taken for a form. */
const MIN_TEXTS = 3;

/**
 * The words and numbers that most of the texts have: of bills of one sender its address, its bank account and what is said on each bill. What
 * is left of each is what it was filled in with. A few scans of one paper among them change nothing.
 */
export const formTokensOf = (texts: readonly (readonly TextToken[])[]): ReadonlySet<string> => {
  const counts = new Map<string, number>();
  for (const tokens of texts) for (const text of new Set(tokens.map((token) => token.text))) counts.set(text, (counts.get(text) ?? 0) + 1);
  const form = new Set<string>();
  for (const [text, count] of counts) if (count >= MIN_TEXTS && count > texts.length / 2) form.add(text);
  return form;
};
