import { makeTranslator } from '@sheaf/messages';
import { compileCatalogue } from '@sheaf/messages/catalogue';
import { englishTranslator } from '@sheaf/messages/english';
import de from '@sheaf/messages/locales/de.json' with { type: 'json' };
import en from '@sheaf/messages/locales/en.json' with { type: 'json' };

/** The English message of a key, as the client shows it: a test that looks for it does not depend on its wording. */
export const text = englishTranslator().t;

/** The German message of a key. */
export const germanText = makeTranslator('de', compileCatalogue(de)).t;

/** Matches the English message of a key with any arguments. Only for messages without branches. */
export const textPattern = (key: keyof typeof en): RegExp =>
  new RegExp(
    en[key]
      .split(/\{\w+\}/)
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join('.+'),
  );
