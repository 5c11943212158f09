import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { addressOf } from '../interface/call.ts';
import { useTranslate } from '../language/language.tsx';

const KEY = 'sheaf.wanted-address';

/**
 * Where one wanted to go when one left this window for an identity provider. A refusal leads back to the front door: by then the service may not know
 * any more which sign-in it was of.
 */
export const wantedAddress = {
  keep: (address: string): void => sessionStorage.setItem(KEY, address),
  /** Told once. */
  take: (): string => {
    const address = sessionStorage.getItem(KEY) ?? '/';
    sessionStorage.removeItem(KEY);
    return address;
  },
};

const PATHS = { oidc: '/api/auth/oidc/login', saml2: '/api/auth/saml/login' } as const;

/** The ways in that lead over an identity provider. */
export type FederatedMethod = keyof typeof PATHS;

interface Props {
  readonly method: FederatedMethod;
  /** The path of this client to come back to. */
  readonly returnTo: string;
  /** Leave this window as it is. */
  readonly isElsewhere?: boolean;
}

/** Leads to the identity provider. */
export const FederatedButton = ({ method, returnTo, isElsewhere = false }: Props): ReactNode => {
  const t = useTranslate();
  const address = addressOf(PATHS[method], { query: { return_to: returnTo } });
  return (
    <Button
      component="a"
      href={address}
      onClick={() => {
        if (!isElsewhere) wantedAddress.keep(returnTo);
      }}
      variant="default"
      fullWidth
      {...(isElsewhere ? { target: '_blank' } : {})}
    >
      {method === 'oidc' ? t('signIn.oidc') : t('signIn.saml')}
    </Button>
  );
};
