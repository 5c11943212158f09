export { withoutBidiControls } from './bidi.ts';
export { type Format, makeFormat } from './format.ts';
export { chooseLocale, LOCALES, type Locale } from './locale.ts';
export {
  type CompiledCatalogue,
  type Details,
  type MessageKey,
  makeTranslator,
  type NeededArguments,
  type Translator,
  type ValuesOf,
} from './translator.ts';
