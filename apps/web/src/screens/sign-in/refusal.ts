import { useFormat, useLanguage } from '../../language/language.tsx';
import { defineTexts } from '../../language/texts.ts';
import { errorWords } from '../../said/error-words.ts';
import { say } from '../../said/words.ts';

const texts = defineTexts({
  en: { unknown: 'You could not be signed in.' },
  de: { unknown: 'Sie konnten nicht angemeldet werden.' },
});

/** Why an identity provider's answer did not lead in, by the code that the service adds to the address, whatever stands there. */
export const useRefusalWords = (code: string | undefined): string | undefined => {
  const language = useLanguage();
  const format = useFormat();
  if (code === undefined) return undefined;
  // what is away can only be the provider: the service itself sent the browser here
  const reason = code === 'SERVICE_UNAVAILABLE' ? 'identity_provider_away' : code;
  return say(errorWords[language], reason, {}, format) ?? texts[language].unknown;
};
