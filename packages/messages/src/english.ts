import en from '../locales/en.json' with { type: 'json' };
import { compileLazily } from './catalogue.ts';
import { makeProgramFormat } from './format.ts';
import { type Details, type MessageKey, makeTranslator, type Translator } from './translator.ts';

let translator: Translator | undefined;

/** The translator into English, which programs of the service answer and log in. */
export const englishTranslator = (): Translator => {
  translator ??= makeTranslator('en', compileLazily(en), 'en', makeProgramFormat('en'));
  return translator;
};

/** The English message of a code with its details; the key itself where a detail that it shows is missing. */
export const englishMessage = (key: MessageKey, details: Details = {}): string => englishTranslator().find(key, details) ?? key;
