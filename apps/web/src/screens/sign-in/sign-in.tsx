import { Anchor, Group, Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useTranslate, useTranslator } from '../../language/language.tsx';
import { type FederatedMethod, wantedAddress } from '../../session/federated-button.tsx';
import { useSession } from '../../session/session.tsx';
import { SignInSteps } from '../../session/sign-in-steps.tsx';
import { EntryPage } from './signed-in.tsx';

/**
 * The code of the error with which an identity provider's answer came back. It leaves the address at once, which is again the one that was wanted: a
 * reload is no refusal, and the next try leads there.
 */
const useRefusal = (): string | undefined => {
  const code = new URLSearchParams(useSearch()).get('sign_in_error');
  const [, navigate] = useLocation();
  const [refusal] = useState(code);
  useEffect(() => {
    if (code !== null) navigate(wantedAddress.take(), { replace: true });
  }, [code, navigate]);
  return refusal ?? undefined;
};

/** Why an identity provider's answer led to no sign-in, by the code that the service adds to the address, whatever stands there. */
const useRefusalMessage = (code: string | undefined): string | undefined => {
  const { t, find } = useTranslator();
  if (code === undefined) return undefined;
  // what is not available can only be the provider: the service itself sent the browser here
  const reason = code === 'SERVICE_UNAVAILABLE' ? 'identity_provider_away' : code;
  return find(`errors.${reason}`) ?? t('signInRefused.unknown');
};

const SignIn = (): ReactNode => {
  const t = useTranslate();
  const { options } = useSession();
  const refusal = useRefusalMessage(useRefusal());
  const [step, setStep] = useState<'first' | 'second'>('first');
  const federated: readonly FederatedMethod[] = [
    ...(options?.oidc_enabled === true ? (['oidc'] as const) : []),
    ...(options?.saml_enabled === true ? (['saml2'] as const) : []),
  ];
  return (
    <EntryPage title={step === 'first' ? t('signIn.title') : t('signIn.second')} hint={step === 'first' ? t('signIn.welcome') : undefined}>
      <SignInSteps federated={federated} refusal={refusal} onStep={setStep} />
      {options?.registration_enabled === true && step === 'first' && (
        <Group gap={6} justify="center">
          <Text size="sm">{t('signIn.registerHint')}</Text>
          <Anchor component={Link} href="/register" size="sm">
            {t('signIn.register')}
          </Anchor>
        </Group>
      )}
    </EntryPage>
  );
};

export default SignIn;
