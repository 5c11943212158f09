const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', ı: 'i', þ: 'th' };

const IS_PLAIN = /^[a-z0-9]*$/u;

/** In lower case and without accents: close to what sheaf_plain makes of it, see the migrations. */
export const plainText = (text: string): string =>
  IS_PLAIN.test(text)
    ? text
    : text
        .normalize('NFKD')
        .replace(/[\p{M}\u00ad]/gu, '')
        .toLowerCase()
        .replace(/[ßæœøłđðıþ]/gu, (letter) => LETTERS[letter] ?? letter);
