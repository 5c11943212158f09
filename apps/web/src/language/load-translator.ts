import { type CompiledCatalogue, type Locale, makeTranslator, type Translator } from '@sheaf/messages';
import { loadPart } from '../app/load-part.ts';

type CatalogueFile = { readonly default: CompiledCatalogue };

/** One file for each language, of which a browser loads only the one that is shown. */
const CATALOGUES: Readonly<Record<Locale, () => Promise<CatalogueFile>>> = {
  en: () => import('@sheaf/messages/locales/en.json?compiled'),
  de: () => import('@sheaf/messages/locales/de.json?compiled'),
  fr: () => import('@sheaf/messages/locales/fr.json?compiled'),
  es: () => import('@sheaf/messages/locales/es.json?compiled'),
};

/** The translator of a language, once its messages are there. `tag` is the region for numbers and dates. */
export const loadTranslator = async (locale: Locale, tag: string): Promise<Translator> =>
  makeTranslator(locale, (await loadPart(CATALOGUES[locale])).default, tag);
