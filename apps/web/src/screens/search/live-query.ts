/** From here on a word says enough to look for documents. */
const FEWEST_CHARACTERS = 2;
const ENDS_IN_A_WORD = /[\p{L}\p{N}]$/u;

/** What is looked for while one types: the last word may go on. Empty where that is too little. */
export const liveQuery = (typed: string): string => {
  if (typed.length < FEWEST_CHARACTERS) return '';
  const isInPhrase = typed.split('"').length % 2 === 0;
  return ENDS_IN_A_WORD.test(typed) && !isInPhrase ? `${typed}*` : typed;
};
