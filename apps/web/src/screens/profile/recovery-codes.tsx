import { Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { useTranslate } from '../../language/language.tsx';
import { CopyText } from './copy-text.tsx';

interface Props {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

/** Shows recovery codes the one time that they are known. */
export const RecoveryCodes = ({ codes, onClose }: Props): ReactNode => {
  const t = useTranslate();
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('profile.codesTitle')}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Text size="sm">{t('profile.codesHint')}</Text>
        <SimpleGrid cols={2} spacing="xs">
          {codes.map((code) => (
            <Code key={code} fz="md" ta="center">
              {code}
            </Code>
          ))}
        </SimpleGrid>
        <Group justify="space-between">
          <CopyText text={codes.join('\n')} />
          <Button onClick={onClose}>{t('profile.done')}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
};
