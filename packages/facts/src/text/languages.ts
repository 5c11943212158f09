/** ISO 639-3, as OCR engines name languages, to ISO 639-1. */
const SHORT: Readonly<Record<string, string>> = {
  eng: 'en',
  deu: 'de',
  fra: 'fr',
  spa: 'es',
  ita: 'it',
  nld: 'nl',
  por: 'pt',
  pol: 'pl',
  ces: 'cs',
  slk: 'sk',
  hrv: 'hr',
  tur: 'tr',
  lav: 'lv',
  ukr: 'uk',
};

/** Codes of two letters; others stay as they are. */
export const toShortLanguages = (languages: readonly string[]): string[] => languages.map((language) => SHORT[language] ?? language);
