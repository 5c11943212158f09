const MARKS = /\p{M}/gu;
/** Letters that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = { ł: 'l', ß: 'ss', ø: 'o', æ: 'ae', œ: 'oe', đ: 'd', ı: 'i', º: 'o', ª: 'a' };
const SPECIAL = /[łßøæœđıºª]/gu;
const ASCII = /^[\0-\u007f]*$/u;

/** Lower case without accents, so that words can be compared: "Août" is "aout", "Größe" is "grosse". */
export const fold = (text: string): string => {
  const lower = text.toLowerCase();
  if (ASCII.test(lower)) return lower;
  return lower
    .normalize('NFD')
    .replace(MARKS, '')
    .replace(SPECIAL, (letter) => LETTERS[letter] ?? letter);
};
