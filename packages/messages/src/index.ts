export { withoutBidiControls } from './bidi.ts';
export { type Format, makeFormat } from './format.ts';
export {
  alertText,
  importLogMessage,
  type NotificationText,
  notificationText,
  problemsText,
  serviceProblemText,
} from './notification-text.ts';
export {
  type CompiledCatalogue,
  chooseLocale,
  type Details,
  LOCALES,
  type Locale,
  type MessageKey,
  makeTranslator,
  type NeededArguments,
  type Translator,
  type ValuesOf,
} from './translator.ts';
