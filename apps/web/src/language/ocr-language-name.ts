/** What tesseract calls otherwise than the register of languages does. */
const TAGS: Readonly<Record<string, string>> = { chi_sim: 'zh-Hans', chi_tra: 'zh-Hant', frk: 'de-Latf' };

/** What a reader of the language `tag` calls the language of a code of tesseract: "German" for deu; the code where it has no name. */
export const ocrLanguageName = (code: string, tag: string): string => {
  const names = new Intl.DisplayNames([tag], { type: 'language', fallback: 'none' });
  try {
    return names.of(TAGS[code] ?? code.replaceAll('_', '-')) ?? code;
  } catch {
    return code; // not of the form of a language
  }
};
