/** Crockford's alphabet of 32: no i, l, o or u, which are read as 1, 1, 0 and v. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Of 5 bits each: 60 bits. */
export const CODE_CHARACTERS = 12;

/** The first twelve bytes as a code that people can type, in groups of four. */
export const toTypedCode = (bytes: Uint8Array): string => {
  const characters = Array.from(bytes.subarray(0, CODE_CHARACTERS), (byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return [0, 4, 8].map((start) => characters.slice(start, start + 4).join('')).join('-');
};

/** The one form of a code that was typed from paper, without dashes, or undefined when it is none. */
export const readTypedCode = (typed: string): string | undefined => {
  const code = typed.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1').replaceAll('u', 'v');
  return code.length === CODE_CHARACTERS && Array.from(code).every((character) => ALPHABET.includes(character)) ? code : undefined;
};
