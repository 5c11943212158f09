/** The language of each sample, as `languageOfSample` has it. */
export default (samples: readonly string[]): Promise<(string | undefined)[]> => Promise.all(samples.map(languageOfSample));

/** Enough to be sure, and read in a tenth of a millisecond. */
const SAMPLE_CHARS = 3_000;
/** With less a name or a number decides. */
const MIN_LETTERS = 60;

/** What of a text its language is found by; undefined where there is too little of it. */
export const languageSample = (text: string): string | undefined => {
  const sample = text.slice(0, SAMPLE_CHARS);
  return (sample.match(/\p{L}/gu)?.length ?? 0) < MIN_LETTERS ? undefined : sample;
};

/** The language of a sample as a code of tesseract; undefined where it is doubtful. */
const languageOfSample = async (sample: string): Promise<string | undefined> => {
  const { eld } = await import('eld/extrasmall');
  const found = eld.detect(sample);
  return found.isReliable() ? TESSERACT_CODES[found.language] : undefined;
};

/**
 * The language of a text as a code of tesseract; undefined where there is too little of it, or it is doubtful. By n-grams (eld): of 28
 * scans read with a wrong model it named 25 and was wrong about none. The model is loaded with the first text, which takes 0.2 s and
 * 25 MB for the rest of the process: `LanguageDetector` gives them back.
 */
export const detectLanguage = async (text: string): Promise<string | undefined> => {
  const sample = languageSample(text);
  return sample === undefined ? undefined : languageOfSample(sample);
};

/** The codes of tesseract for those of ISO 639-1 that the detector knows. */
const TESSERACT_CODES: Readonly<Record<string, string>> = {
  am: 'amh',
  ar: 'ara',
  az: 'aze',
  be: 'bel',
  bg: 'bul',
  bn: 'ben',
  ca: 'cat',
  cs: 'ces',
  da: 'dan',
  de: 'deu',
  el: 'ell',
  en: 'eng',
  es: 'spa',
  et: 'est',
  eu: 'eus',
  fa: 'fas',
  fi: 'fin',
  fr: 'fra',
  gu: 'guj',
  he: 'heb',
  hi: 'hin',
  hr: 'hrv',
  hu: 'hun',
  hy: 'hye',
  is: 'isl',
  it: 'ita',
  ja: 'jpn',
  ka: 'kat',
  kn: 'kan',
  ko: 'kor',
  ku: 'kmr',
  lo: 'lao',
  lt: 'lit',
  lv: 'lav',
  ml: 'mal',
  mr: 'mar',
  ms: 'msa',
  nl: 'nld',
  no: 'nor',
  or: 'ori',
  pa: 'pan',
  pl: 'pol',
  pt: 'por',
  ro: 'ron',
  ru: 'rus',
  sk: 'slk',
  sl: 'slv',
  sq: 'sqi',
  sr: 'srp',
  sv: 'swe',
  ta: 'tam',
  te: 'tel',
  th: 'tha',
  tl: 'tgl',
  tr: 'tur',
  uk: 'ukr',
  ur: 'urd',
  vi: 'vie',
  zh: 'chi_sim',
};

/** The code of tesseract for a language tag such as de or de-AT; undefined where there is none. */
export const ocrLanguageOf = (tag: string): string | undefined => {
  const [language = ''] = tag.toLowerCase().split('-');
  return Object.hasOwn(TESSERACT_CODES, language) ? TESSERACT_CODES[language] : undefined;
};
