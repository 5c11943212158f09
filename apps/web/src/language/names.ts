/** What tesseract calls otherwise than the register of languages does. */
const TAGS: Readonly<Record<string, string>> = { chi_sim: 'zh-Hans', chi_tra: 'zh-Hant', frk: 'de-Latf' };

const tagOf = (code: string): string => TAGS[code] ?? code.replaceAll('_', '-');

const languageOf = (tag: string): string | undefined => {
  try {
    return new Intl.Locale(tag).language; // de of deu and of de-AT
  } catch {
    return undefined; // not of the form of a language
  }
};

/** At which place of a browser's languages `tags` the one of a code of tesseract is, counted from 0; after all of them where it is not. */
export const languageRank = (code: string, tags: readonly string[]): number => {
  const language = languageOf(tagOf(code));
  const place = tags.findIndex((tag) => language !== undefined && languageOf(tag) === language);
  return place === -1 ? tags.length : place;
};

/** What a reader of the language `tag` calls the language of a code of tesseract: "German" for deu; the code where it has no name. */
export const ocrLanguageName = (code: string, tag: string): string => {
  const names = new Intl.DisplayNames([tag], { type: 'language', fallback: 'none' });
  try {
    return names.of(tagOf(code)) ?? code;
  } catch {
    return code; // not of the form of a language
  }
};

const NAMES: Readonly<Record<string, string>> = {
  'application/pdf': 'PDF',
  'text/plain': 'TXT',
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'image/tiff': 'TIFF',
  'image/bmp': 'BMP',
  'application/xml': 'XML',
  'application/rtf': 'RTF',
  'application/msword': 'DOC',
  'application/vnd.ms-excel': 'XLS',
  'application/vnd.ms-powerpoint': 'PPT',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'DOCX',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'XLSX',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'PPTX',
  'application/vnd.oasis.opendocument.text': 'ODT',
  'application/vnd.oasis.opendocument.spreadsheet': 'ODS',
  'application/vnd.oasis.opendocument.presentation': 'ODP',
};

/** What people call a kind of files; of one that has no such name its MIME type. */
export const kindName = (mimeType: string): string => NAMES[mimeType] ?? mimeType;
