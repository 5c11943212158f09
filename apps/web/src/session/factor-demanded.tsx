import { Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { useTranslate } from '../language/language.tsx';
import { FactorsCard } from '../screens/profile/factors-card.tsx';
import { useSession } from './session.tsx';

/** Has a second factor set up above the screen on which it began to be demanded, so that nothing that was typed there is lost. */
const FactorDemanded = (): ReactNode => {
  const t = useTranslate();
  const { signOut } = useSession();
  return (
    <Dialog
      opened
      onClose={() => undefined}
      title={t('entry.factorTitle')}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        <Text size="sm">{t('entry.factorDemanded')}</Text>
        <FactorsCard />
        <Button variant="subtle" size="xs" onClick={() => void signOut()}>
          {t('entry.signOut')}
        </Button>
      </Stack>
    </Dialog>
  );
};
export default FactorDemanded;
