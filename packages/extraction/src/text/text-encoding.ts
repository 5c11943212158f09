/** Names TextDecoder knows. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | SingleByteEncoding;
type SingleByteEncoding = 'windows-1252' | 'iso-8859-2' | 'windows-1250' | 'windows-1251' | 'koi8-r' | 'iso-8859-5';

/** Enough for a judgement, little enough to decode a few times. */
export const SAMPLE_BYTES = 64 * 1024;

/**
 * What a text file is written in, judged by its first bytes: a byte order mark, then the upper halves of UTF-16,
 * then UTF-8, which other encodings almost never imitate, then the single-byte encoding whose letters make the likeliest words.
 */
export const detectEncoding = (sample: Uint8Array): TextEncoding =>
  byOrderMark(sample) ?? byUpperHalves(sample) ?? (isUtf8(sample) ? 'utf-8' : bestSingleByte(sample));

const byOrderMark = ([first, second, third]: Uint8Array): TextEncoding | undefined => {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  return undefined;
};

/** The upper halves of UTF-16 characters are mostly one small number (0 for Latin, 4 for Cyrillic), in every second place. */
const byUpperHalves = (sample: Uint8Array): TextEncoding | undefined => {
  const [even, odd] = [shareOfControls(sample, 0), shareOfControls(sample, 1)];
  // Scripts with many thousand characters have a zero only at spaces and line ends, but are nothing else either.
  const enough = isUtf8(sample) ? 0.4 : 0.02;
  if (odd > enough && odd > even * 8) return 'utf-16le';
  if (even > enough && even > odd * 8) return 'utf-16be';
  return undefined;
};

const shareOfControls = (sample: Uint8Array, parity: 0 | 1): number => {
  let controls = 0;
  for (let i = parity; i < sample.length; i += 2) if ((sample[i] ?? 0xff) < 0x09) controls += 1;
  return controls / Math.max(1, sample.length / 2);
};

const isUtf8 = (sample: Uint8Array): boolean => {
  try {
    // stream: a character cut at the end of the sample is no mistake
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: true });
    return true;
  } catch {
    return false;
  }
};

/** The letters beyond ASCII that the languages of an encoding really use, the frequent ones. */
const USUAL_LETTERS: Record<SingleByteEncoding, string> = {
  'windows-1252': 'äöüßÄÖÜéèêëàâáçñóôòíîïúûùåøæœãõìýÉÈÀÇÅØÆ¿¡«»„“”’‘–—…€£§°·',
  'iso-8859-2': 'ěščřžýáíéúůťďňĚŠČŘŽÝÁÍÉÚŮŤĎŇąćęłńóśźżĄĆĘŁŃÓŚŹŻőűŐŰöüäßăâîşţđ§°',
  'windows-1250': 'ěščřžýáíéúůťďňĚŠČŘŽÝÁÍÉÚŮŤĎŇąćęłńóśźżĄĆĘŁŃÓŚŹŻőűŐŰöüäßăâîşţđ„“”’–—…§°',
  'windows-1251': 'абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЫЭЮЯёЁіїєґ«»–—№',
  'koi8-r': 'абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЫЭЮЯё',
  'iso-8859-5': 'абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЫЭЮЯёЁіїє',
};
/** Of equals the first wins: Western text is the most usual. */
const SINGLE_BYTE_ENCODINGS = Object.keys(USUAL_LETTERS) as SingleByteEncoding[];

const bestSingleByte = (sample: Uint8Array): SingleByteEncoding => {
  let best: { encoding: SingleByteEncoding; score: number } = { encoding: 'windows-1252', score: Number.NEGATIVE_INFINITY };
  for (const encoding of SINGLE_BYTE_ENCODINGS) {
    const score = likeliness(new TextDecoder(encoding).decode(sample), USUAL_LETTERS[encoding]);
    if (score > best.score) best = { encoding, score };
  }
  return best.encoding;
};

const LETTER = /\p{L}/u;
const LOWER = /\p{Ll}/u;
const UPPER = /\p{Lu}/u;
const ASCII_LETTER = /[a-zA-Z]/;
// Sentences of these letters are Cyrillic by nature; Latin text has them only as accents between ASCII letters.
const CYRILLIC = /\p{Script=Cyrillic}/u;

/** The score of one reading: usual letters count for it; strange signs, capitals inside words and mixed scripts against it. */
const likeliness = (text: string, usual: string): number => {
  let score = 0;
  let previous = ' ';
  for (const char of text) {
    if (char.charCodeAt(0) > 0x7f) {
      score += usual.includes(char) ? 2 : LETTER.test(char) ? -2 : -4;
      if (UPPER.test(char) && LOWER.test(previous)) score -= 3;
      if (CYRILLIC.test(char) && ASCII_LETTER.test(previous)) score -= 3;
    } else if (ASCII_LETTER.test(char) && CYRILLIC.test(previous)) score -= 3;
    previous = char;
  }
  return score;
};
