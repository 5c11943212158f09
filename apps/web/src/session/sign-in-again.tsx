import { Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { useTranslate } from '../language/language.tsx';
import { FederatedButton } from './federated-button.tsx';
import { useSession } from './session.tsx';
import { SignInSteps } from './sign-in-steps.tsx';

/** Asks for a new sign-in above the screen on which the session ended, so that nothing that was typed there is lost. */
const SignInAgain = (): ReactNode => {
  const t = useTranslate();
  const { state, me, signOut } = useSession();
  return (
    <Dialog
      opened={state === 'expired'}
      onClose={() => undefined}
      title={t('signIn.again')}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      overlayProps={{ backgroundOpacity: 0.6, blur: 3 }}
    >
      <Stack gap="md">
        <Text size="sm">{t('signIn.againHint')}</Text>
        {me?.auth_method === 'oidc' || me?.auth_method === 'saml2' ? (
          <>
            <Text size="sm">{t('signIn.againElsewhere')}</Text>
            <FederatedButton method={me.auth_method} returnTo="/signed-in" isElsewhere />
          </>
        ) : (
          me !== undefined && <SignInSteps username={me.username} />
        )}
        <Button variant="subtle" size="xs" onClick={() => void signOut()}>
          {t('signIn.other')}
        </Button>
      </Stack>
    </Dialog>
  );
};
export default SignInAgain;
