import { type CompiledCatalogue, LOCALES, type Locale, makeTranslator, type Translator } from '@sheaf/messages';
import { loadPart } from '../app/late.ts';

type CatalogueFile = { readonly default: CompiledCatalogue };
type Catalogues = Readonly<Record<Locale, () => Promise<CatalogueFile>>>;

/** One file for each language, of which a browser loads only the one that is shown. */
const FIRST: Catalogues = {
  en: () => import('@sheaf/messages/locales/en.json?compiled'),
  de: () => import('@sheaf/messages/locales/de.json?compiled'),
  fr: () => import('@sheaf/messages/locales/fr.json?compiled'),
  es: () => import('@sheaf/messages/locales/es.json?compiled'),
};

/** What no first screen shows. */
const LATER: Catalogues = {
  en: () => import('@sheaf/messages/locales/en.json?compiled&later'),
  de: () => import('@sheaf/messages/locales/de.json?compiled&later'),
  fr: () => import('@sheaf/messages/locales/fr.json?compiled&later'),
  es: () => import('@sheaf/messages/locales/es.json?compiled&later'),
};

/** The messages of a language that was asked for: its translators find what is added to them. */
const loaded = new Map<Locale, Promise<Record<string, CompiledCatalogue[string]>>>();
/** Whether a screen was opened that needs the later messages: then those of each language are loaded. */
let areLaterWanted = false;

const loadFirst = (locale: Locale): Promise<Record<string, CompiledCatalogue[string]>> => {
  const messages = loaded.get(locale) ?? loadPart(FIRST[locale]).then((file) => ({ ...file.default }));
  loaded.set(locale, messages);
  return messages;
};

const addLater = async (locale: Locale): Promise<void> => {
  const [messages, later] = await Promise.all([loadFirst(locale), loadPart(LATER[locale])]);
  Object.assign(messages, later.default);
};

/** The translator of a language, once its messages are there. `tag` is the region for numbers and dates. */
export const loadTranslator = async (locale: Locale, tag: string): Promise<Translator> => {
  const messages = await loadFirst(locale);
  if (areLaterWanted) await addLater(locale);
  return makeTranslator(locale, messages, tag);
};

/** Makes the translators find the later messages as well. */
const loadLaterMessages = async (): Promise<void> => {
  areLaterWanted = true;
  await Promise.all(LOCALES.filter((locale) => loaded.has(locale)).map(addLater));
};

/** Loads a part of the client that shows later messages together with them. */
export const withLaterMessages =
  <T>(load: () => Promise<T>): (() => Promise<T>) =>
  async () =>
    (await Promise.all([load(), loadLaterMessages()]))[0];
