/**
 * What words go on with that stemmers take off: `universit` is no beginning of the stem of `university`, which is `univers`. The
 * stems of a beginning with each of these tell which shorter stems belong to it.
 */
export const WORD_ENDINGS: readonly string[] = [
  'y ty ity ies ties e es s ed ing ion ions ation al ment ness able ly', // English, and French in part
  'n en er ern ung ungen heit keit isch lich', // German
  'ée eur euse ique té ance ence aux o a os as ción dad zione are ar ere', // French, Spanish, Italian
].flatMap((endings) => endings.split(' '));

/** So many beginnings of one query are looked at so; the others are found by their letters alone. */
export const MAX_COMPLETED_TERMS = 4;
