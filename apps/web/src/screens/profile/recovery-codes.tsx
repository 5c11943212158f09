import { Button, Code, CopyButton, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { useTranslate } from '../../language/language.tsx';

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

/** Copies what is shown only once. */
export const CopyText = ({ text }: { readonly text: string }): ReactNode => {
  const t = useTranslate();
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button variant="default" onClick={copy}>
          {copied ? t('profile.copied') : t('profile.copy')}
        </Button>
      )}
    </CopyButton>
  );
};
