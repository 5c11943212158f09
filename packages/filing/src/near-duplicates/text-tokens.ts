import { type Atom, splitIntoAtoms } from '@sheaf/facts';

/** A word without case and accents, or a number without its punctuation: 1,234.50 is 123450, and 17.05.2024 is 17052024. */
export interface TextToken {
  readonly isNumber: boolean;
  readonly text: string;
}

/** Shorter ones are stop words, or what is left of a word that was recognised badly. */
const MIN_WORD_CHARACTERS = 3;
const MIN_DIGITS = 2;
/** Longer runs of letters are text without spaces, such as Chinese: they are compared in pieces. */
const MAX_WORD_CHARACTERS = 24;
const PIECE_CHARACTERS = 3;
const JOINTS = new Set(['.', ',', ':', '/', '-']);
/** The first character of the first script that is written without spaces, and those before it that are: Thai, Lao, Burmese and Khmer. */
const WITHOUT_SPACES = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]/u;

const isUnspaced = (word: string): boolean => word.length > MAX_WORD_CHARACTERS || WITHOUT_SPACES.test(word);

const piecesOf = (word: string): TextToken[] => {
  const pieces: TextToken[] = [];
  for (let at = 0; at + PIECE_CHARACTERS <= word.length; at += 1)
    pieces.push({ isNumber: false, text: word.slice(at, at + PIECE_CHARACTERS) });
  return pieces;
};

const wordTokens = ({ folded }: Atom): readonly TextToken[] => {
  if (isUnspaced(folded)) return piecesOf(folded);
  return folded.length < MIN_WORD_CHARACTERS ? [] : [{ isNumber: false, text: folded }];
};

/** Whether the digits at `at` go on after one sign: without a space on either side. */
const isJoined = (atoms: readonly Atom[], at: number): boolean => {
  const [sign, next] = [atoms[at + 1], atoms[at + 2]];
  return sign?.kind === 'sign' && JOINTS.has(sign.text) && !sign.isSpaced && next?.kind === 'digits' && !next.isSpaced;
};

/** The words and numbers of a text in their order. Takes time in proportion to the text. */
export const tokensOf = (text: string): TextToken[] => {
  const atoms = splitIntoAtoms(text);
  const tokens: TextToken[] = [];
  for (let at = 0; at < atoms.length; at += 1) {
    const atom = atoms[at];
    if (atom === undefined || atom.kind === 'sign') continue;
    if (atom.kind === 'letters') {
      for (const token of wordTokens(atom)) tokens.push(token);
      continue;
    }
    let number = atom.text;
    for (; isJoined(atoms, at); at += 2) number += atoms[at + 2]?.text ?? '';
    if (number.length >= MIN_DIGITS) tokens.push({ isNumber: true, text: number });
  }
  return tokens;
};
