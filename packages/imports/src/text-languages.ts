import { detectLanguage } from '@sheaf/extraction/language';
import type { ImportedText } from '@sheaf/ingest';

/** The text with the language of each of its pages, where there is enough of it to tell. */
export const withLanguages = async (text: ImportedText | undefined): Promise<ImportedText | undefined> => {
  if (text === undefined) return undefined;
  const languages: (string | null)[] = [];
  for (const page of text.pages) languages.push((await detectLanguage(page)) ?? null);
  return { ...text, languages };
};
