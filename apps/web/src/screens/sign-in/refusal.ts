import { useTranslator } from '../../language/language.tsx';

/** Why an identity provider's answer led to no sign-in, by the code that the service adds to the address, whatever stands there. */
export const useRefusalMessage = (code: string | undefined): string | undefined => {
  const { t, find } = useTranslator();
  if (code === undefined) return undefined;
  // what is not available can only be the provider: the service itself sent the browser here
  const reason = code === 'SERVICE_UNAVAILABLE' ? 'identity_provider_away' : code;
  return find(`errors.${reason}`) ?? t('signInRefused.unknown');
};
