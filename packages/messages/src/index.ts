export { withoutBidiControls } from './bidi.ts';
export { type Format, makeFormat } from './format.ts';
export { importLogMessage } from './import-log-message.ts';
export { chooseLocale, LOCALES, type Locale } from './locale.ts';
export { type NotificationText, notificationText } from './notification-text.ts';
export { alertText, problemsText, serviceProblemText } from './service-problem.ts';
export {
  type CompiledCatalogue,
  type Details,
  type MessageKey,
  makeTranslator,
  type NeededArguments,
  type Translator,
  type ValuesOf,
} from './translator.ts';
