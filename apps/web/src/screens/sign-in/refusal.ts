import { defineTexts } from '../../language/texts.ts';

/** Why an identity provider's answer did not lead in, by the code that the service adds to the address. */
export const refusalTexts = defineTexts({
  en: {
    SIGN_IN_REFUSED: 'Your organisation did not let you in.',
    SIGN_IN_EXPIRED: 'That sign-in took too long, or was begun in another window. Please begin again.',
    SIGN_IN_INVALID: 'The answer of your organisation is not valid. Begin again, and tell your administrator if it comes back.',
    ACCOUNT_NOT_KNOWN: 'There is no account for you here. Ask your administrator for one.',
    ACCOUNT_DISABLED: 'Your account is disabled. Ask your administrator.',
    SERVICE_UNAVAILABLE: 'Your organisation cannot be asked at the moment. Try again in a minute.',
    unknown: 'You could not be signed in.',
  },
  de: {
    SIGN_IN_REFUSED: 'Ihre Organisation hat Sie nicht eingelassen.',
    SIGN_IN_EXPIRED: 'Diese Anmeldung hat zu lange gedauert oder wurde in einem anderen Fenster begonnen. Bitte beginnen Sie noch einmal.',
    SIGN_IN_INVALID:
      'Die Antwort Ihrer Organisation ist nicht gültig. Beginnen Sie noch einmal; kommt es wieder vor, sagen Sie es Ihrem Administrator.',
    ACCOUNT_NOT_KNOWN: 'Für Sie gibt es hier kein Konto. Bitten Sie Ihren Administrator um eines.',
    ACCOUNT_DISABLED: 'Ihr Konto ist gesperrt. Fragen Sie Ihren Administrator.',
    SERVICE_UNAVAILABLE: 'Ihre Organisation kann gerade nicht gefragt werden. Versuchen Sie es in einer Minute noch einmal.',
    unknown: 'Sie konnten nicht angemeldet werden.',
  },
});

type Refusals = Readonly<Record<keyof (typeof refusalTexts)['en'], string>>;

/** The words for a code, whatever stands in the address. */
export const refusalOf = (t: Refusals, code: string): string => (Object.hasOwn(t, code) ? t[code as keyof Refusals] : t.unknown);
