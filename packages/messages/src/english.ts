import en from '../locales/en.json' with { type: 'json' };
import { compileMessage } from './catalogue.ts';
import { type CompiledCatalogue, type Details, type MessageKey, makeTranslator, type Translator } from './translator.ts';

/** Compiles each message when it is first asked for: a program needs few of them, and the parser takes its time. */
const compileLazily = (messages: Readonly<Record<string, string>>): CompiledCatalogue => {
  const catalogue = {};
  for (const [key, message] of Object.entries(messages)) {
    let compiled: CompiledCatalogue[string] | undefined;
    Object.defineProperty(catalogue, key, { enumerable: true, get: () => (compiled ??= compileMessage(message)) });
  }
  return catalogue;
};

let translator: Translator | undefined;

/** The translator into English, which programs of the service answer and log in. */
export const englishTranslator = (): Translator => {
  translator ??= makeTranslator('en', compileLazily(en));
  return translator;
};

/** The English message of a code with its details; the key itself where a detail that it shows is missing. */
export const englishMessage = (key: MessageKey, details: Details = {}): string => englishTranslator().find(key, details) ?? key;
