/** What would be seen as something else than it is, or is no name on some system: controls, turned directions, paths, wildcards. */
const UNWANTED = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const NOT_IN_NAMES = /[/\\:*?"<>|]/g;

/** `text` without what no name of a file may have; `instead` stands for what leads elsewhere or is a wildcard. */
export const plainName = (text: string, instead: string): string =>
  text.toWellFormed().replaceAll(UNWANTED, '').replaceAll(NOT_IN_NAMES, instead).normalize('NFC');

/** The whole characters of `text` that have room in `maxBytes` of UTF-8. */
export const withinBytes = (text: string, maxBytes: number): string => {
  let room = maxBytes;
  let kept = '';
  for (const character of text) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    kept += character;
  }
  return kept;
};
