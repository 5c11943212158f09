import { parseOcrLanguage } from '@sheaf/contract/queue';

/** Which stemmer reads what an OCR model has read. Codes without an entry are indexed without stemming. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ara: 'arabic',
  cat: 'catalan',
  dan: 'danish',
  dan_frak: 'danish',
  deu: 'german',
  deu_frak: 'german',
  deu_latf: 'german',
  frk: 'german',
  ell: 'greek',
  eng: 'english',
  eus: 'basque',
  fin: 'finnish',
  fra: 'french',
  gle: 'irish',
  hin: 'hindi',
  hun: 'hungarian',
  hye: 'armenian',
  ind: 'indonesian',
  ita: 'italian',
  ita_old: 'italian',
  lit: 'lithuanian',
  nep: 'nepali',
  nld: 'dutch',
  nor: 'norwegian',
  por: 'portuguese',
  ron: 'romanian',
  rus: 'russian',
  spa: 'spanish',
  spa_old: 'spanish',
  srp: 'serbian',
  srp_latn: 'serbian',
  swe: 'swedish',
  tam: 'tamil',
  tur: 'turkish',
  yid: 'yiddish',
};

/**
 * The text search configuration for a document in the language that its text was found to be in, or else the one it was read with.
 * Choice: a text of `auto` that is too short to tell is taken for English, the default; with several languages the first one that has a
 * stemmer is the document's, as it is the first the reader asks too.
 */
export const textConfigurationOf = (ocrLanguage: string): string => {
  const { isAuto, codes } = parseOcrLanguage(ocrLanguage);
  const language = (isAuto && codes.length === 0 ? ['eng'] : codes)
    .map((code) => (Object.hasOwn(LANGUAGES, code) ? LANGUAGES[code] : undefined))
    .find((known) => known !== undefined);
  return `sheaf_${language ?? 'simple'}`;
};
